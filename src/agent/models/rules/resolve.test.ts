import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { foldText, rankText, wholeRank } from "../../../base/match-text.ts";
import type { SeenElement } from "../../eyes.ts";
import { resolve, type Purpose } from "./resolve.ts";
import { readTarget } from "./target.ts";
import { mask } from "./quotes.ts";

let count = 0;
function element(role: string, name: string, more: Partial<SeenElement> = {}): SeenElement {
  return { uid: `a${++count}g1`, role, name, states: ["enabled", "showing"], actions: ["press"], depth: 1, ...more };
}

function find(elements: readonly SeenElement[], phrase: string, purpose: Purpose = "click") {
  const { text, quotes } = mask(phrase);
  return resolve(elements, readTarget(text, quotes), purpose);
}

const rows = [1, 2].flatMap((row) => [
  element("row", `Row ${row}`, { depth: 1 }),
  element("button", "Delete", { depth: 2, uid: `delete${row}` }),
]);

describe("the rules find", () => {
  test("one thing of that name, and no other", () => {
    const save = element("button", "Save");
    expect(find([save, element("button", "Save as…")], "the Save button")).toEqual({ kind: "found", element: save });
  });

  test("several with one name, for the writer to choose from", () => {
    expect(find(rows, "Delete")).toMatchObject({
      kind: "ambiguous",
      candidates: [{ uid: "delete1" }, { uid: "delete2" }],
    });
    expect(find(rows, "the second Delete button")).toMatchObject({ kind: "found", element: { uid: "delete2" } });
    expect(find(rows, '"Delete" in "Row 2"')).toMatchObject({ kind: "found", element: { uid: "delete2" } });
  });

  test("an unnamed field by its placeholder, which Android reports as its text", () => {
    const email = element("textbox", "", { value: "Email" });
    const fields = [element("textbox", "", { value: "Full name" }), email];
    expect(find(fields, "Email", "field")).toEqual({ kind: "found", element: email });
    expect(find(fields, "Phone", "field")).toMatchObject({ kind: "missing" });
  });

  test("nothing, and similar names", () => {
    expect(find([element("button", "Publish now")], "Pblish")).toEqual({ kind: "missing", near: ["Publish now"] });
  });

  test("a button and the label inside it as one thing", () => {
    const outer = element("button", "OK");
    expect(find([outer, element("text", "OK", { depth: 2, actions: [] })], "OK")).toMatchObject({ element: outer });
  });

  test("signs among signs", () => {
    const keys = ["+", "-", "/", "+/-"].map((name) => element("togglebutton", name));
    expect(find(keys, "+/-")).toMatchObject({ kind: "found", element: { name: "+/-" } });
    expect(find(keys, "the plus sign")).toMatchObject({ kind: "found", element: { name: "+" } });
  });

  test.each([
    ["*", "×"],
    ["x", "×"],
    ["times", "×"],
    ["the multiply key", "*"],
    ["-", "−"],
    ["minus", "–"],
    ["/", "÷"],
    ["÷", "/"],
    ["plus", "Add"],
    ["equals", "="],
  ])("%s if the app calls it %s", (asked, name) => {
    const keys = ["7", name, "("].map((each) => element("button", each));
    expect(find(keys, asked)).toMatchObject({ kind: "found", element: { name } });
  });

  test("a sign by its own name first, and two of its other names for the writer to choose from", () => {
    const keys = ["x", "×", "*"].map((name) => element("button", name));
    expect(find(keys, "x")).toMatchObject({ kind: "found", element: { name: "x" } });
    expect(find(keys, "times")).toMatchObject({ kind: "ambiguous", candidates: { length: 3 } });
  });

  test("an unnamed field by the label before it", () => {
    const at = (x: number, y: number) => ({ bounds: { x, y, width: 80, height: 20 } });
    const elements = [
      element("text", "City", at(0, 30)),
      element("textbox", "", { ...at(100, 0), uid: "name" }),
      element("textbox", "", { ...at(100, 30), uid: "city" }),
      element("text", "Name:", at(0, 0)),
    ];
    expect(find(elements, "City", "field")).toMatchObject({ element: { uid: "city" } });
    expect(find(elements, "the Name field", "click")).toMatchObject({ element: { uid: "name" } });
  });

  test("the one in the dialog in front, of two with the same name", () => {
    const behind = [element("window", "Notes", { depth: 0 }), element("button", "Save", { depth: 1 })];
    const front = [
      element("dialog", "Save as", { depth: 0, states: ["active", "enabled", "showing"] }),
      element("window", "", { depth: 1 }),
      element("button", "Save", { depth: 2, uid: "front" }),
    ];
    expect(find([...behind, ...front], "Save")).toMatchObject({ kind: "found", element: { uid: "front" } });
    expect(find([...behind, ...front.slice(1)], "Save")).toMatchObject({ kind: "ambiguous" });
  });

  test("a menu entry before a button with its name, after a menu was named", () => {
    const elements = [element("button", "Save"), element("menuitem", "Save", { uid: "entry" })];
    expect(find(elements, "Save")).toMatchObject({ kind: "ambiguous" });
    const target = { ...readTarget("Save", []), isEntry: true };
    expect(resolve(elements, target, "click")).toMatchObject({ kind: "found", element: { uid: "entry" } });
  });

  test("a place to drop something that nobody would click", () => {
    const elements = [
      element("group", "Finished", { actions: [], uid: "column" }),
      element("heading", "Finished", { actions: [], depth: 2 }),
    ];
    expect(find(elements, "the Finished column", "drop")).toMatchObject({ element: { uid: "column" } });
  });

  test("a name that contains the word for a kind, or a pronoun, if there is one", () => {
    const fields = [element("textbox", "Your name", { uid: "name" }), element("textbox", "New item", { uid: "item" })];
    expect(find(fields, "Your name", "field")).toMatchObject({ element: { uid: "name" } });
    expect(find(fields, "the New item field", "field")).toMatchObject({ element: { uid: "item" } });
    expect(find(fields, "New item", "field")).toMatchObject({ element: { uid: "item" } });
  });

  test("a name that contains a preposition, if there is one", () => {
    const field = element("textbox", "Name on card", { uid: "card" });
    expect(find([field], "Name on card", "field")).toMatchObject({ element: { uid: "card" } });
    expect(find(rows, "Delete in Row 2")).toMatchObject({ element: { uid: "delete2" } });
  });

  test("no name that merely contains the words", () => {
    const elements = [element("button", "Save all"), element("link", "Do not save"), element("text", "Save it here")];
    expect(find(elements, "save")).toMatchObject({
      kind: "missing",
      near: expect.arrayContaining(["Save all"]) as string[],
    });
  });

  const boxAt = (x: number, y: number, uid: string, role = "checkbox") =>
    element(role, "", { uid, bounds: { x, y, width: 10, height: 10 } });

  test("the nth of a kind, in the order of reading", () => {
    const elements = [boxAt(0, 0, "a"), boxAt(50, 2, "b"), boxAt(0, 40, "c"), boxAt(0, 80, "field", "textbox")];
    expect(find(elements, "the 2nd checkbox")).toMatchObject({ element: { uid: "b" } });
    expect(find(elements, "the last checkbox")).toMatchObject({ element: { uid: "c" } });
    expect(find(elements, "the 1st textbox", "field")).toMatchObject({ element: { uid: "field" } });
    expect(find(elements, "the 4th checkbox")).toMatchObject({ kind: "missing" });
  });

  test("none, where the eye would count otherwise, or things of two kinds", () => {
    const mirrored = [boxAt(50, 0, "a"), boxAt(0, 0, "b")];
    expect(find(mirrored, "the 1st checkbox")).toMatchObject({ kind: "ambiguous" });
    const mixed = [boxAt(0, 0, "a"), boxAt(0, 40, "b", "textbox")];
    expect(find(mixed, "the 2nd box")).toMatchObject({ kind: "ambiguous" });
  });

  test("the nth in a list, and one of two by the kind of place it is in", () => {
    const elements = [
      element("link", "Top", { depth: 0 }),
      element("list", "", { depth: 0, actions: [] }),
      element("link", "Top", { depth: 1, uid: "first" }),
      element("link", "B", { depth: 1, uid: "second" }),
    ];
    expect(find(elements, "the 2nd link from the list")).toMatchObject({ element: { uid: "second" } });
    expect(find(elements, "Top in the list")).toMatchObject({ element: { uid: "first" } });
    expect(find(elements, "the 2nd link in the table")).toMatchObject({ kind: "missing" });
  });

  test("a tab by its number, unless tabs have numbers of their own", () => {
    const tabs = (names: readonly string[]) => names.map((name) => element("tab", name, { uid: name }));
    expect(find(tabs(["Mine", "Yours"]), "tab 2")).toMatchObject({ element: { uid: "Yours" } });
    expect(find(tabs(["Tab 2", "Tab 1"]), "tab 2")).toMatchObject({ element: { uid: "Tab 2" } });
    expect(find(tabs(["Q3", "Q4"]), "tab 2")).toMatchObject({ kind: "missing" });
  });
});

/** The rules are stricter than a search, but never find anything else. */
test("the rules find by name what a search also ranks, and like it prefer the whole name", () => {
  const words = fc.array(fc.constantFrom("save", "as", "all", "saved", "x-ray", "über"), {
    minLength: 1,
    maxLength: 3,
  });
  const name = words.map((all) => all.join(" "));
  fc.assert(
    fc.property(fc.uniqueArray(name, { minLength: 1, maxLength: 6 }), name, (names, wanted) => {
      const elements = names.map((each) => element("button", each));
      const target = { name: wanted, isQuoted: true, role: undefined, ordinal: undefined, within: undefined };
      const resolved = resolve(elements, target, "click");
      const ranks = names.map((each) => rankText(foldText(each), foldText(wanted)));
      const found =
        resolved.kind === "found" ? [resolved.element] : resolved.kind === "ambiguous" ? resolved.candidates : [];
      if (ranks.includes(wholeRank)) expect(found).toMatchObject([{ name: wanted }]);
      for (const each of found) expect(ranks[elements.indexOf(each)]).toBeGreaterThan(0);
    }),
  );
});
