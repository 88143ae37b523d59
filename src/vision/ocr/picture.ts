import type { ImageRect, Size } from "../../base/geometry.ts";

/** Four bytes per pixel, blue first, rows without gaps. */
export interface Picture extends Size {
  readonly memory: ArrayBuffer;
}

export const wordsOf = ({ memory }: Picture): Uint32Array => new Uint32Array(memory);

/** The brightness of a pixel, 0…255, with the weights of ITU-R BT.601. */
export const lumaOf = (pixel: number): number =>
  ((pixel & 0xff) * 29 + ((pixel >> 8) & 0xff) * 150 + ((pixel >> 16) & 0xff) * 77) >> 8;

export interface Gray extends Size {
  readonly data: Uint8Array;
}

/** The brightness of one rectangle, which must be inside the picture. */
export function grayOf(picture: Picture, { x, y, width, height }: ImageRect): Gray {
  const words = wordsOf(picture);
  const data = new Uint8Array(width * height);
  for (let row = 0; row < height; row++) {
    const from = (y + row) * picture.width + x;
    const to = row * width;
    for (let column = 0; column < width; column++) data[to + column] = lumaOf(words[from + column] as number);
  }
  return { data, width, height };
}

/** Identifies the pixels of a rectangle: two rectangles with the same key show the same. */
export function keyOf(picture: Picture, { x, y, width, height }: ImageRect): string {
  const words = wordsOf(picture);
  let a = 0x811c9dc5;
  let b = 0x9e3779b9;
  for (let row = y; row < y + height; row++) {
    const from = row * picture.width + x;
    for (let at = from; at < from + width; at++) {
      const pixel = (words[at] as number) & 0xffffff;
      a = Math.imul(a ^ pixel, 0x01000193);
      a ^= a >>> 15;
      b = Math.imul(b ^ pixel, 0x85ebca6b);
      b = (b << 13) | (b >>> 19);
    }
  }
  return `${width}x${height}:${(a >>> 0).toString(36)}.${(b >>> 0).toString(36)}`;
}

export function within({ width, height }: Size, rect: ImageRect): ImageRect {
  const x = Math.max(0, rect.x);
  const y = Math.max(0, rect.y);
  return {
    x,
    y,
    width: Math.max(0, Math.min(width, rect.x + rect.width) - x),
    height: Math.max(0, Math.min(height, rect.y + rect.height) - y),
  };
}

export const grow = ({ x, y, width, height }: ImageRect, by: number): ImageRect => ({
  x: x - by,
  y: y - by,
  width: width + 2 * by,
  height: height + 2 * by,
});
