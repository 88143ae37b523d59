import { describe, expect, test } from "vitest";
import type { UiNode } from "../base/node.ts";
import { selectorOf } from "./selector-of.ts";

type Given = readonly [id: string, role: string, name: string, parent?: string, more?: Partial<UiNode>];

const tree = (...given: readonly Given[]): readonly UiNode[] =>
  given.map(([runtimeId, role, name, parent, more]) => ({
    runtimeId,
    role,
    nativeRole: role,
    name,
    states: ["showing", "enabled"],
    actions: role === "button" ? ["press"] : [],
    ...(parent === undefined ? {} : { parent }),
    windowId: 1,
    ...more,
  }));

const nodes = tree(
  ["w", "window", "Letter.txt - Editor"],
  ["save", "button", "Save", "w"],
  ["odd", "button", 'Say "hi" > now', "w"],
  ["bar", "toolbar", "Format", "w"],
  ["bold1", "button", "Bold", "bar"],
  ["status", "toolbar", "Status", "w"],
  ["bold2", "button", "Bold", "status"],
  ["field1", "textbox", "", "w"],
  ["field2", "textbox", "", "w", { automationId: "email" }],
  ["t", "table", "", "w"],
  ["r1", "row", "", "t"],
  ["c1", "cell", "Ann", "r1"],
  ["d1", "button", "Delete", "r1"],
  ["r2", "row", "", "t"],
  ["c2", "cell", "Bob", "r2"],
  ["d2", "button", "Delete", "r2"],
  ["long", "paragraph", `Once upon a time ${"there was a fox ".repeat(20)}`, "w"],
);

const of = (id: string): string | undefined => {
  const node = nodes.find(({ runtimeId }) => runtimeId === id);
  return node && selectorOf(node, nodes, 1);
};

describe("the selector of an element", () => {
  test.each([
    ["is its role and name where that is enough", "save", "Button:Save"],
    ["quotes a name that would read as something else", "odd", 'Button:"Say \\"hi\\" > now"'],
    ["says what it is in, where others are called the same", "bold2", "Toolbar:Status > Button:Bold"],
    ["names its row by what the row says", "d2", 'Row:has("Bob") > Button:Delete'],
    ["is the id of the app, where it has no name", "field2", '#"email"'],
    ["counts, where nothing else tells it from others", "field1", "Textbox[1]"],
    ["begins a long text only", "long", expect.stringMatching(/^Paragraph\[name\^="Once upon a time there/)],
  ])("%s", (_, id, selector) => {
    expect(of(id)).toEqual(selector);
  });

  test("is missing for what is not in the list", () => {
    const [stranger] = tree(["x", "button", "Elsewhere"]);
    expect(stranger && selectorOf(stranger, nodes, 1)).toBeUndefined();
  });
});
