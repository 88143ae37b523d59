import type { ImageRect } from "../../base/geometry.ts";
import type { Gray } from "./picture.ts";
import type { Recognised } from "./recognise.ts";

/** Text that runs up is upright after a turn to the right, and text that runs down after one to the left. */
export const turns = ["right", "left"] as const;
export type Turn = (typeof turns)[number];

export function turned({ data, width, height }: Gray, turn: Turn): Gray {
  const result = new Uint8Array(data.length);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const to = turn === "right" ? x * height + (height - 1 - y) : (width - 1 - x) * height + y;
      result[to] = data[y * width + x] as number;
    }
  }
  return { data: result, width: height, height: width };
}

/** What was read in a turned picture, with boxes in the picture as it was. */
export function turnedBack(read: Recognised, { width, height }: ImageRect, turn: Turn): Recognised {
  const place = (box: ImageRect): ImageRect => ({
    x: turn === "right" ? box.y : width - box.y - box.height,
    y: turn === "right" ? height - box.x - box.width : box.x,
    width: box.height,
    height: box.width,
  });
  return { ...read, words: read.words.map((word) => ({ ...word, box: place(word.box) })) };
}

// Letters above each other that do not lie on their side are read as something, but with doubts.
const surest = 0.85;
const fewestLetters = 3;

/** The better of both, if it is text at all. */
export function upright(reads: readonly Recognised[]): Recognised | undefined {
  const letters = ({ text }: Recognised): number => text.replaceAll(/[^\p{L}\p{N}]/gu, "").length;
  return reads
    .filter((read) => read.confidence >= surest && letters(read) >= fewestLetters)
    .toSorted((a, b) => b.confidence - a.confidence)[0];
}
