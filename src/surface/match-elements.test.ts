import { expect, test } from "vitest";
import type { UiNode } from "../base/node.ts";
import { matchesOf, matchText } from "./match-elements.ts";

const node = (runtimeId: string, name: string, more: Partial<UiNode> = {}): UiNode => ({
  runtimeId,
  role: "button",
  nativeRole: "button",
  name,
  states: ["enabled", "showing"],
  actions: ["press"],
  ...more,
});

const texts = (nodes: readonly UiNode[], wanted: string): string[] => matchText(nodes, wanted).map(({ text }) => text);

test("elements with a text come best first, whatever their order in the tree", () => {
  const nodes = [
    node("1", "", { description: "Autosave every minute" }),
    node("2", "Autosave"),
    node("3", "Don't save"),
    node("4", "Save as…"),
    node("5", "Open"),
  ];
  expect(texts(nodes, "save")).toEqual(["Save as…", "Don't save", "Autosave", "Autosave every minute"]);
  expect(texts([...nodes, node("6", " SAVE\n")], "save")).toEqual([" SAVE\n"]);
  expect(matchesOf([...nodes, node("6", " SAVE\n")], "save")).toHaveLength(5);
});

test("a whole value or description wins over a part of a name", () => {
  const nodes = [node("1", "Very late"), node("2", "Delivery", { value: "Late" })];
  expect(matchText(nodes, "late").map((match) => match.node.runtimeId)).toEqual(["2"]);
  expect(matchText([...nodes, node("3", "Late")], "late").map((match) => match.node.runtimeId)).toEqual(["3"]);
});

test("says by which of its texts an element was found", () => {
  const nodes = [node("1", "Name", { value: "Ann" }), node("2", "Note", { description: "About Ann" })];
  expect(matchesOf(nodes, "ann")).toMatchObject([
    { node: { runtimeId: "1" }, field: "value", text: "Ann" },
    { node: { runtimeId: "2" }, field: "description", text: "About Ann" },
  ]);
});
