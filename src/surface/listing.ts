import {
  foldingsFor,
  foldRuns,
  hasMuchRoom,
  longRows,
  rankOf,
  shortRows,
  unfolded,
  type Entry,
  type Run,
  type Shown,
} from "./fold-runs.ts";
import type { Content, Item } from "./meaning.ts";

export interface Outline {
  readonly text: string;
  readonly shown: number;
  /** Elements left out for the budget. */
  readonly cut: number;
  /** Folding what repeats was not enough: some elements are left out although nothing like them is shown. */
  readonly isChosen: boolean;
}

export interface ListingStyle {
  readonly maxNodes: number;
  readonly maxChars: number;
  /** Nothing is folded, and a container shows this many children, more only if they are controls. */
  readonly perParent?: number | undefined;
  readonly indent: string;
  /** The line of an element. */
  readonly write: (item: Item) => string;
  /** What a run consists of. */
  readonly kind: (item: Item) => string;
  /** How to get the rest of a run: its container, if that is listed, and how many children of it to leave out. */
  readonly rest: (ref: string | undefined, offset: number) => string;
  /** How to get what is left out of the whole. */
  readonly wholeRest: string;
  /** Quotes a name from the screen. */
  readonly quote: (name: string) => string;
}

// Deeper levels look the same: the indentation of a very deep tree would take more room than its elements.
const deepest = 20;

/**
 * The elements as lines. If they do not all fit, runs of equal rows are shown by their first few; if that is not enough,
 * controls come first. What is left out is counted, with how to get it.
 */
export function list({ items, omitted }: Content, style: ListingStyle): Outline {
  const lineOf = remembering(style.write);
  const all = items.reduce((sum, item) => sum + weigh(item), omitted);
  const fits = (page: Printed): boolean => page.shown <= style.maxNodes && page.length <= style.maxChars;
  const print = (entries: readonly Entry[], chosen?: ReadonlySet<Item>): Printed =>
    printed(entries, omitted, { ...style, write: lineOf }, chosen);
  const cutDown = (entries: readonly Entry[]): Outline => {
    const places = inBreadth(entries, style.perParent);
    return toOutline(
      chooseLines(places, style, lineOf, (chosen) => print(entries, chosen)),
      true,
    );
  };
  const toOutline = ({ lines: text, shown }: Printed, isChosen: boolean): Outline => ({
    text: text.join("\n"),
    shown,
    cut: all - shown,
    isChosen,
  });
  if (style.perParent !== undefined) return cutDown(unfolded(items));
  // A tree that is far too large is not even written once.
  const whole = all <= style.maxNodes ? print(unfolded(items)) : undefined;
  if (whole && fits(whole)) {
    const short = isWorthFolding(whole, style) ? print(foldRuns(items, longRows)) : whole;
    return toOutline(short.length < whole.length * worthIt ? short : whole, false);
  }
  for (const folding of foldingsFor(style.maxChars)) {
    const folded = print(foldRuns(items, folding));
    if (fits(folded)) return toOutline(folded, false);
  }
  return cutDown(foldRuns(items, shortRows));
}

// Who reads a long table row by row asks for the rest; most want one row of it, or only what is around it.
const worthIt = 0.7;
const shortShare = 0.25;

/** It fits, but takes much of a budget that nobody has raised. */
const isWorthFolding = ({ length }: Printed, { maxChars }: ListingStyle): boolean =>
  length > maxChars * shortShare && !hasMuchRoom(maxChars);

function remembering(write: (item: Item) => string): (item: Item) => string {
  const lines = new Map<Item, string>();
  return (item) => {
    const known = lines.get(item) ?? write(item);
    lines.set(item, known);
    return known;
  };
}

/**
 * The children of one element, from an offset on: as many as fit, since they were asked for, and then where the rest
 * begins. Without the element, the first level.
 */
export function listFrom(
  { items, omitted }: Content,
  { offset, isBelowRoot }: { readonly offset: number; readonly isBelowRoot: boolean },
  style: ListingStyle,
): Outline {
  const write = remembering(style.write);
  const container = isBelowRoot && items.length === 1 ? items[0] : undefined;
  const children = (container?.children ?? items).slice(offset);
  const print = (count: number): Printed => {
    const rest = children.slice(count);
    const entries: readonly Entry[] = [
      ...unfolded(children.slice(0, count)),
      ...(rest.length > 0 ? [{ run: rest, period: 1, offset: offset + count }] : []),
    ];
    const all = container ? [{ item: container, entries }] : entries;
    return printed(all, omitted, { ...style, write });
  };
  const fits = (count: number): boolean => {
    const page = print(count);
    return page.shown <= style.maxNodes && page.length <= style.maxChars;
  };
  let [most, tooMany] = [0, children.length + 1];
  while (tooMany - most > 1) {
    const middle = Math.floor((most + tooMany) / 2);
    if (fits(middle)) most = middle;
    else tooMany = middle;
  }
  // The first of them alone is too large.
  if (most === 0 && children.length > 0) {
    const skipped = container ? [{ ...container, children }] : children;
    return list({ items: skipped, omitted }, style);
  }
  const page = print(most);
  const cut = omitted + (container?.omitted ?? 0) + sizeOf(children.slice(most));
  return { text: page.lines.join("\n"), shown: page.shown, cut, isChosen: false };
}

const weights = new WeakMap<Item, number>();

/** How many elements it is, with all below it. */
function weigh(item: Item): number {
  const known = weights.get(item);
  if (known !== undefined) return known;
  const made = item.children.reduce((sum, child) => sum + weigh(child), 1 + item.omitted);
  weights.set(item, made);
  return made;
}

interface Printed {
  readonly lines: readonly string[];
  readonly length: number;
  readonly shown: number;
}

function printed(entries: readonly Entry[], omitted: number, style: ListingStyle, chosen?: ReadonlySet<Item>): Printed {
  const lines: string[] = [];
  let length = -1;
  let shown = 0;
  const add = (depth: number, text: string): void => {
    const line = `${style.indent.repeat(Math.min(depth, deepest))}${text}`;
    lines.push(line);
    length += line.length + 1;
  };
  /** Returns how many elements it left out without saying so. */
  const visitAll = (list: readonly Entry[], depth: number, parent: Item | undefined): number => {
    let left = 0;
    let isBefore = false;
    for (const entry of list) {
      // It is only written to see that it does not fit.
      if (!chosen && (length > style.maxChars || shown > style.maxNodes)) return 0;
      if ("item" in entry) {
        isBefore = !chosen || chosen.has(entry.item);
        if (isBefore) visit(entry, depth);
        else left += weigh(entry.item);
      } else if (isBefore || !chosen) add(depth, runLine(entry, parent, style));
      // Nothing is shown that it could be like.
      else left += sizeOf(entry.run);
    }
    return left;
  };
  const visit = ({ item, entries: inner }: Shown, depth: number): void => {
    add(depth, style.write(item));
    shown++;
    const more = item.omitted + visitAll(inner, depth + 1, item);
    if (more > 0) add(depth + 1, `… ${more} more under ${item.source.ref}`);
  };
  const besides = omitted + visitAll(entries, 0, undefined);
  if (besides > 0) add(0, `… ${besides} more; ${style.wholeRest}`);
  return { lines, length, shown };
}

const sizeOf = (items: readonly Item[]): number => items.reduce((sum, item) => sum + weigh(item), 0);

/** `row × 1998 more like this: "Item 3" … "Item 2000"; root a2g1 offset 2`, or `… 12 more: …` of several kinds. */
function runLine({ run, period, offset }: Run, parent: Item | undefined, { kind, quote, rest }: ListingStyle): string {
  const kinds = [...new Set(run.map(kind))];
  const isAlike = kinds.length <= period;
  const what = isAlike ? `${kinds.join(", ")} × ${run.length / period} more like this` : `… ${run.length} more`;
  const ends = [run.slice(0, period), run.slice(-period)].map((group) => group.map(nameIn).find((name) => name !== ""));
  const names = [...new Set(ends)].flatMap((name) => (name === undefined ? [] : [quote(name)]));
  const named = names.length === 0 ? "" : `: ${names.join(" … ")}`;
  return `${what}${named}; ${rest(parent?.source.ref, offset)}`;
}

const nameIn = ({ source: { node }, children }: Item): string =>
  node.name || children.map(nameIn).find((name) => name !== "") || "";

/** Controls first, then what can be selected, then the rest; each breadth first, so that no corner is shown in full. */
function chooseLines(
  places: readonly Place[],
  { maxNodes, maxChars, indent }: ListingStyle,
  lineOf: (item: Item) => string,
  print: (chosen: ReadonlySet<Item>) => Printed,
): Printed {
  const ranked = [0, 1, 2].flatMap((rank) => places.filter(({ item }) => rankOf(item) === rank));
  let best = print(new Set());
  // Notes about what is left out take room, too; how many there will be is only known afterwards.
  let room = maxChars;
  for (let turn = 0; turn < mostTurns; turn++) {
    const chosen = choose(ranked, { room, maxNodes, indent, lineOf });
    const page = print(chosen);
    const left = maxChars - page.length;
    if (left >= 0 && page.shown >= best.shown) best = page;
    if (left >= 0 && (left < maxChars / 50 || chosen.size === Math.min(places.length, maxNodes))) break;
    room += left < 0 ? Math.floor(left * 1.1) : Math.floor(left / 2);
  }
  return best;
}

const mostTurns = 8;

interface Place {
  readonly item: Item;
  readonly parent: Place | undefined;
  readonly depth: number;
}

interface Choice {
  readonly room: number;
  readonly maxNodes: number;
  readonly indent: string;
  readonly lineOf: (item: Item) => string;
}

function choose(places: readonly Place[], { room, maxNodes, indent, lineOf }: Choice): ReadonlySet<Item> {
  const chosen = new Set<Item>();
  let left = room;
  for (const place of places) {
    if (left <= 0 || chosen.size >= maxNodes) break;
    const chain: Place[] = [];
    for (let each: Place | undefined = place; each && !chosen.has(each.item); each = each.parent) chain.push(each);
    const chars = chain.reduce(
      (sum, { item, depth }) => sum + lineOf(item).length + 1 + indent.length * Math.min(depth, deepest),
      0,
    );
    if (chars > left || chosen.size + chain.length > maxNodes) continue;
    left -= chars;
    for (const { item } of chain) chosen.add(item);
  }
  return chosen;
}

// The "=" of a calculator is the last of its keys.
const controlsPerParent = 120;

function inBreadth(entries: readonly Entry[], perParent = Number.POSITIVE_INFINITY): readonly Place[] {
  const found: Place[] = [];
  let level = entries
    .filter(isShown)
    .map((shown): Placed => ({ shown, place: { item: shown.item, parent: undefined, depth: 0 } }));
  for (let depth = 1; level.length > 0; depth++) {
    found.push(...level.map(({ place }) => place));
    level = level.flatMap(({ shown, place: parent }) =>
      shown.entries
        .filter(isShown)
        .filter(({ item }, index) => index < perParent || (index < controlsPerParent && hasControl(item)))
        .map((inner) => ({ shown: inner, place: { item: inner.item, parent, depth } })),
    );
  }
  return found;
}

interface Placed {
  readonly shown: Shown;
  readonly place: Place;
}

const hasControl = (item: Item): boolean => rankOf(item) === 0 || item.children.some(hasControl);

const isShown = (entry: Entry): entry is Shown => "item" in entry;
