import { intersect, type ImageRect, type Rect } from "../../base/geometry.ts";
import { toImageRect } from "../view.ts";
import type { GuardedCapture } from "./guarded.ts";

/**
 * The capture with these parts of the screen painted black, in a copy: the next capture builds on the original
 * pixels.
 */
export function paintOver(capture: GuardedCapture, parts: readonly Rect[], masked: number): GuardedCapture {
  const { pixels, bounds } = capture;
  const edge: ImageRect = { x: 0, y: 0, width: pixels.width, height: pixels.height };
  const shown = parts
    .map((part) => intersect(toImageRect({ bounds, image: pixels }, part), edge))
    .filter((part) => part !== undefined);
  if (shown.length === 0) return capture;
  const data = Buffer.from(pixels.data);
  const size = pixels.format === "rgb" ? 3 : 4;
  for (const { x, y, width, height } of shown) {
    for (let row = y; row < y + height; row++)
      data.fill(0, row * pixels.stride + x * size, row * pixels.stride + (x + width) * size);
  }
  return {
    ...capture,
    pixels: { ...pixels, data },
    masked: (capture.masked ?? 0) + masked,
    [Symbol.dispose]: () => capture[Symbol.dispose](),
  };
}
