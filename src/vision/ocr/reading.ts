import type { ImageRect, RectSpace, SpacedRect } from "../../base/geometry.ts";

export const engine = "PP-OCRv3 latin";

export interface Word<Space extends RectSpace = "image"> {
  readonly text: string;
  /** 0…1. */
  readonly confidence: number;
  readonly box: SpacedRect<Space>;
}

export interface Line<Space extends RectSpace = "image"> {
  readonly text: string;
  readonly confidence: number;
  readonly box: SpacedRect<Space>;
  readonly words: readonly Word<Space>[];
}

export interface Reading {
  readonly lines: readonly Line[];
  readonly engine: string;
  /** False when a limit cut it short. */
  readonly isComplete: boolean;
}

export interface ReadOptions {
  /** Read only what is in this rectangle of the picture. */
  readonly roi?: ImageRect | undefined;
  readonly signal: AbortSignal;
  /** Pixels of the picture per display unit: 1, or 2 on a dense display. */
  readonly scale?: number | undefined;
  /** Return what was read after this time. The next read finds the rest sooner. */
  readonly deadlineMs?: number | undefined;
  readonly maxLines?: number | undefined;
  /** What the picture shows, such as a window; pictures of one view are compared with each other. */
  readonly view?: string | undefined;
}

/** A line composed of its words. */
export function lineOf(words: readonly Word[]): Line {
  const left = Math.min(...words.map(({ box }) => box.x));
  const top = Math.min(...words.map(({ box }) => box.y));
  const right = Math.max(...words.map(({ box }) => box.x + box.width));
  const bottom = Math.max(...words.map(({ box }) => box.y + box.height));
  const letters = words.reduce((sum, { text }) => sum + text.length, 0);
  return {
    text: words.map(({ text }) => text).join(" "),
    confidence: words.reduce((sum, { text, confidence }) => sum + confidence * text.length, 0) / letters,
    box: { x: left, y: top, width: right - left, height: bottom - top },
    words,
  };
}
