import { bandOf, Bands } from "./bands.ts";
import type { Component } from "./components.ts";

/** A row of letters being built. Edges are [left, right) and [top, bottom). */
export interface Chain {
  left: number;
  top: number;
  right: number;
  bottom: number;
  parts: Component[];
}

/** Anything taller is not a letter; larger text is read from its smaller parts. */
export const tallest = 72;

export const heightOf = (part: { top: number; bottom: number }): number => part.bottom - part.top;
export const widthOf = (part: { left: number; right: number }): number => part.right - part.left;

/** From left to right, each letter joins the nearest row that ends shortly before it at the same height. */
export function chain(letters: readonly Component[]): Chain[] {
  const chains: Chain[] = [];
  const bands = new Bands<Chain>();
  for (const letter of letters.toSorted((a, b) => a.left - b.left || a.top - b.top)) {
    let best: Chain | undefined;
    let bestGap = Infinity;
    for (let at = bandOf(letter.top); at <= bandOf(letter.bottom); at++) {
      for (const line of bands.at(at)) {
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
    // Rows that ended far to the left take no more letters; without this, the time for a dense page would be
    // quadratic.
    bands.enter(best, best.top, best.bottom, (line) => letter.left - line.right > tallest);
  }
  return chains;
}

const toBox = ({ left, top, right, bottom }: Component) => ({ left, top, right, bottom });

export interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

function fits(a: Box, b: Box): boolean {
  const level = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
  if (level < 0) return false;
  const low = Math.min(heightOf(a), heightOf(b));
  const high = Math.max(heightOf(a), heightOf(b));
  const gap = Math.max(a.left, b.left) - Math.min(a.right, b.right);
  const reach = high > 2.2 * low ? 0.3 * low : 0.75 * high;
  return gap <= reach && level >= 0.5 * low;
}

export function extend(line: Chain, part: Component): void {
  line.left = Math.min(line.left, part.left);
  line.top = Math.min(line.top, part.top);
  line.right = Math.max(line.right, part.right);
  line.bottom = Math.max(line.bottom, part.bottom);
  line.parts.push(part);
}

/** Joins rows that grew towards each other, such as one that began with a quotation mark. */
export function mergeChains(chains: Chain[]): Chain[] {
  let lines = chains;
  for (let pass = 0; pass < 4; pass++) {
    const sorted = lines.toSorted((a, b) => a.left - b.left || a.top - b.top);
    const kept: Chain[] = [];
    const bands = new Bands<number>();
    for (const line of sorted) {
      const index = lastHost(kept, bands, line);
      const host = kept[index] ?? line;
      if (host === line) kept.push(line);
      else for (const part of line.parts) extend(host, part);
      bands.enter(index, host.top, host.bottom);
    }
    if (kept.length === lines.length) return kept;
    lines = kept;
  }
  return lines;
}

/** The last row that this one continues; the index after all of them if there is none. */
function lastHost(kept: readonly Chain[], bands: Bands<number>, line: Chain): number {
  let host = -1;
  for (let at = bandOf(line.top); at <= bandOf(line.bottom); at++) {
    for (const index of bands.at(at)) {
      const other = kept[index] as Chain;
      if (index > host && line.left - other.right <= tallest && fits(other, line)) host = index;
    }
  }
  return host < 0 ? kept.length : host;
}
