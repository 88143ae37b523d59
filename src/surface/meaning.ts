import type { UiNode } from "../base/node.ts";
import type { SnapshotNode } from "./snapshot.ts";

/** An element that gets its own line, with such elements below it. */
export interface Item {
  readonly source: SnapshotNode;
  readonly children: readonly Item[];
  /** What the backend left out below it, and below the groups between it and its children. */
  readonly omitted: number;
  /** Of a row: the texts of its cells, which say more than its name and need no lines of their own. */
  readonly cells?: readonly string[] | undefined;
  /** What is in it, in words, where that needs no lines of its own. */
  readonly inside?: string | undefined;
  /** Its text was listed before. */
  readonly isRepeated?: boolean | undefined;
}

export interface Content {
  readonly items: readonly Item[];
  readonly omitted: number;
}

export interface MeaningOptions {
  /** As the S2 surface lists them: a few more that say nothing new. */
  readonly isWordy?: boolean;
}

/** The elements that get a line. Groups and labels that add nothing are left out, and their content moves up. */
export function meaningful(sources: readonly SnapshotNode[], options: MeaningOptions = {}): Content {
  const contents = sources.map((source) => toContent(source, options));
  return {
    items: withoutLabels(contents.flatMap(({ items }) => items)),
    omitted: contents.reduce((sum, { omitted }) => sum + omitted, 0),
  };
}

function toContent(source: SnapshotNode, options: MeaningOptions): Content {
  const { isWordy = false } = options;
  const { items, omitted } = meaningful(source.children, options);
  const { node } = source;
  const left = omitted + source.omitted;
  const children = (isWordy ? items : withoutRenderers(items, node)).filter(
    (item) => !isTextOf(item, node) && (isWordy || !isLabelOf(item, node)),
  );
  const isShell =
    saysNothing(node, children.length + left) ||
    isWrapper(node, children) ||
    (!isWordy && (isLine(node) || isDouble(node, children)));
  if (isShell) return { items: children, omitted: left };
  const item = { source, children, omitted: left };
  return { items: [isWordy || node.role !== "row" ? item : withCells(item)], omitted: 0 };
}

/** The texts of its cells go into the line of a row. */
function withCells(row: Item): Item {
  const cells = row.children.filter(isInertCell);
  if (cells.length < 2) return row;
  const texts = cells.map((cell) => cell.source.node.name.trim());
  return { ...row, children: row.children.filter((child) => !isInertCell(child)), cells: texts };
}

const cellRoles = new Set(["cell", "columnheader", "rowheader"]);
const isInert = ({ node }: SnapshotNode): boolean =>
  !node.states.some((state) => state === "focused" || state === "selected") &&
  node.actions.every((action) => action === "scroll_into_view");
const isInertCell = ({ source, children, omitted }: Item): boolean =>
  cellRoles.has(source.node.role) &&
  source.node.name.trim() !== "" &&
  (source.node.value === undefined || source.node.value === source.node.name) &&
  children.length + omitted === 0 &&
  isInert(source);

/** GTK tells what draws a cell as cells in it: an icon, a text, and more that are empty or say the same. */
function withoutRenderers(items: readonly Item[], { role }: UiNode): readonly Item[] {
  if (role !== "cell") return items;
  const said = new Set([""]);
  return items.filter(({ source: { node }, children }) => {
    if (node.role !== "cell" || children.length > 0 || node.states.includes("focused")) return true;
    const isNew = !said.has(node.name);
    said.add(node.name);
    return isNew;
  });
}

const structural = new Set(["group", "unknown", "scrollarea", "separator", "text", "paragraph"]);
/** Containers that apps keep as placeholders, even when empty. */
const holders = new Set(["toolbar", "alert", "statusbar"]);
const bullet = /^[•◦▪‣]$/;

function saysNothing({ role, name, states, actions }: UiNode, inside: number): boolean {
  if (states.includes("focused") || actions.includes("press")) return false;
  const own = name.trim();
  if (own !== "") return role === "text" && bullet.test(own);
  return structural.has(role) || (inside === 0 && holders.has(role));
}

const divider = /^[·|›»]$/;

/** Divides others. GTK offers to press the lines of a menu. */
const isLine = ({ role, name, actions }: UiNode): boolean =>
  (role === "separator" && name === "") || (role === "text" && actions.length === 0 && divider.test(name.trim()));

const isLeaf = ({ source: { node }, children, omitted }: Item): boolean =>
  children.length + omitted === 0 && !node.states.includes("focused");

/** A text inside a heading, link or cell that is all or part of its name. */
const isTextOf = (item: Item, { name }: UiNode): boolean =>
  item.source.node.role === "text" && isLeaf(item) && name.includes(item.source.node.name.trim());

const labels = new Set(["heading", "paragraph", "image"]);

/** A heading or picture that is all of the name of the link around it. */
const isLabelOf = (item: Item, { name }: UiNode): boolean =>
  labels.has(item.source.node.role) &&
  name.trim() !== "" &&
  item.source.node.name.trim() === name.trim() &&
  isLeaf(item) &&
  isInert(item.source);

const wrappers = new Set(["text", "listitem"]);

/** A label around its field, or a list item around a single element, with the same name or none. */
function isWrapper({ role, name, actions }: UiNode, children: readonly Item[]): boolean {
  const [only, ...others] = children;
  if (!only || others.length > 0 || !wrappers.has(role) || actions.includes("select") || actions.includes("press"))
    return false;
  const inner = only.source.node.name.trim();
  return name.trim() === "" || (inner !== "" && name.trim().startsWith(inner));
}

/** Says only what the one element in it says: the heading of a link, GTK's cell of a cell and button in a button. */
function isDouble({ role, name, actions }: UiNode, children: readonly Item[]): boolean {
  const [only, ...others] = children;
  if (!only || others.length > 0) return false;
  const inner = only.source.node;
  if (role === "heading") return name.trim() !== "" && inner.name.trim() === name.trim() && !isInert(only.source);
  if (role === "cell") return inner.role === "cell" && (name === "" || name === inner.name);
  return (
    role === "button" &&
    inner.role === "button" &&
    inner.name === name &&
    actions.every((action) => inner.actions.includes(action))
  );
}

/** Drops the texts beside a control that only repeat its name. */
function withoutLabels(items: readonly Item[]): readonly Item[] {
  const isControl = (item: Item | undefined): boolean =>
    item?.source.node.actions.some((action) => action !== "scroll_into_view") === true;
  return items.filter((item, index) => {
    const { node } = item.source;
    if (node.role !== "text" || item.children.length + item.omitted > 0 || isControl(item)) return true;
    const beside = [items[index - 1], items[index + 1]];
    return !beside.some((next) => isControl(next) && next?.source.node.name === node.name.trim());
  });
}
