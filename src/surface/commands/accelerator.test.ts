import { expect, test } from "vitest";
import { splitAccelerator } from "./accelerator.ts";

test.each([
  ["New tab Ctrl+T", "New tab", "ctrl+t"],
  ["Delete browsing data… Ctrl+Shift+Del", "Delete browsing data…", "ctrl+shift+delete"],
  ["Full screen F11", "Full screen", "f11"],
  ["Settings", "Settings", undefined],
  ["Make A+B", "Make A+B", undefined],
  ["Ctrl+T", "Ctrl+T", undefined],
])("%j is the entry %j with the shortcut %j", (name, label, shortcut) => {
  expect(splitAccelerator(name)).toEqual(shortcut === undefined ? { label } : { label, shortcut });
});
