import type { Pixels } from "../../base/frame.ts";
import type { ImageRect, Size } from "../../base/geometry.ts";
import { EdgeMap, type Edges } from "./edges.ts";
import type { Reading } from "./reading.ts";
import type { Picture } from "./picture.ts";

// Rows are compared this many at a time before they are compared one by one.
const band = 16;

/** The last picture of something that is read repeatedly. */
export class View {
  readonly picture: Picture;
  /** Text is searched at a resolution reduced by this factor. */
  readonly factor: number;
  /** What was read from the current picture; undefined while it is being read. */
  reading: Reading | undefined;
  /** Reads of one view take turns, because they share its memory. */
  turn: Promise<unknown> = Promise.resolve();
  readonly #words: Uint32Array;
  readonly #bytes: Buffer;
  readonly #edges: EdgeMap;
  #isEmpty = true;

  constructor({ width, height }: Size, scale = 1) {
    this.factor = Math.max(1, Math.floor(scale));
    const memory = new ArrayBuffer(width * height * 4);
    this.picture = { memory, width, height };
    this.#words = new Uint32Array(memory);
    this.#bytes = Buffer.from(memory);
    this.#edges = new EdgeMap(this.picture, this.factor);
  }

  get edges(): Edges {
    return this.#edges;
  }

  /** Copies the picture and returns whether it differs from the previous one. */
  update(pixels: Pixels): boolean {
    const changed: [number, number][] = [];
    const { width, height } = this.picture;
    const take = this.#taker(pixels);
    for (let top = 0; top < height; top += band) {
      const bottom = Math.min(height, top + band);
      if (this.#isSameBand(pixels, top, bottom)) continue;
      for (let y = top; y < bottom; y++) {
        if (!take(y, y * width)) continue;
        const last = changed.at(-1);
        if (last && last[1] === y) last[1] = y + 1;
        else changed.push([y, y + 1]);
      }
    }
    const isChanged = this.#isEmpty || changed.length > 0;
    this.#edges.update(this.picture, this.#isEmpty ? [[0, height]] : changed);
    this.#isEmpty = false;
    return isChanged;
  }

  /** Whether the picture shows the same inside the rectangle, which must be inside both. */
  shows(pixels: Pixels, { x, y, width, height }: ImageRect): boolean {
    if (pixels.width !== this.picture.width || pixels.height !== this.picture.height) return false;
    const rows = rowsOf(pixels);
    for (let row = y; row < y + height; row++) {
      const pixelAt = rows(row);
      const from = row * this.picture.width;
      for (let column = x; column < x + width; column++) {
        if (((this.#words[from + column] as number) ^ pixelAt(column)) & 0xffffff) return false;
      }
    }
    return true;
  }

  #isSameBand({ data, format, stride }: Pixels, top: number, bottom: number): boolean {
    const size = this.picture.width * 4;
    if (format !== "bgrx" || stride !== size) return false;
    return this.#bytes.compare(data, top * size, bottom * size, top * size, bottom * size) === 0;
  }

  /** Returns a function that copies a row and returns whether it changed. */
  #taker(pixels: Pixels): (y: number, at: number) => boolean {
    const [own, { width }] = [this.#words, this.picture];
    const words = wordsOf(pixels);
    if (!words) {
      const rows = rowsOf(pixels);
      const row = new Uint32Array(width);
      return (y, at) => {
        const pixelAt = rows(y);
        for (let x = 0; x < width; x++) row[x] = pixelAt(x);
        return takeRow(own, at, row);
      };
    }
    return (y, at) => {
      const from = (y * pixels.stride) / 4;
      return takeRow(own, at, words.subarray(from, from + width));
    };
  }
}

function takeRow(own: Uint32Array, at: number, row: Uint32Array): boolean {
  let x = 0;
  // The fourth byte has no meaning and may change at random.
  while (x < row.length && (((own[at + x] as number) ^ (row[x] as number)) & 0xffffff) === 0) x++;
  own.set(row, at);
  return x < row.length;
}

function wordsOf({ data, format, stride }: Pixels): Uint32Array | undefined {
  if (format !== "bgrx" || data.byteOffset % 4 !== 0 || stride % 4 !== 0) return undefined;
  return new Uint32Array(data.buffer, data.byteOffset, Math.floor(data.byteLength / 4));
}

/** Reads pixels of either format as words, blue lowest. */
function rowsOf(pixels: Pixels): (y: number) => (x: number) => number {
  const { data, format, stride } = pixels;
  if (format === "rgb") {
    return (y) => (x) => {
      const at = y * stride + x * 3;
      return ((data[at] as number) << 16) | ((data[at + 1] as number) << 8) | (data[at + 2] as number);
    };
  }
  const words = wordsOf(pixels);
  if (words) return (y) => (x) => words[(y * stride) / 4 + x] as number;
  return (y) => (x) => {
    const at = y * stride + x * 4;
    return (data[at] as number) | ((data[at + 1] as number) << 8) | ((data[at + 2] as number) << 16);
  };
}

/** A rectangle of a picture as a separate picture, without copying. */
export function cut(pixels: Pixels, { x, y, width, height }: ImageRect): Pixels {
  const step = pixels.format === "rgb" ? 3 : 4;
  return { ...pixels, width, height, data: pixels.data.subarray(y * pixels.stride + x * step) };
}
