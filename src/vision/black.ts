import type { Pixels } from "../base/frame.ts";

/** Entirely black: a screen that is off, or a window that blocks being captured. */
export function isBlack({ data, format, stride, width, height }: Pixels): boolean {
  const size = format === "rgb" ? 3 : 4;
  for (let y = 0; y < height; y++) {
    for (let at = y * stride; at < y * stride + width * size; at += size) {
      if (data[at] !== 0 || data[at + 1] !== 0 || data[at + 2] !== 0) return false;
    }
  }
  return true;
}
