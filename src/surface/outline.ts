import { meaningful, type Item } from "./meaning.ts";
import { appLine, type Corner } from "./snapshot-text.ts";
import type { Snapshot, SnapshotNode } from "./snapshot.ts";

export interface OutlineOptions {
  readonly maxNodes: number;
  readonly maxChars: number;
  /** Show where each element is. */
  readonly bounds: boolean;
  /** Where that is counted from: the corner of a display; else of the screen. */
  readonly corner?: Corner;
  /** The roots were asked for, so their children are shown as far as the budget goes. */
  readonly isExpanded?: boolean;
}

export interface Outline {
  readonly text: string;
  readonly shown: number;
  /** Elements left out for the budget. */
  readonly cut: number;
}

// A container shows this many children before it says "… more"; a list of thousands must not push out the rest.
const childrenPerParent = 40;

/** Of each snapshot the listing made last: the elements of a screen that has not changed are a snapshot already listed. */
const listed = new WeakMap<Snapshot, { readonly options: string; readonly outline: Outline }>();

/**
 * The tree as a model reads it well: one line per element, indented, only what matters. Groups that say nothing are
 * left out and their content moves up. What does not fit is named, with the ref to ask for it.
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

// No tree is read that far.
const mostElements = 999_999;
const longestNote = 60;

/**
 * The lines of the elements to show. Breadth first, so that a budget shows the whole at less depth rather than one
 * corner in full.
 */
function choose(
  roots: readonly Item[],
  { maxNodes, maxChars, bounds, corner = { x: 0, y: 0 }, isExpanded = false }: OutlineOptions,
): ReadonlyMap<Item, string> {
  const chosen = new Map<Item, string>();
  let chars = maxChars - longestNote;
  let level: readonly Item[] = roots;
  let mostChildren = isExpanded ? maxNodes : childrenPerParent;
  for (let depth = 0; level.length > 0; depth++) {
    for (const item of level) {
      const line = `${"  ".repeat(depth)}${appLine(item.source.ref, item.source.node, bounds ? corner : undefined)}`;
      const isLeaf = item.omitted === 0 && item.children.length === 0;
      // What may have to be said in place of its children is paid for at once.
      chars -= line.length + 1 + (isLeaf ? 0 : moreUnder(item, depth, mostElements).length + 1);
      if (chars < 0 || chosen.size >= maxNodes) return chosen;
      chosen.set(item, line);
    }
    const next: Item[] = [];
    for (const item of level) {
      next.push(...item.children.slice(0, mostChildren));
      const isWhole = item.omitted === 0 && item.children.length > 0 && item.children.length <= mostChildren;
      if (isWhole) chars += moreUnder(item, depth, mostElements).length + 1;
    }
    level = next;
    mostChildren = childrenPerParent;
  }
  return chosen;
}
