import { describe, expect, test } from "vitest";
import type { UiNode } from "../base/node.ts";
import { appLine, charsIn, pageLine, shorten } from "./snapshot-text.ts";

const save: UiNode = {
  runtimeId: "1",
  role: "button",
  nativeRole: "push button",
  name: "Save",
  bounds: { x: 110, y: 20, width: 80, height: 24 },
  states: ["enabled", "showing", "focusable"],
  actions: [],
};

describe("the line of an element", () => {
  test.each<[Partial<UiNode>, string, string]>([
    [{}, 'button "Save" a1g1', 'd1 push button "Save"'],
    [
      { states: ["showing", "focused"] },
      'button "Save" a1g1 focused disabled',
      'd1 push button "Save" focused disabled',
    ],
    [{ states: ["enabled", "showing", "editable"] }, 'button "Save" a1g1 editable', 'd1 push button "Save"'],
    [{ states: ["checked"] }, 'button "Save" a1g1 checked', 'd1 push button "Save" checked disabled'],
    [{ value: 'a "b"\nc' }, 'button "Save" a1g1 ="a \\"b\\" c"', 'd1 push button "Save" ="a \\"b\\" c"'],
    [{ value: 0.5 }, 'button "Save" a1g1 =0.5', 'd1 push button "Save" =0.5'],
    [{ value: "Save" }, 'button "Save" a1g1', 'd1 push button "Save"'],
    [{ value: "" }, 'button "Save" a1g1 =""', 'd1 push button "Save"'],
    [{ name: "", automationId: "save" }, "button #save a1g1", "d1 push button"],
  ])("with %j", (own, ofApp, ofPage) => {
    const node = { ...save, ...own };
    expect(appLine("a1g1", node, undefined)).toBe(ofApp);
    expect(pageLine({ ...node, ref: "d1" })).toBe(ofPage);
  });

  test("says where the element is, relative to a corner", () => {
    expect(appLine("a1g1", save, { x: 100, y: 0 })).toBe('button "Save" a1g1 10,20 80x24');
  });

  test("of a page says the level of a heading, and of a text without a ref only the text", () => {
    const heading = { ...save, nativeRole: "heading", name: "News", ref: "d7", level: 2 };
    expect(pageLine(heading)).toBe('d7 heading 2 "News"');
    expect(pageLine({ ...save, nativeRole: "text", name: "Hello", ref: "" })).toBe('text "Hello"');
  });

  test("says how long a text is that is clipped", () => {
    const note = { ...save, role: "textbox", name: "n".repeat(90), value: "v".repeat(500), textLength: 12_430 };
    const clipped = (letter: string): string => `"${letter.repeat(79)}…"`;
    expect(appLine("a1g1", note, undefined, { lengths: true })).toBe(
      `textbox ${clipped("n")} (90 chars) a1g1 =${clipped("v")} (12430 chars)`,
    );
    const text = { ...save, nativeRole: "text", name: "t".repeat(300), textLength: 900, ref: "" };
    expect(pageLine(text, { lengths: true })).toBe(`text "${"t".repeat(119)}…" (900 chars)`);
  });

  test("is cut between characters, never inside one", () => {
    const long = "🎉".repeat(200);
    expect(pageLine({ ...save, name: long, ref: "d1" })).toBe(`d1 push button "${"🎉".repeat(119)}…"`);
    expect(appLine("a1g1", { ...save, name: long }, undefined)).toBe(`button "${"🎉".repeat(79)}…" a1g1`);
    expect(shorten("🎉".repeat(80))).toBe("🎉".repeat(80));
  });
});

test("every snapshot counts tokens the same way", () => {
  expect(charsIn(2_000)).toBe(8_000);
});
