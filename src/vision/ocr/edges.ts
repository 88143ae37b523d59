import type { Size } from "../../base/geometry.ts";
import { lumaOf, wordsOf, type Picture } from "./picture.ts";

// Two neighbours further apart than this belong to a glyph's border. Lower values see gradients, higher ones lose the
// grey text of disabled controls.
const contrast = 24;

/** Side of the squares in which flat pixels are counted. */
export const cellSide = 32;
// A pixel is flat when it differs from its neighbours by no more than a gradient does.
const flat = 2;

/** Rows that changed, from…to, the last one outside. */
export type RowRange = readonly [from: number, to: number];

/**
 * Where brightness jumps, row by row, at the size text is looked for (`factor` pixels of the picture each way are one
 * here). Kept between pictures: only the rows that changed are computed again, yet what is made of it always covers the
 * whole picture, so an incremental result cannot differ from a full one.
 */
export class EdgeMap implements Size {
  readonly width: number;
  readonly height: number;
  readonly factor: number;
  readonly luma: Uint8Array;
  /** For each row the runs of edge pixels, as first, last, first, last, … */
  readonly runs: Uint16Array[];
  /** Flat pixels of every row, square by square. */
  readonly flats: Uint8Array;
  readonly cellColumns: number;

  constructor(picture: Size, factor: number) {
    this.factor = factor;
    this.width = Math.floor(picture.width / factor);
    this.height = Math.floor(picture.height / factor);
    this.luma = new Uint8Array(this.width * this.height);
    this.cellColumns = Math.ceil(this.width / cellSide);
    this.flats = new Uint8Array(this.cellColumns * this.height);
    this.runs = Array.from({ length: this.height }, () => new Uint16Array(0));
  }

  update(picture: Picture, changed: readonly RowRange[]): void {
    const scratch = new Uint16Array(this.width + 2);
    const rows = changed.map(([from, to]): RowRange => {
      return [Math.floor(from / this.factor), Math.min(this.height, Math.ceil(to / this.factor))];
    });
    const words = wordsOf(picture);
    for (const [from, to] of rows) {
      for (let y = from; y < to; y++) this.#shade(words, picture.width, y);
    }
    let done = 0;
    for (const [from, to] of rows) {
      // A row's edges depend on the row below it too.
      for (let y = Math.max(done, from - 1); y < to; y++) this.runs[y] = this.#findRuns(y, scratch);
      done = to;
    }
  }

  #shade(words: Uint32Array, stride: number, y: number): void {
    const { width, factor, luma } = this;
    const to = y * width;
    if (factor === 1) {
      for (let x = 0; x < width; x++) luma[to + x] = lumaOf(words[y * stride + x] as number);
      return;
    }
    const area = factor * factor;
    for (let x = 0; x < width; x++) {
      let sum = 0;
      for (let row = 0; row < factor; row++) {
        const from = (y * factor + row) * stride + x * factor;
        for (let column = 0; column < factor; column++) sum += lumaOf(words[from + column] as number);
      }
      luma[to + x] = sum / area;
    }
  }

  #findRuns(y: number, scratch: Uint16Array): Uint16Array {
    const { width, luma } = this;
    const at = y * width;
    const below = y + 1 < this.height ? at + width : at;
    let count = 0;
    let isInside = false;
    let flatPixels = 0;
    for (let x = 0; x < width; x++) {
      const here = luma[at + x] as number;
      const right = here - (x + 1 < width ? (luma[at + x + 1] as number) : here);
      const down = here - (luma[below + x] as number);
      if (right <= flat && right >= -flat && down <= flat && down >= -flat) flatPixels++;
      if ((x + 1) % cellSide === 0 || x + 1 === width) {
        this.flats[y * this.cellColumns + Math.floor(x / cellSide)] = flatPixels;
        flatPixels = 0;
      }
      const isEdge = right > contrast || right < -contrast || down > contrast || down < -contrast;
      if (isEdge === isInside) continue;
      isInside = isEdge;
      scratch[count++] = isEdge ? x : x - 1;
    }
    if (isInside) scratch[count++] = width - 1;
    return scratch.slice(0, count);
  }
}
