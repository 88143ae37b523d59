import type { Size } from "../../base/geometry.ts";
import { openPixelKernel, strideOf, type PixelKernel } from "../pixel-kernel.ts";
import type { Rows } from "./components.ts";
import type { Picture } from "./picture.ts";

// Neighbours that differ by more than this are the border of a glyph. Lower values pick up gradients, higher ones
// lose the grey text of disabled controls.
const contrast = 24;

/** The side of the squares in which flat pixels are counted. */
export const cellSide = 32;
// A pixel is flat if it differs from its neighbours by no more than a gradient does.
const flat = 2;

/** Rows that changed; `to` is exclusive. */
export type RowRange = readonly [from: number, to: number];

/** Where brightness jumps, at the resolution in which text is searched. */
export interface Edges extends Size {
  readonly runs: Rows;
  /** The number of flat pixels of every row, per square. */
  readonly flats: Uint8Array;
  readonly cellColumns: number;
}

/**
 * The edges of a picture, at one pixel per `factor` × `factor` pixels. Kept between pictures: only the rows that
 * changed are recomputed, but what is derived from it always covers the whole picture, so an incremental result
 * cannot differ from a full one.
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
  /** Memory offsets of brightness, flat pixels, the runs of a row, and rows of the picture and their brightness. */
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
      // A row's edges also depend on the row below it.
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
