import type { Component } from "./components.ts";

/** A row of letters in the making. Edges are [left, right) and [top, bottom). */
export interface Chain {
  left: number;
  top: number;
  right: number;
  bottom: number;
  parts: Component[];
}

/** Taller than this is no letter; text of that size is read from the parts that are smaller. */
export const tallest = 72;

export const heightOf = (part: { top: number; bottom: number }): number => part.bottom - part.top;
export const widthOf = (part: { left: number; right: number }): number => part.right - part.left;

/** Rows are found through the bands of the picture they cross. */
const band = 16;

/** From left to right, each letter joins the nearest row that ends close before it at the same height. */
export function chain(letters: readonly Component[]): Chain[] {
  const chains: Chain[] = [];
  const bands = new Map<number, Chain[]>();
  for (const letter of letters.toSorted((a, b) => a.left - b.left || a.top - b.top)) {
    let best: Chain | undefined;
    let bestGap = Infinity;
    for (let at = Math.floor(letter.top / band); at <= Math.floor(letter.bottom / band); at++) {
      for (const line of bands.get(at) ?? []) {
        const gap = letter.left - line.right;
        if (gap < bestGap && fits(line, letter)) {
          best = line;
          bestGap = gap;
        }
      }
    }
    if (best) extend(best, letter);
    else {
      best = { ...toBox(letter), parts: [letter] };
      chains.push(best);
    }
    for (let at = Math.floor(best.top / band); at <= Math.floor(best.bottom / band); at++) {
      const crossing = bands.get(at);
      if (!crossing) bands.set(at, [best]);
      else if (!crossing.includes(best)) prune(crossing, letter.left).push(best);
    }
  }
  return chains;
}

/** Rows that ended far left take no more letters; without this a dense page costs the square of its letters. */
function prune(crossing: Chain[], left: number): Chain[] {
  if (crossing.length < 24) return crossing;
  const open = crossing.filter((line) => left - line.right <= tallest);
  if (open.length < crossing.length) crossing.splice(0, crossing.length, ...open);
  return crossing;
}

const toBox = ({ left, top, right, bottom }: Component) => ({ left, top, right, bottom });

export interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

function fits(a: Box, b: Box): boolean {
  const low = Math.min(heightOf(a), heightOf(b));
  const high = Math.max(heightOf(a), heightOf(b));
  const gap = Math.max(a.left, b.left) - Math.min(a.right, b.right);
  const reach = high > 2.2 * low ? 0.3 * low : 0.75 * high;
  if (gap > reach) return false;
  return Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) >= 0.5 * low;
}

export function extend(line: Chain, part: Component): void {
  line.left = Math.min(line.left, part.left);
  line.top = Math.min(line.top, part.top);
  line.right = Math.max(line.right, part.right);
  line.bottom = Math.max(line.bottom, part.bottom);
  line.parts.push(part);
}

/** Rows that grew towards each other, such as one begun by a quotation mark. */
export function mergeChains(chains: Chain[]): Chain[] {
  let lines = chains;
  for (let pass = 0; pass < 4; pass++) {
    const sorted = lines.toSorted((a, b) => a.left - b.left || a.top - b.top);
    const kept: Chain[] = [];
    const bands = new Map<number, number[]>();
    for (const line of sorted) {
      const index = lastHost(kept, bands, line);
      const host = kept[index] ?? line;
      if (host === line) kept.push(line);
      else for (const part of line.parts) extend(host, part);
      for (let at = Math.floor(host.top / band); at <= Math.floor(host.bottom / band); at++) {
        const crossing = bands.get(at);
        if (!crossing) bands.set(at, [index]);
        else if (!crossing.includes(index)) crossing.push(index);
      }
    }
    if (kept.length === lines.length) return kept;
    lines = kept;
  }
  return lines;
}

/** The last of the rows this one continues; the place after all of them when there is none. */
function lastHost(kept: readonly Chain[], bands: ReadonlyMap<number, readonly number[]>, line: Chain): number {
  let host = -1;
  for (let at = Math.floor(line.top / band); at <= Math.floor(line.bottom / band); at++) {
    for (const index of bands.get(at) ?? []) {
      const other = kept[index] as Chain;
      if (index > host && line.left - other.right <= tallest && fits(other, line)) host = index;
    }
  }
  return host < 0 ? kept.length : host;
}
