import type { Pixels } from "../../base/frame.ts";
import type { Rect, Size } from "../../base/geometry.ts";
import type { RowRange } from "./edges.ts";
import type { RowBlock } from "./messages.ts";
import type { Reading } from "./reading.ts";
import type { Picture } from "./picture.ts";

// Rows are compared this many at a time before they are looked at one by one.
const band = 16;

/** The last picture of one thing that is looked at again and again. */
export class View {
  readonly name: string;
  readonly picture: Picture;
  /** What was read from the picture as it is now; undefined while it is being read. */
  reading: Reading | undefined;
  /** Reads of one view take turns, because they share its memory. */
  turn: Promise<unknown> = Promise.resolve();
  readonly #words: Uint32Array;
  readonly #bytes: Buffer;

  constructor(name: string, { width, height }: Size) {
    this.name = name;
    const memory = new ArrayBuffer(width * height * 4);
    this.picture = { memory, width, height };
    this.#words = new Uint32Array(memory);
    this.#bytes = Buffer.from(memory);
  }

  /** Takes the picture over and says which rows differ from the one before. */
  update(pixels: Pixels): RowRange[] {
    const changed: [number, number][] = [];
    const { width, height } = this.picture;
    const rows = rowsOf(pixels);
    for (let top = 0; top < height; top += band) {
      const bottom = Math.min(height, top + band);
      if (this.#isSameBand(pixels, top, bottom)) continue;
      for (let y = top; y < bottom; y++) {
        if (!this.#takeRow(rows(y), y * width)) continue;
        const last = changed.at(-1);
        if (last && last[1] === y) last[1] = y + 1;
        else changed.push([y, y + 1]);
      }
    }
    return changed;
  }

  /** The bytes of some rows, not copied. */
  rows([from, to]: RowRange): RowBlock {
    const size = this.picture.width * 4;
    return { from, data: this.#bytes.subarray(from * size, to * size) };
  }

  /** Whether the picture shows the same inside the rectangle, which must lie inside both. */
  shows(pixels: Pixels, { x, y, width, height }: Rect): boolean {
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

  #takeRow(pixelAt: (x: number) => number, at: number): boolean {
    let isChanged = false;
    for (let x = 0; x < this.picture.width; x++) {
      const pixel = pixelAt(x);
      // The fourth byte has no meaning and may change by itself.
      if ((((this.#words[at + x] as number) ^ pixel) & 0xffffff) !== 0) isChanged = true;
      this.#words[at + x] = pixel;
    }
    return isChanged;
  }
}

/** Reads pixels of either format as words, blue lowest. */
function rowsOf({ data, format, stride }: Pixels): (y: number) => (x: number) => number {
  if (format === "rgb") {
    return (y) => (x) => {
      const at = y * stride + x * 3;
      return ((data[at] as number) << 16) | ((data[at + 1] as number) << 8) | (data[at + 2] as number);
    };
  }
  if (data.byteOffset % 4 === 0 && stride % 4 === 0) {
    const words = new Uint32Array(data.buffer, data.byteOffset, Math.floor(data.byteLength / 4));
    return (y) => (x) => words[(y * stride) / 4 + x] as number;
  }
  return (y) => (x) => {
    const at = y * stride + x * 4;
    return (data[at] as number) | ((data[at + 1] as number) << 8) | ((data[at + 2] as number) << 16);
  };
}

/** A rectangle of a picture as a picture of its own, without copying. */
export function cut(pixels: Pixels, { x, y, width, height }: Rect): Pixels {
  const step = pixels.format === "rgb" ? 3 : 4;
  return { ...pixels, width, height, data: pixels.data.subarray(y * pixels.stride + x * step) };
}
