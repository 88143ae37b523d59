import type { Pixels } from "../base/frame.ts";

/** The pixels as 32-bit words, blue lowest; the highest byte has no meaning and may change at random. */
export function packed({ data, format, stride, width, height }: Pixels): Uint32Array {
  if (format === "bgrx" && stride === width * 4 && data.byteOffset % 4 === 0) {
    return new Uint32Array(data.buffer, data.byteOffset, width * height);
  }
  const words = new Uint32Array(width * height);
  const step = format === "bgrx" ? 4 : 3;
  const [low, high] = format === "bgrx" ? [0, 2] : [2, 0];
  for (let y = 0, to = 0; y < height; y++) {
    for (let x = 0, from = y * stride; x < width; x++, from += step) {
      words[to++] =
        (data[from + low] as number) | ((data[from + 1] as number) << 8) | ((data[from + high] as number) << 16);
    }
  }
  return words;
}
