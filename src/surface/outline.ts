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

/**
 * The lines to show. Breadth first, so that a small budget shows everything at less depth rather than one corner in
 * full.
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
      // Reserves room now for the "… more" note that may replace its children.
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
