import { expect, test } from "vitest";
import { toLabel, toWords } from "./labels.ts";
import { fromGtk, toShortcut } from "./shortcuts.ts";

test.each([
  ["gtk3", "n;<Alt>f:n;<Primary><Shift>n", "ctrl+shift+n"],
  ["gtk3", "f;<Alt>v:f;F11", "f11"],
  ["gtk3", "o;<Alt>v:o;<Primary>minus", "ctrl+-"],
  ["gtk3", "n;<Alt>f:n;", undefined],
  ["gtk3", "", undefined],
  ["qt5", "Ctrl+Shift+S", "ctrl+shift+s"],
  ["qt5", "Alt+E", undefined],
  ["qt5", "Ctrl+K, Ctrl+C", undefined],
  ["gtk4", "<VoidSymbol>", undefined],
  ["chromium", "Some Key", undefined],
])("%s: the shortcut in %j is %j", (toolkit, binding, shortcut) => {
  expect(toShortcut(binding, toolkit)).toBe(shortcut);
});

test("an accelerator of an exported menu", () => {
  expect(fromGtk("<Control>q")).toBe("ctrl+q");
});

test.each([
  ["_Save As…", "Save As…"],
  ["Snake__case", "Snake_case"],
  ["New      ", "New"],
])("the label %j reads as %j", (text, label) => {
  expect(toLabel(text, "_")).toBe(label);
});

test.each([
  ["win.save-as", "Save As"],
  ["app.preferences.view.show-line-numbers", "Show Line Numbers"],
  ["saveAs", "Save As"],
])("the action %j reads as %j", (action, words) => {
  expect(toWords(action)).toBe(words);
});
