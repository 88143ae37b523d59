import type { Pixels } from "../base/frame.ts";
import type { ImageRect } from "../base/geometry.ts";
import { packed } from "./packed.ts";

export interface Colours {
  /** The colour of most of it, as #rrggbb. */
  readonly background: string;
  /** What is drawn on it; undefined for a plain surface. */
  readonly text?: string | undefined;
}

// Shades nearer than this are edges of letters, which mix both colours.
const farApart = 60;
// Less than this much of an area is a speck.
const smallestShare = 0.004;

/** The two main colours of a part of a picture. */
export function coloursIn(pixels: Pixels, { x, y, width, height }: ImageRect): Colours | undefined {
  const words = packed(pixels);
  const [left, top] = [Math.max(0, x), Math.max(0, y)];
  const [right, bottom] = [Math.min(pixels.width, x + width), Math.min(pixels.height, y + height)];
  const counts = new Map<number, number>();
  for (let row = top; row < bottom; row++) {
    for (let column = left; column < right; column++) {
      const colour = (words[row * pixels.width + column] as number) & 0xffffff;
      counts.set(colour, (counts.get(colour) ?? 0) + 1);
    }
  }
  const byCount = [...counts].toSorted(([, a], [, b]) => b - a);
  const [most] = byCount;
  if (!most) return undefined;
  const least = smallestShare * (right - left) * (bottom - top);
  const drawn = byCount.find(([colour, count]) => count >= least && distance(colour, most[0]) > farApart);
  return { background: hex(most[0]), ...(drawn ? { text: hex(drawn[0]) } : {}) };
}

const hex = (colour: number): string => `#${colour.toString(16).padStart(6, "0")}`;

function distance(a: number, b: number): number {
  const part = (colour: number, shift: number): number => (colour >> shift) & 0xff;
  return Math.max(...[0, 8, 16].map((shift) => Math.abs(part(a, shift) - part(b, shift))));
}
