import type { NodeActionName } from "../base/node.ts";
import { meaningful, type Item } from "./meaning.ts";
import { appLine, type Corner } from "./snapshot-text.ts";
import type { Snapshot, SnapshotNode } from "./snapshot.ts";

export interface OutlineOptions {
  readonly maxNodes: number;
  readonly maxChars: number;
  /** Show where each element is. */
  readonly bounds: boolean;
  /** The origin of the positions: the corner of a display; default: of the screen. */
  readonly corner?: Corner;
  /** The roots were requested explicitly, so show as many of their children as fit the budget. */
  readonly isExpanded?: boolean;
}

export interface Outline {
  readonly text: string;
  readonly shown: number;
  /** Elements left out for the budget. */
  readonly cut: number;
}

// A container shows this many children, then "… more": a list of thousands must not crowd out everything else.
const childrenPerParent = 40;
// The "=" of a calculator is the last of its keys.
const controlsPerParent = 120;

/** The last listing of each snapshot: an unchanged screen keeps its snapshot, so the listing can be reused. */
const listed = new WeakMap<Snapshot, { readonly options: string; readonly outline: Outline }>();

/**
 * The tree in a form that models read well: one indented line per element, only what matters. Groups that add nothing
 * are left out and their content moves up. What does not fit is mentioned, with the ref to ask for it.
 */
export function outline(snapshot: Snapshot, options: OutlineOptions, roots?: readonly SnapshotNode[]): Outline {
  if (roots) return list(roots, options);
  const asked = JSON.stringify(options);
  const known = listed.get(snapshot);
  if (known?.options === asked) return known.outline;
  const made = list(snapshot.roots, options);
  listed.set(snapshot, { options: asked, outline: made });
  return made;
}

function list(roots: readonly SnapshotNode[], options: OutlineOptions): Outline {
  const { items, omitted } = meaningful(roots);
  const chosen = choose(items, options);
  const lines: string[] = [];
  const leftOut = (among: readonly Item[]): number =>
    among.reduce((sum, item) => (chosen.has(item) ? sum : sum + weigh(item)), 0);
  const visit = (item: Item, depth: number): void => {
    const line = chosen.get(item);
    if (line === undefined) return;
    lines.push(line);
    for (const child of item.children) visit(child, depth + 1);
    const more = item.omitted + leftOut(item.children);
    if (more > 0) lines.push(moreUnder(item, depth, more));
  };
  for (const item of items) visit(item, 0);
  const all = items.reduce((sum, item) => sum + weigh(item), omitted);
  const besides = omitted + leftOut(items);
  if (besides > 0) lines.push(`… ${besides} more; raise max_nodes or max_tokens`);
  return { text: lines.join("\n"), shown: chosen.size, cut: all - chosen.size };
}

const weigh = (item: Item): number => 1 + item.omitted + item.children.reduce((sum, child) => sum + weigh(child), 0);

const moreUnder = ({ source }: Item, depth: number, count: number): string =>
  `${"  ".repeat(depth + 1)}… ${count} more under ${source.ref}`;

// More than any tree contains.
const mostElements = 999_999;
const longestNote = 60;

interface Entry {
  readonly item: Item;
  readonly line: string;
  readonly parent: Entry | undefined;
  /** With the "… more" note that may replace its children. */
  readonly chars: number;
}

/**
 * The lines to show. If not all fit, controls come first, then what can be selected, then the rest. Each breadth first, so
 * that a small budget shows everything at less depth rather than one corner in full.
 */
function choose(roots: readonly Item[], options: OutlineOptions): ReadonlyMap<Item, string> {
  const { maxNodes, maxChars } = options;
  const entries = inBreadth(roots, options);
  let room = maxChars - longestNote;
  if (entries.length <= maxNodes && needed(entries) <= room)
    return new Map(entries.map(({ item, line }) => [item, line]));
  const chosen = new Map<Item, string>();
  const add = (entry: Entry): void => {
    const chain: Entry[] = [];
    for (let each: Entry | undefined = entry; each && !chosen.has(each.item); each = each.parent) chain.push(each);
    const chars = chain.reduce((sum, each) => sum + each.chars, 0);
    if (chars > room || chosen.size + chain.length > maxNodes) return;
    room -= chars;
    for (const { item, line } of chain) chosen.set(item, line);
  };
  for (const rank of [0, 1, 2]) {
    for (const entry of entries) if (rankOf(entry.item) === rank) add(entry);
  }
  return chosen;
}

/** Where nothing is left out, no note says so. */
function needed(entries: readonly Entry[]): number {
  const shown = new Set(entries.map(({ item }) => item));
  return entries.reduce((sum, { item, line, chars }) => {
    const isWhole = item.omitted === 0 && item.children.every((child) => shown.has(child));
    return sum + (isWhole ? line.length + 1 : chars);
  }, 0);
}

function inBreadth(
  roots: readonly Item[],
  { maxNodes, bounds, corner = { x: 0, y: 0 }, isExpanded = false }: OutlineOptions,
): readonly Entry[] {
  const toEntry = (item: Item, depth: number, parent: Entry | undefined): Entry => {
    const line = `${"  ".repeat(depth)}${appLine(item.source.ref, item.source.node, bounds ? corner : undefined)}`;
    const isLeaf = item.omitted === 0 && item.children.length === 0;
    const note = isLeaf ? 0 : moreUnder(item, depth, mostElements).length + 1;
    return { item, line, parent, chars: line.length + 1 + note };
  };
  const entries: Entry[] = [];
  let level = roots.map((item) => toEntry(item, 0, undefined));
  let mostChildren = isExpanded ? maxNodes : childrenPerParent;
  for (let depth = 1; level.length > 0; depth++) {
    entries.push(...level);
    const most = mostChildren;
    level = level.flatMap((parent) =>
      parent.item.children
        .filter((child, index) => index < most || (index < controlsPerParent && hasControl(child)))
        .map((child) => toEntry(child, depth, parent)),
    );
    mostChildren = childrenPerParent;
  }
  return entries;
}

const hasControl = (item: Item): boolean => rankOf(item) === 0 || item.children.some(hasControl);

/** 0 for what can be pressed, set or typed into, 1 for what can be selected or focused, 2 for the rest. */
function rankOf({ source: { node } }: Item): 0 | 1 | 2 {
  if (node.states.includes("focused") || node.actions.some((action) => deeds.has(action))) return 0;
  return node.actions.some((action) => action !== "scroll_into_view") ? 1 : 2;
}

const deeds: ReadonlySet<NodeActionName> = new Set(["press", "toggle", "set_value", "expand", "collapse"]);
