import { intersect, type Rect } from "../../base/geometry.ts";
import type { Capture } from "../../platform/backend.ts";

/** The capture with these parts of the screen black. The lent pixels stay as they are: the next capture builds on them. */
export function paintOver(capture: Capture, parts: readonly Rect[], masked: number): Capture {
  const { pixels, bounds } = capture;
  const shown = parts.map((part) => intersect(part, bounds)).filter((part) => part !== undefined);
  if (shown.length === 0) return capture;
  const data = Buffer.from(pixels.data);
  const [across, down] = [pixels.width / bounds.width, pixels.height / bounds.height];
  const size = pixels.format === "rgb" ? 3 : 4;
  for (const { x, y, width, height } of shown) {
    const left = Math.max(0, Math.floor((x - bounds.x) * across));
    const right = Math.min(pixels.width, Math.ceil((x - bounds.x + width) * across));
    const top = Math.max(0, Math.floor((y - bounds.y) * down));
    const bottom = Math.min(pixels.height, Math.ceil((y - bounds.y + height) * down));
    for (let row = top; row < bottom; row++)
      data.fill(0, row * pixels.stride + left * size, row * pixels.stride + right * size);
  }
  return {
    ...capture,
    pixels: { ...pixels, data },
    masked: (capture.masked ?? 0) + masked,
    [Symbol.dispose]: () => capture[Symbol.dispose](),
  };
}
