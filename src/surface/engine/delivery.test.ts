import { expect, test } from "vitest";
import type { NodeActionName, UiNode } from "../../base/node.ts";
import { clickAction } from "./delivery.ts";

const node = (role: string, ...actions: readonly NodeActionName[]): UiNode => ({
  runtimeId: "1",
  role,
  nativeRole: role,
  name: "",
  states: ["enabled"],
  actions,
});

test("a click on a row selects it, and does not press it if that would open it", () => {
  for (const role of ["cell", "row", "listitem", "treeitem"]) {
    expect(clickAction(node(role, "press", "select"), { opensRows: true })).toBe("select");
    expect(clickAction(node(role, "press", "select"))).toBe("press");
    expect(clickAction(node(role, "select"))).toBe("select");
    expect(clickAction(node(role, "press"))).toBe("press");
    expect(clickAction(node(role, "focus"))).toBeUndefined();
  }
});

test("a click on anything else presses, toggles or selects it", () => {
  expect(clickAction(node("button", "press", "select"))).toBe("press");
  expect(clickAction(node("checkbox", "toggle"))).toBe("toggle");
  expect(clickAction(node("tab", "select"))).toBe("select");
  expect(clickAction(node("text", "select"))).toBeUndefined();
});
