import { expect, test } from "vitest";
import type { UiNode } from "../base/node.ts";
import { Snapshots } from "./snapshot.ts";
import { witnesses } from "./witnesses.ts";

const node = (runtimeId: string, role: string, name = "", parent?: string): UiNode => ({
  runtimeId,
  role,
  nativeRole: role,
  name,
  parent,
  states: ["enabled", "showing"],
  actions: [],
});

const list = (title: string): readonly UiNode[] => [
  node("l", "list"),
  node("r", "row", "", "l"),
  node("t", "text", title, "r"),
  node("d", "button", "Delete", "r"),
];

test("a button in a row is the same while the row shows the same", () => {
  const [, , , button] = list("Ann");
  expect(button && witnesses(button, list("Ann"))).toEqual([
    { runtimeId: "t", name: "Ann" },
    { runtimeId: "d", name: "Delete" },
  ]);
});

test("text without an element of its own is looked for in what it is written in", () => {
  const rows = list("Ann").map((each) => (each.role === "text" ? { ...each, isBare: true } : each));
  const [, , , button] = rows;
  expect(button && witnesses(button, rows)).toEqual([
    { runtimeId: "r", name: "Ann", isInside: true },
    { runtimeId: "d", name: "Delete" },
  ]);
});

test("a button outside of rows may rename itself", () => {
  const play = node("p", "button", "Play", "g");
  expect(witnesses(play, [node("g", "group"), play])).toEqual([]);
});

test("a row that now shows something else gets another ref", () => {
  const snapshots = new Snapshots({ prefix: "a" });
  const [, row] = list("Ann");
  if (!row) throw new Error("no row");
  snapshots.saw(list("Ann"));
  const first = snapshots.refOf(row);
  snapshots.saw(list("Ann"));
  expect(snapshots.refOf(row)).toBe(first);
  snapshots.saw(list("Bob"));
  const second = snapshots.refOf(row);
  expect(second).not.toBe(first);
  expect(snapshots.witnessesOf(first)).toContainEqual({ runtimeId: "t", name: "Ann" });
  expect(snapshots.witnessesOf(second)).toContainEqual({ runtimeId: "t", name: "Bob" });
});
