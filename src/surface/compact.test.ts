import { expect, test } from "vitest";
import type { UiNode } from "../base/node.ts";
import { outline } from "./outline.ts";
import { pageOutline } from "./page-outline.ts";
import type { PageElement } from "./snapshot-text.ts";
import { Snapshots } from "./snapshot.ts";

type Listed = PageElement & { readonly depth: number };

const element = (number: number, role: string, name: string, more: Partial<Listed> = {}): Listed => ({
  runtimeId: `d${number}`,
  ref: `d${number}`,
  depth: more.parent === undefined ? 0 : 1,
  role,
  nativeRole: role,
  name,
  states: ["enabled", "showing"],
  actions: role === "link" || role === "button" ? ["press"] : [],
  ...more,
});

const links = (from: number, names: readonly string[], parent: string): readonly Listed[] =>
  names.map((name, index) => element(from + index, "link", name, { parent }));

const story = "A short story from the quay, with pictures and a map.";
const page: readonly Listed[] = [
  element(1, "group", "Main", { nativeRole: "navigation" }),
  ...links(2, ["Shop", "Prices", 'A "quoted" one', "Contact"], "d1"),
  element(10, "combobox", "Country", { value: "Denmark" }),
  ...["Denmark", "Germany", "Sweden"].map((name, index) =>
    element(11 + index, "listitem", name, {
      parent: "d10",
      nativeRole: "option",
      states: index === 0 ? ["enabled", "selected"] : ["enabled"],
    }),
  ),
  element(20, "paragraph", story),
  element(21, "paragraph", story),
  element(22, "textbox", "Name", { value: "", states: ["enabled", "showing", "editable"] }),
];

const room = { maxNodes: 300, maxChars: 8_000 };
const ofPage = (): string => pageOutline(page, { ...room, surface: "page:1", unread: 0 }).text;
const ofApp = (nodes: readonly UiNode[], more: object = {}): string => {
  const snapshot = new Snapshots({ prefix: "d", areLasting: true }).take({ nodes, omitted: [] }, 1);
  return outline(snapshot, { ...room, bounds: "none", ...more }).text;
};

test("links of a navigation and options of a closed list take one line, a text that repeats is only begun", () => {
  expect(ofPage().split("\n")).toEqual([
    'd1 navigation "Main" links "Shop" "Prices" "A \\"quoted\\" one" "Contact"',
    'd10 combobox "Country" ="Denmark" options "Germany" "Sweden"',
    `d20 paragraph "${story}"`,
    'd21 paragraph "A short story from the …"',
    'd22 textbox "Name"',
  ]);
  expect(ofApp(page).split("\n")).toEqual([
    'group "Main" d1 links "Shop" "Prices" "A \\"quoted\\" one" "Contact"',
    'combobox "Country" d10 ="Denmark" options "Germany" "Sweden"',
    `paragraph "${story}" d20`,
    'paragraph "A short story from the …" d21',
    'textbox "Name" d22',
  ]);
});

test("who asks for one of them gets all of it", () => {
  expect(ofApp(page.slice(0, 5), { isBelowRoot: true }).split("\n")).toContain('  link "Shop" d2');
});

test("a link that is selected, a button among links, and a list that is open keep their lines", () => {
  const marked = page.map((each) =>
    each.name === "Shop" ? { ...each, states: [...each.states, "selected" as const] } : each,
  );
  expect(ofApp(marked)).toContain('link "Prices" d3');
  const mixed = page.map((each) => (each.name === "Shop" ? { ...each, role: "button", nativeRole: "button" } : each));
  expect(ofApp(mixed)).toContain('button "Shop" d2');
  const open = page.map((each) =>
    each.role === "combobox" ? { ...each, states: ["enabled" as const, "expanded" as const] } : each,
  );
  expect(ofApp(open)).toContain('listitem "Germany" d12');
});

test("a long table is folded where there is room for all of it, unless more room was asked for", () => {
  const rows = [
    element(1, "table", "Staff"),
    ...Array.from({ length: 60 }, (_, at) =>
      element(2 + at, "row", `Somebody with a long name ${at}`, { parent: "d1" }),
    ),
  ];
  const folded = ofApp(rows).split("\n");
  expect(folded).toHaveLength(12);
  expect(folded.at(-1)).toMatch(/^ {2}row × 50 more like this: .*; root d1 offset 10$/);
  expect(ofApp(rows, { maxChars: 20_000 }).split("\n")).toHaveLength(61);
});
