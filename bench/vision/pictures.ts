import type { Pixels } from "../../src/base/frame.ts";
import type { ImageRect } from "../../src/base/geometry.ts";

export const clone = (pixels: Pixels): Pixels => ({ ...pixels, data: Uint8Array.from(pixels.data) });

/** As an X server gives it: four bytes per pixel, blue first. */
export function asCaptured({ data, width, height, stride }: Pixels): Pixels {
  const words = new Uint32Array(width * height);
  for (let at = 0; at < words.length; at++) {
    const from = Math.floor(at / width) * stride + (at % width) * 3;
    words[at] = ((data[from] as number) << 16) | ((data[from + 1] as number) << 8) | (data[from + 2] as number);
  }
  return { data: new Uint8Array(words.buffer), width, height, stride: width * 4, format: "bgrx" };
}

const stepOf = ({ format }: Pixels): number => (format === "rgb" ? 3 : 4);

/** Makes pixels nobody has seen that look the same: the lowest bits of a rectangle count the rounds. */
export function touch(pixels: Pixels, { x, y, width, height }: ImageRect, round: number, strength = 1): Pixels {
  const step = stepOf(pixels);
  for (let row = 0; row < height; row++) {
    for (let column = 0; column < width; column++) {
      const at = (y + row) * pixels.stride + (x + column) * step + (column % 2);
      if ((round >> ((column + row) % 8)) & 1) pixels.data[at] = (pixels.data[at] as number) ^ strength;
    }
  }
  return pixels;
}

/** Pixels nobody has seen that look the same: everything is a shade lighter or darker in one of its colours. */
export function tint(pixels: Pixels, round: number): Pixels {
  const step = stepOf(pixels);
  const [channel, by] = [round % 3, 1 + Math.floor(round / 3)];
  for (let at = channel; at < pixels.data.length; at += step) {
    const value = pixels.data[at] as number;
    pixels.data[at] = value > 127 ? value - by : value + by;
  }
  return pixels;
}

/** The picture repeated below itself, or its upper part. */
export function stack(pixels: Pixels, times: number): Pixels {
  const height = Math.round(pixels.height * times);
  const data = new Uint8Array(height * pixels.stride);
  for (let at = 0; at < data.length; at += pixels.data.length) {
    data.set(pixels.data.subarray(0, data.length - at), at);
  }
  return { ...pixels, data, height };
}

/** Copies a rectangle of another picture of the same format over this one. */
export function paste(
  pixels: Pixels,
  to: ImageRect,
  other: Pixels,
  from: { readonly x: number; readonly y: number },
): Pixels {
  const step = stepOf(pixels);
  for (let row = 0; row < to.height; row++) {
    const start = (from.y + row) * other.stride + from.x * step;
    pixels.data.set(other.data.subarray(start, start + to.width * step), (to.y + row) * pixels.stride + to.x * step);
  }
  return pixels;
}

/** Moves what is in a rectangle up. */
export function scroll(pixels: Pixels, area: ImageRect, by: number): Pixels {
  return paste(pixels, { ...area, height: area.height - by }, clone(pixels), { x: area.x, y: area.y + by });
}
