import { expect, test } from "vitest";
import type { NodeActionName, UiNode } from "../base/node.ts";
import { meaningful, type Item } from "./meaning.ts";
import type { SnapshotNode } from "./snapshot.ts";

let count = 0;

function node(role: string, name: string, children: readonly SnapshotNode[] = [], more: Partial<UiNode> = {}) {
  const id = `r${++count}`;
  const own: UiNode = { runtimeId: id, role, nativeRole: role, name, states: ["enabled"], actions: [], ...more };
  return { ref: id, stableId: id, node: own, depth: 0, children, omitted: 0 } satisfies SnapshotNode;
}

const can = (...actions: NodeActionName[]): Partial<UiNode> => ({ actions });

const show = ({ source: { node: own }, children }: Item): string =>
  `${own.role} ${own.name}${children.length > 0 ? ` (${children.map(show).join(", ")})` : ""}`;
const lines = (...roots: readonly SnapshotNode[]): readonly string[] => meaningful(roots).items.map(show);

test("boxes that add nothing are left out, and their content moves up", () => {
  const deep = node("group", "", [node("group", "", [node("button", "Go", [], can("press"))])]);
  expect(lines(deep, node("toolbar", ""), node("separator", ""))).toEqual(["button Go"]);
});

test("a text that is the name of its container, or of the field beside it, is listed once", () => {
  expect(lines(node("heading", "News", [node("text", "News")]))).toEqual(["heading News"]);
  expect(lines(node("text", "Name"), node("textbox", "Name", [], can("focus")))).toEqual(["textbox Name"]);
  expect(lines(node("text", "Total"), node("text", "Total"))).toEqual(["text Total", "text Total"]);
});

test("a label around its field and a list item around one thing are left out, but not one that can be selected", () => {
  const check = () => node("checkbox", "Wrap", [], can("toggle"));
  expect(lines(node("text", "Wrap", [check()]))).toEqual(["checkbox Wrap"]);
  expect(lines(node("listitem", "", [node("text", "•"), node("link", "Home", [], can("press"))]))).toEqual([
    "link Home",
  ]);
  expect(lines(node("listitem", "Wrap", [check()], can("select")))).toEqual(["listitem Wrap (checkbox Wrap)"]);
});

test("what has the focus or can be pressed is always listed", () => {
  const states: UiNode["states"] = ["enabled", "focused"];
  expect(lines(node("group", "", [], { states }), node("group", "", [], can("press")))).toEqual(["group ", "group "]);
});

test("what a left-out box left out itself is counted with its container", () => {
  const box = { ...node("group", ""), omitted: 7 };
  expect(meaningful([node("list", "Rows", [box])]).items[0]?.omitted).toBe(7);
});

test("what says only what the element in it says is left out, unless the caller wants more words", () => {
  const link = () => node("link", "News", [node("heading", "News")], can("press"));
  const heading = () => node("heading", "News", [node("link", "News", [], can("press"))]);
  const button = () => node("button", "Menu", [node("button", "Menu", [], can("press"))]);
  const cell = () => node("cell", "", [node("cell", ""), node("cell", "Trash"), node("cell", "Trash")], can("select"));
  expect(
    lines(link(), heading(), button(), cell(), node("separator", "", [], can("press")), node("text", "·")),
  ).toEqual(["link News", "link News", "button Menu", "cell Trash"]);
  const roots = [link(), heading(), button(), cell()];
  expect(meaningful(roots, { isWordy: true }).items.map(show)).toEqual([
    "link News (heading News)",
    "heading News (link News)",
    "button Menu (button Menu)",
    "cell  (cell , cell Trash, cell Trash)",
  ]);
});

test("the texts of cells that only say something are in the line of their row", () => {
  const row = node("row", "1 Ann Open", [
    node("cell", "1"),
    node("cell", "Ann"),
    node("cell", "", [node("button", "Open", [], can("press"))]),
  ]);
  const [item] = meaningful([row]).items;
  expect(item?.cells).toEqual(["1", "Ann"]);
  expect(item && show(item)).toBe("row 1 Ann Open (cell  (button Open))");
});
