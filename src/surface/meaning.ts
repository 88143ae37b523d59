import type { UiNode } from "../base/node.ts";
import type { SnapshotNode } from "./snapshot.ts";

/** An element that gets its own line, with such elements below it. */
export interface Item {
  readonly source: SnapshotNode;
  readonly children: readonly Item[];
  /** What the backend left out below it, and below the groups between it and its children. */
  readonly omitted: number;
}

export interface Content {
  readonly items: readonly Item[];
  readonly omitted: number;
}

/** The elements that get a line. Groups and labels that add nothing are left out, and their content moves up. */
export function meaningful(sources: readonly SnapshotNode[]): Content {
  const contents = sources.map(toContent);
  return {
    items: withoutLabels(contents.flatMap(({ items }) => items)),
    omitted: contents.reduce((sum, { omitted }) => sum + omitted, 0),
  };
}

function toContent(source: SnapshotNode): Content {
  const { items, omitted } = meaningful(source.children);
  const { node } = source;
  const left = omitted + source.omitted;
  const children = items.filter((item) => !isPartOf(item, node));
  const isShell = saysNothing(node, children.length + left) || repeats(node, children);
  return isShell ? { items: children, omitted: left } : { items: [{ source, children, omitted: left }], omitted: 0 };
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

/** A text inside a heading, link or cell that is all or part of its name. */
const isPartOf = ({ source: { node }, children, omitted }: Item, { name }: UiNode): boolean =>
  node.role === "text" &&
  children.length + omitted === 0 &&
  !node.states.includes("focused") &&
  name.includes(node.name.trim());

const wrappers = new Set(["text", "listitem"]);

/** A label around its field, or a list item around a single element, with the same name or none. */
function repeats({ role, name, actions }: UiNode, children: readonly Item[]): boolean {
  const [only, ...others] = children;
  if (!only || others.length > 0 || !wrappers.has(role) || actions.includes("select")) return false;
  const inner = only.source.node.name.trim();
  return name.trim() === "" || (inner !== "" && name.trim().startsWith(inner));
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
