import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { NodeState, UiNode } from "../base/node.ts";
import { parseSelector, selectNodes } from "./selector.ts";

const node = (
  id: string,
  role: string,
  name: string,
  parent?: string,
  states: NodeState[] = ["enabled"],
  more: Partial<UiNode> = {},
): UiNode => ({
  runtimeId: id,
  role,
  nativeRole: role,
  name,
  states,
  actions: [],
  ...(parent === undefined ? {} : { parent }),
  ...more,
});

const tree = [
  node("w1", "window", "Notes - Editor"),
  node("b1", "button", "Save", "w1"),
  node("b2", "button", "Save as…", "w1"),
  node("g", "group", "Login form", "w1"),
  node("t1", "textbox", "Username", "g", ["enabled", "editable"], { automationId: "user", value: "ann" }),
  node("t2", "textbox", "Password", "g", ["password"]),
  node("c1", "checkbox", "Remember me", "g", ["enabled", "checked"]),
  node("d1", "button", "Delete", "g"),
  node("d2", "button", "Delete", "w1"),
  node("w2", "dialog", "Save > all?"),
  node("b3", "button", "Save", "w2"),
  node("b4", "button", "Print\n\u00a0this\u200b page", "w2"),
];

const ids = (selector: string) => selectNodes(tree, parseSelector(selector)).map(({ runtimeId }) => runtimeId);

describe("selectors [S1-78, S1-127]", () => {
  test.each([
    ["Button:Save", ["b1", "b3"]],
    ["button:SAVE", ["b1", "b3"]],
    ["Button:Save as", ["b2"]],
    ["TextBox:Username", ["t1"]],
    ["Edit:Username", ["t1"]],
    ["text field:Username", ["t1"]],
    ["#user", ["t1"]],
    ["TextBox#user", ["t1"]],
    [":Delete", ["d1", "d2"]],
    ["Button:Delete[2]", ["d2"]],
    ["Button:Delete[3]", []],
    ["Button:Delete[-1]", ["d2"]],
    ["Button[-2]", ["b3"]],
    ["Field:Username", ["t1"]],
    ["field:remember", ["c1"]],
    ["Field:Delete", []],
    ['"Delete"', ["d1", "d2"]],
    ['"ann"', ["t1"]],
    ['"as…"', ["b2"]],
    ["'Delete'[2]", ["d2"]],
    ['*[text~="member"]', ["c1"]],
    ['Group:has("Delete") > CheckBox', ["c1"]],
    ["Window:has(Button:Delete)", ["w1"]],
    ["Dialog:has(Button:Delete)", []],
    ["Group:has(TextBox:Username:is(#user))", ["g"]],
    ["Button:is(Group > Button)", ["d1"]],
    ["*:is(Button:Delete[2])[enabled]", ["d2"]],
    ["Button:Save:is(Dialog > Button)", ["b3"]],
    ["CheckBox[checked]", ["c1"]],
    ["CheckBox[!checked]", []],
    ["TextBox[enabled=false]", ["t2"]],
    ["Window[title~=Editor] > Button:Save", ["b1"]],
    ["Group:Login form > Button", ["d1"]],
    ['Dialog:"Save > all?" > Button:Save', ["b3"]],
    ["TextBox[value=ann]", ["t1"]],
    ["*[name^=pass]", ["t2"]],
    ["[role=checkbox]", ["c1"]],
    ["Button:Publish", []],
    ["TextBox[disabled]", ["t2"]],
    ["TextBox[!disabled]", ["t1"]],
    ["TextBox[disabled=false]", ["t1"]],
    ["CheckBox[checked=TRUE]", ["c1"]],
    ["\tDialog\n>\u00a0Button\t:Save", ["b3"]],
    ["Button:Print this page", ["b4"]],
    ["Button[name=Print this page]", ["b4"]],
  ])("%s finds %j", (selector, found) => {
    expect(ids(selector)).toEqual(found);
  });

  test.each([
    ["", /empty/],
    ["Buton:Save", /"Buton" is not a role, did you mean "button"\?$/],
    ["Button:", /a name is missing/],
    ["Button:Save >", /empty/],
    ['Button:"Save', /not closed/],
    ["Button[nam~=x]", /did you mean "name"/],
    ["Button[name]", /needs a value/],
    ["Button[name=x", /"\]" is missing/],
    ["Button:Delete[0]", /starts at \[1\]/],
    ["Button:Delete[1][2]", /one position/],
    ["Кнопка:Да", /cannot begin with "К"/],
    ["CheckBox[checked=yes]", /true or false/],
    ["CheckBox[checked~=true]", /true or false/],
  ])("%s is refused with the place and the reason", (selector, message) => {
    expect(() => parseSelector(selector)).toThrow(message);
  });

  test("any text is either understood or refused with a ToolError", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        try {
          expect(parseSelector(text).length).toBeGreaterThan(0);
        } catch (error) {
          expect((error as Error).name).toBe("ToolError");
        }
      }),
    );
  });
});
