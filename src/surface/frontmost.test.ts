import { expect, test } from "vitest";
import type { UiNode } from "../base/node.ts";
import { frontmost } from "./frontmost.ts";

const node = (runtimeId: string, more: Partial<UiNode> = {}): UiNode => ({
  runtimeId,
  role: "button",
  nativeRole: "button",
  name: "OK",
  states: ["enabled", "showing"],
  actions: ["press"],
  ...more,
});
const chosen = (matches: readonly UiNode[], others: readonly UiNode[] = [], windowId?: number): readonly string[] =>
  frontmost(matches, [...others, ...matches], windowId).map(({ runtimeId }) => runtimeId);

test("an element that is listed twice is one element", () => {
  expect(chosen([node("1"), node("1")])).toEqual(["1"]);
});

test("two descriptions of the same place are one element, the first", () => {
  const bounds = { x: 10, y: 20, width: 30, height: 40 };
  expect(chosen([node("1", { bounds }), node("2", { bounds })])).toEqual(["1"]);
  expect(chosen([node("1", { bounds }), node("2", { bounds: { ...bounds, x: 11 } })])).toEqual(["1", "2"]);
  expect(chosen([node("1", { bounds }), node("2", { bounds, role: "text" })])).toEqual(["1", "2"]);
  // Two windows, one exactly behind the other.
  expect(chosen([node("1", { bounds, windowId: 7 }), node("2", { bounds, windowId: 8 })], [], 8)).toEqual(["2"]);
});

test("what is shown wins over what is not", () => {
  expect(chosen([node("1", { states: ["enabled"] }), node("2")])).toEqual(["2"]);
});

test("a modal dialog wins, and within it everything counts", () => {
  const dialog = node("d", { role: "dialog", states: ["showing", "modal"] });
  const box = node("b", { role: "group", parent: "d" });
  const inside = node("2", { parent: "b" });
  expect(chosen([node("1"), inside], [dialog, box])).toEqual(["2"]);
  expect(chosen([node("1"), inside, node("3", { parent: "d" })], [dialog, box])).toEqual(["2", "3"]);
  expect(chosen([node("1"), inside], [node("d", { role: "dialog", states: ["modal"] }), box])).toEqual(["1", "2"]);
});

test("the window in front wins over others of the app", () => {
  const [front, behind] = [node("1", { windowId: 7 }), node("2", { windowId: 8 })];
  expect(chosen([behind, front], [], 7)).toEqual(["1"]);
  expect(chosen([behind, front], [], 9)).toEqual(["2", "1"]);
});

test("what nothing tells apart stays ambiguous", () => {
  expect(chosen([node("1", { windowId: 7 }), node("2", { windowId: 7 })], [], 7)).toEqual(["1", "2"]);
});
