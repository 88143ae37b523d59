import { expect, test } from "vitest";
import type { UiNode } from "../base/node.ts";
import { describeChanges, diffNodes, partners } from "./diff.ts";

const node = (runtimeId: string, role: string, name: string, more: Partial<UiNode> = {}): UiNode => ({
  runtimeId,
  role,
  nativeRole: role,
  name,
  states: ["enabled", "showing"],
  actions: [],
  ...more,
});

/** A sheet whose rows and cells are new objects at every reading. */
const sheet = (reading: number, names: readonly string[], values: readonly number[] = []): readonly UiNode[] => [
  node("w", "window", "Sheet"),
  node(`row${reading}`, "row", "1", { parent: "w" }),
  ...names.map((name, at) =>
    node(`cell${reading}.${at}`, "cell", name, { parent: `row${reading}`, value: values[at] ?? 0 }),
  ),
];

const lines = (before: readonly UiNode[], after: readonly UiNode[]) => describeChanges(diffNodes(before, after), 10);

test("elements that are new objects at every reading are the same by meaning", () => {
  expect(lines(sheet(1, ["A1", "B1", "B1"]), sheet(2, ["A1", "B1", "B1"]))).toEqual([]);
});

test("what changes in them is still seen", () => {
  expect(lines(sheet(1, ["A1", "B1"]), sheet(2, ["A1", "B1"], [0, 12]))).toEqual(['~ cell "B1" value 0 → 12']);
  expect(lines(sheet(1, ["A1", "B1"]), sheet(2, ["A1", "B1", "C1"]))).toEqual(['+ cell "C1" =0']);
  expect(lines(sheet(1, ["A1", "B1"]), sheet(2, ["B1"]))).toEqual(['- cell "A1"']);
});

test("an element with the same name in another place is another one", () => {
  const at = (parent: string) => [
    node("a", "list", "Left"),
    node("b", "list", "Right"),
    node("x", "row", "Ann", { parent }),
  ];
  const moved = [...at("b").slice(0, 2), node("y", "row", "Ann", { parent: "b" })];
  expect(lines(at("a"), moved)).toEqual(['+ row "Ann"', '- row "Ann"']);
});

test("lasting objects are matched by identity, whatever they are called now", () => {
  const [before, after] = [[node("a", "button", "Play")], [node("a", "button", "Pause")]];
  expect(partners(before, after).get(after[0] as UiNode)).toBe(before[0]);
});

test("what the screen says in answer comes first, what is gone last, and a short list has both", () => {
  const before = [node("w", "window", "List"), node("s", "statusbar", ""), ...many("old", 30)];
  const after = [node("w", "window", "List"), ...many("new", 30), node("s", "statusbar", "30 added")];
  const told = lines(before, after);
  expect(told[0]).toBe('~ statusbar → "30 added"');
  expect(told.slice(1, 11)).toEqual([
    ...Array.from({ length: 9 }, (_, at) => `+ button "new ${at}"`),
    "… 21 more changes",
  ]);
  expect(told.slice(11)).toEqual(['- button "old 0"', '- button "old 1"', '- button "old 2"', "- 27 more elements"]);
});

test("options, texts that repeat, labels and headings of one name take one line", () => {
  const after = [
    node("h", "heading", "Result"),
    node("l", "link", "Result", { parent: "h", actions: ["press"] }),
    node("p1", "paragraph", "The same text"),
    node("p2", "paragraph", "The same text"),
    node("c", "combobox", "Pay by", { value: "Invoice" }),
    node("o1", "listitem", "Invoice", { parent: "c", nativeRole: "option" }),
    node("o2", "listitem", "Card", { parent: "c", nativeRole: "option" }),
    node("i", "listitem", "", {}),
    node("r", "row", "System"),
    node("t", "text", "System", { parent: "r" }),
  ];
  expect(lines([], after)).toEqual([
    '+ link "Result"',
    '+ paragraph "The same text" × 2',
    '+ combobox "Pay by" ="Invoice" options "Invoice" "Card"',
    '+ row "System"',
  ]);
});

const many = (name: string, count: number): readonly UiNode[] =>
  Array.from({ length: count }, (_, at) => node(`${name}${at}`, "button", `${name} ${at}`));
