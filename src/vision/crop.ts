import type { Pixels } from "../base/frame.ts";
import type { ImageRect } from "../base/geometry.ts";

/** A copy of one part, which must lie inside the picture. */
export function crop({ data, format, stride }: Pixels, { x, y, width, height }: ImageRect): Pixels {
  const step = format === "bgrx" ? 4 : 3;
  const part = Buffer.alloc(width * height * step);
  for (let row = 0; row < height; row++) {
    const from = (y + row) * stride + x * step;
    part.set(data.subarray(from, from + width * step), row * width * step);
  }
  return { data: part, format, stride: width * step, width, height };
}
