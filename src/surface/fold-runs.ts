import type { NodeActionName } from "../base/node.ts";
import type { Item } from "./meaning.ts";

/** A place in a listing: an element with what is below it, or a run of elements like those before it. */
export type Entry = Shown | Run;

export interface Shown {
  readonly item: Item;
  readonly entries: readonly Entry[];
}

export interface Run {
  readonly run: readonly Item[];
  /** How many elements repeat together, such as the title, the text and the links of each result. */
  readonly period: number;
  /** Where the run begins among the children of its container. */
  readonly offset: number;
}

interface Folding {
  /** What repeats up to this often stays as it is. */
  readonly longest: number;
  /** How many of what repeats more often are shown. */
  readonly keep: number;
  /** Not only rows: also texts, links, and groups of elements that repeat. */
  readonly isForAll: boolean;
}

/** Folded even where there is room for all of it. */
export const longRows: Folding = { longest: 40, keep: 10, isForAll: false };
export const shortRows: Folding = { longest: 8, keep: 3, isForAll: false };

const foldings: readonly Folding[] = [
  { longest: 40, keep: 5, isForAll: false },
  { longest: 20, keep: 4, isForAll: false },
  { longest: 40, keep: 8, isForAll: true },
  shortRows,
  { longest: 8, keep: 4, isForAll: true },
];
const usualChars = 8_000;

/** Long lists first, and smaller ones only if that is not enough. Who gives more room than usual wants to see more. */
export function foldingsFor(maxChars: number): readonly Folding[] {
  const times = Math.floor(maxChars / usualChars);
  return !hasMuchRoom(maxChars) ? foldings : [{ longest: 40 * times, keep: 20 * times, isForAll: false }, ...foldings];
}

/** Somebody has asked for more than the usual. */
export const hasMuchRoom = (maxChars: number): boolean => maxChars >= 2 * usualChars;

export const unfolded = (items: readonly Item[]): readonly Entry[] =>
  items.map((item) => ({ item, entries: unfolded(item.children) }));

/** What repeats is shown by its first few; what is selected or has the focus stays, too. */
export function foldRuns(items: readonly Item[], folding: Folding): readonly Entry[] {
  const kinds = items.map(kindOf);
  const entries: Entry[] = [];
  for (let start = 0; start < items.length;) {
    const { period, times } = repeats(kinds, start, folding.isForAll ? longestPeriod : 1);
    const run = items.slice(start, start + period * times);
    const mayBe = run.slice(0, period).every((item) => mayFold(item, folding, period));
    const isFolded = mayBe && times > folding.longest;
    // The last of a few equal elements may be the first of what repeats.
    const shown = isFolded || !mayBe ? run : run.slice(0, 1);
    entries.push(...show(shown, isFolded ? { ...folding, period, start } : undefined, folding));
    start += shown.length;
  }
  return entries;
}

// A search result has a title, an address, a text and a few links.
const longestPeriod = 12;
const fewest = 3;

/** What begins here and repeats itself most: how many elements together, and how often. */
function repeats(kinds: readonly string[], start: number, most: number) {
  let best = { period: 1, times: 1 };
  for (let period = 1; period <= most && start + period * fewest <= kinds.length; period++) {
    let end = start + period;
    while (end < kinds.length && kinds[end] === kinds[end - period]) end++;
    const times = Math.floor((end - start) / period);
    if ((period === 1 || times >= fewest) && times * period > best.times * best.period) best = { period, times };
  }
  return best;
}

function show(
  run: readonly Item[],
  fold: { readonly keep: number; readonly period: number; readonly start: number } | undefined,
  folding: Folding,
): readonly Entry[] {
  const shown = (item: Item): Entry => ({ item, entries: foldRuns(item.children, folding) });
  if (!fold) return run.map(shown);
  const { keep, period, start } = fold;
  const first = keep * period;
  const entries: Entry[] = run.slice(0, first).map(shown);
  let from = first;
  const flush = (to: number): void => {
    if (to > from) entries.push({ run: run.slice(from, to), period, offset: start + from });
  };
  for (let index = first; index < run.length; index += period) {
    const group = run.slice(index, index + period);
    if (!group.some(isMarked)) continue;
    flush(index);
    entries.push(...group.map(shown));
    from = index + period;
  }
  flush(run.length);
  return entries;
}

const rows: ReadonlySet<string> = new Set(["row", "listitem", "treeitem", "cell"]);
const isRow = ({ source }: Item): boolean => rows.has(source.node.role);

/** A row of buttons says more than its first few. */
const mayFold = (item: Item, { isForAll }: Folding, period: number): boolean =>
  isRow(item) || (isForAll && (period > 1 || item.source.node.role === "link" || rankOf(item) > 0));

/** Rows are alike whatever is in them; other elements if they contain the same kinds of elements. */
function kindOf(item: Item): string {
  const { node } = item.source;
  const { role, nativeRole } = node;
  if (isRow(item)) return nativeRole;
  const inside = new Set(item.children.map(({ source }) => source.node.role));
  const level = "level" in node ? String(node.level) : "";
  return [role, nativeRole, level, ...[...inside].toSorted()].join(" ");
}

const isMarked = ({ source: { node }, children }: Item): boolean =>
  node.states.includes("focused") || node.states.includes("selected") || children.some(isMarked);

/** 0 for what can be pressed, set or typed into, 1 for what can be selected or focused, 2 for the rest. */
export function rankOf({ source: { node } }: Item): 0 | 1 | 2 {
  if (node.states.includes("focused") || node.actions.some((action) => deeds.has(action))) return 0;
  return node.actions.some((action) => action !== "scroll_into_view") ? 1 : 2;
}

const deeds: ReadonlySet<NodeActionName> = new Set(["press", "toggle", "set_value", "expand", "collapse"]);
