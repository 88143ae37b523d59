import type { Size } from "../../base/geometry.ts";
import { openPixelKernel, strideOf, type PixelKernel } from "../pixel-kernel.ts";
import type { Rows } from "./components.ts";
import type { Picture } from "./picture.ts";

// Two neighbours further apart than this belong to a glyph's border. Lower values see gradients, higher ones lose the
// grey text of disabled controls.
const contrast = 24;

/** Side of the squares in which flat pixels are counted. */
export const cellSide = 32;
// A pixel is flat when it differs from its neighbours by no more than a gradient does.
const flat = 2;

/** Rows that changed, from…to, the last one outside. */
export type RowRange = readonly [from: number, to: number];

/** Where brightness jumps, at the size text is looked for. */
export interface Edges extends Size {
  readonly runs: Rows;
  /** Flat pixels of every row, square by square. */
  readonly flats: Uint8Array;
  readonly cellColumns: number;
}

/**
 * The edges of a picture, `factor` pixels of which are one here each way. Kept between pictures: only the rows that
 * changed are computed again, yet what is made of it always covers the whole picture, so an incremental result cannot
 * differ from a full one.
 */
export class EdgeMap implements Edges {
  readonly width: number;
  readonly height: number;
  readonly runs: Uint16Array[];
  readonly flats: Uint8Array;
  readonly cellColumns: number;
  readonly #factor: number;
  readonly #kernel: PixelKernel;
  readonly #bytes: Uint8Array;
  readonly #found: Uint16Array;
  /** Where in the memory brightness, flat pixels, the runs of a row, and rows of the picture and their brightness lie. */
  readonly #at: { readonly flats: number; readonly found: number; readonly source: number; readonly shades: number };
  readonly #stride: number;
  readonly #sourceStride: number;

  constructor(picture: Size, factor: number) {
    this.#factor = factor;
    this.width = Math.floor(picture.width / factor);
    this.height = Math.floor(picture.height / factor);
    this.cellColumns = Math.ceil(this.width / cellSide);
    this.runs = Array.from({ length: this.height }, () => new Uint16Array(0));
    this.#stride = strideOf(this.width);
    this.#sourceStride = strideOf(picture.width);
    const flats = this.#stride * (this.height + 1);
    const found = 16 * Math.ceil((flats + this.cellColumns * this.height) / 16);
    const source = found + 2 * this.#stride;
    const shades = source + 4 * this.#sourceStride;
    this.#at = { flats, found, source, shades };
    const { kernel, buffer } = openPixelKernel(shades + factor * this.#sourceStride);
    this.#kernel = kernel;
    this.#bytes = new Uint8Array(buffer);
    this.#found = new Uint16Array(buffer, found, this.#stride);
    this.flats = new Uint8Array(buffer, flats, this.cellColumns * this.height);
  }

  update(picture: Picture, changed: readonly RowRange[]): void {
    const rows = changed.map(([from, to]): RowRange => {
      return [Math.floor(from / this.#factor), Math.min(this.height, Math.ceil(to / this.#factor))];
    });
    const pixels = new Uint8Array(picture.memory);
    for (const [from, to] of rows) {
      for (let y = from; y < to; y++) this.#shade(pixels, picture.width, y);
    }
    let done = 0;
    for (const [from, to] of rows) {
      // A row's edges depend on the row below it too.
      for (let y = Math.max(done, from - 1); y < to; y++) this.runs[y] = this.#findRuns(y);
      done = to;
    }
  }

  #shade(pixels: Uint8Array, width: number, y: number): void {
    const [factor, kernel, to] = [this.#factor, this.#kernel, y * this.#stride];
    const { source, shades } = this.#at;
    for (let row = 0; row < factor; row++) {
      const from = (y * factor + row) * width * 4;
      this.#bytes.set(pixels.subarray(from, from + width * 4), source);
      kernel.shade(source, width, factor === 1 ? to : shades + row * this.#sourceStride);
    }
    if (factor > 1) kernel.shrink(shades, this.#sourceStride, this.width, factor, to);
  }

  #findRuns(y: number): Uint16Array {
    const { flats, found } = this.#at;
    const row = y * this.#stride;
    const below = y + 1 < this.height ? row + this.#stride : row;
    const cells = flats + y * this.cellColumns;
    const count = this.#kernel.edges(row, below, this.width, contrast, flat, cells, found);
    return this.#found.slice(0, count);
  }
}
