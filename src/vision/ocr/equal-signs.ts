import { gapOf, overlapOf } from "./attach.ts";
import { heightOf, widthOf, type Chain } from "./chains.ts";
import type { Component } from "./components.ts";

const narrowest = 5;
const widest = 20;

/** Two strokes above each other that are in no line, as on the key of a calculator. */
export function findEqualSigns(specks: readonly Component[], lines: readonly Chain[]): Chain[] {
  const strokes = specks
    .filter((speck) => widthOf(speck) >= narrowest && widthOf(speck) <= widest)
    .toSorted((a, b) => a.left - b.left);
  return strokes.flatMap((upper, index): Chain[] => {
    const alike = besides(strokes, index).filter(
      ({ right, top }) => Math.abs(right - upper.right) <= 1 && Math.abs(top - upper.top) <= widthOf(upper),
    );
    const [lower] = alike;
    // Three strokes are the sign of a menu.
    if (!lower || alike.length > 1 || lower.top <= upper.bottom) return [];
    const { left, top, right } = upper;
    const sign: Chain = { left, top, right, bottom: lower.bottom, parts: [upper, lower] };
    return lines.some((line) => gapOf(line, sign) <= heightOf(line) && overlapOf(line, sign) > 0) ? [] : [sign];
  });
}

/** The other strokes that begin in the same column, or next to it. */
function besides(strokes: readonly Component[], index: number): readonly Component[] {
  const { left } = strokes[index] as Component;
  let [from, to] = [index, index + 1];
  while (from > 0 && left - (strokes[from - 1] as Component).left <= 1) from--;
  while (to < strokes.length && (strokes[to] as Component).left - left <= 1) to++;
  return [...strokes.slice(from, index), ...strokes.slice(index + 1, to)];
}
