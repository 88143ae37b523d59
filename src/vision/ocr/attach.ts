import { bandOf, Bands } from "./bands.ts";
import { extend, heightOf, widthOf, type Box, type Chain } from "./chains.ts";
import type { Component } from "./components.ts";

export const gapOf = (a: Box, b: Box): number => Math.max(a.left, b.left) - Math.min(a.right, b.right);
export const overlapOf = (a: Box, b: Box): number => Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);

/** Letters that touched a frame join the line they are in; whatever else is left of the frame is not text. */
export function addLoose(chains: Chain[], loose: readonly Chain[]): void {
  for (const own of loose) {
    const host = chains.find((line) => {
      const height = heightOf(line);
      // A line without descenders may meet one that has them.
      const isLevel = own.top >= line.top - 0.25 * height && own.bottom <= line.bottom + 0.45 * height;
      return isLevel && gapOf(line, own) <= 0.75 * height;
    });
    if (host) for (const part of own.parts) extend(host, part);
    else if (own.parts.length >= 3 && widthOf(own) >= 1.5 * heightOf(own)) chains.push(own);
  }
}

/**
 * Large hollow letters (L, T, O) look like frames, and l and I like their sides; next to letters of their size they
 * are letters.
 */
export function addStems(chains: readonly Chain[], stems: readonly Component[]): void {
  const forth = stems.toSorted((a, b) => a.left - b.left);
  const left = new Set(forth);
  for (const stem of [...forth, ...forth.toReversed()]) {
    if (!left.has(stem)) continue;
    const height = heightOf(stem);
    const line = chains.find((chain) => {
      const ratio = heightOf(chain) / height;
      if (ratio < 0.65 || ratio > 1.6 || gapOf(chain, stem) > 0.35 * height) return false;
      return overlapOf(chain, stem) >= 0.7 * Math.min(heightOf(chain), height);
    });
    if (!line) continue;
    extend(line, stem);
    left.delete(stem);
  }
}

/** Full stops, hyphens, quotation marks and accents belong to the row they touch; alone they are nothing. */
export function addSpecks(chains: readonly Chain[], specks: readonly Component[]): Chain[] {
  const lines = chains.filter((chain) => !isSpeck(chain));
  const small = [...chains.filter(isSpeck).flatMap(({ parts }) => parts), ...specks].sort((a, b) => a.left - b.left);
  const left = new Set(small);
  const bands = new Bands<number>();
  const enter = (index: number, line: Chain) => {
    const reach = speckReach * heightOf(line);
    bands.enter(index, line.top - reach, line.bottom + reach);
  };
  lines.forEach((line, index) => enter(index, line));
  for (const speck of [...small, ...small.toReversed()]) {
    if (!left.has(speck)) continue;
    let first = Infinity;
    for (const index of bands.at(bandOf(speck.top)))
      if (index < first && belongs(speck, lines[index] as Chain)) first = index;
    const line = lines[first];
    if (!line) continue;
    extend(line, speck);
    enter(first, line);
    left.delete(speck);
  }
  return lines;
}

// How far above or below a line a speck may be, in line heights.
const speckReach = 0.35;

/** Too small to be read by itself; a single digit of the smallest font is seven pixels high. */
const isSpeck = (chain: Chain): boolean => heightOf(chain) <= 6 && chain.parts.length <= 2 && widthOf(chain) <= 8;

function belongs(speck: Component, line: Chain): boolean {
  const height = heightOf(line);
  const reach = speckReach * height;
  if (speck.bottom > line.bottom + reach || speck.top < line.top - reach) return false;
  if (widthOf(speck) > 1.5 * height || heightOf(speck) > 0.7 * height || height > 60) return false;
  const gap = gapOf(line, speck);
  if (gap > Math.max(5, 0.5 * height)) return false;
  return gap <= 0 || speck.top >= line.top - 0.15 * height;
}
