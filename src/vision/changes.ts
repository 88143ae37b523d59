import type { Pixels } from "../base/frame.ts";
import type { Rect } from "../base/geometry.ts";
import { isFar, tileSide } from "./compare.ts";
import { packed } from "./packed.ts";

export interface ChangesOptions {
  /** Channels may differ by this much before it counts. */
  readonly tolerance?: number;
  /** Text that moved by a fraction of a pixel is drawn with other edges; those do not count. */
  readonly ignoreAntialiasing?: boolean;
  /** Parts that may change, in pixels of the picture. */
  readonly ignore?: readonly Rect[];
}

export interface Changes {
  /** The share of pixels that changed, 0 to 1; ignored parts count as unchanged. */
  readonly ratio: number;
  /** Each changed part, tight around its pixels, in pixels of the picture; the largest first. */
  readonly boxes: readonly Rect[];
}

/** What changed between two pictures of the same size, and where exactly. */
export function findChanges(before: Pixels, after: Pixels, options: ChangesOptions = {}): Changes {
  if (before.width !== after.width || before.height !== after.height) {
    throw new RangeError(
      `A picture of ${before.width}×${before.height} cannot be compared with one of ${after.width}×${after.height}.`,
    );
  }
  const grid = markTiles(new Sides(before, after, options), options.ignore ?? []);
  return { ratio: grid.changed / (before.width * before.height), boxes: boxesOf(grid) };
}

/** Both pictures as 32-bit pixels. */
class Sides {
  readonly width: number;
  readonly height: number;
  readonly #before: Uint32Array;
  readonly #after: Uint32Array;
  readonly #beforeBytes: Buffer;
  readonly #afterBytes: Buffer;
  readonly #tolerance: number;
  readonly #ignoreEdges: boolean;

  constructor(before: Pixels, after: Pixels, { tolerance = 0, ignoreAntialiasing = false }: ChangesOptions) {
    this.width = before.width;
    this.height = before.height;
    this.#before = packed(before);
    this.#after = packed(after);
    this.#beforeBytes = bytesOf(this.#before);
    this.#afterBytes = bytesOf(this.#after);
    this.#tolerance = tolerance;
    this.#ignoreEdges = ignoreAntialiasing;
  }

  isSameRow(y: number): boolean {
    const [from, to] = [y * this.width * 4, (y + 1) * this.width * 4];
    return this.#beforeBytes.compare(this.#afterBytes, from, to, from, to) === 0;
  }

  /** Enters the pixels of a row that changed into the grid, and says how many did. */
  mark(y: number, skipped: readonly Rect[], grid: Int32Array, tileRow: number): number {
    const [before, after, width] = [this.#before, this.#after, this.width];
    const isStrict = this.#tolerance === 0 && !this.#ignoreEdges && skipped.length === 0;
    let changed = 0;
    for (let from = 0, at = y * width, tile = tileRow * 4; from < width; from += tileSide, tile += 4) {
      const to = Math.min(width, from + tileSide);
      let [first, last] = [-1, -1];
      for (let x = from; x < to; x++, at++) {
        if ((((before[at] as number) ^ (after[at] as number)) & 0xffffff) === 0) continue;
        if (!isStrict && !this.#counts(x, y, skipped)) continue;
        if (first < 0) first = x;
        last = x;
        changed++;
      }
      if (first >= 0) extend(grid, tile, first, last, y);
    }
    return changed;
  }

  #counts(x: number, y: number, skipped: readonly Rect[]): boolean {
    if (skipped.some((rect) => x >= rect.x && x < rect.x + rect.width)) return false;
    const at = y * this.width + x;
    const before = this.#before[at] as number;
    const after = this.#after[at] as number;
    if (!isFar(before, after, this.#tolerance)) return false;
    return !this.#ignoreEdges || !(this.#isNear(this.#after, before, x, y) && this.#isNear(this.#before, after, x, y));
  }

  /** Whether the other picture has this colour, or one on either side of it, within a pixel of the place. */
  #isNear(picture: Uint32Array, colour: number, x: number, y: number): boolean {
    for (let shift = 0; shift < 24; shift += 8) {
      let [low, high] = [255, 0];
      for (let row = Math.max(0, y - 1); row <= Math.min(this.height - 1, y + 1); row++) {
        for (let column = Math.max(0, x - 1); column <= Math.min(this.width - 1, x + 1); column++) {
          const value = ((picture[row * this.width + column] as number) >> shift) & 0xff;
          if (value < low) low = value;
          if (value > high) high = value;
        }
      }
      const value = (colour >> shift) & 0xff;
      if (value < low - this.#tolerance || value > high + this.#tolerance) return false;
    }
    return true;
  }
}

const bytesOf = ({ buffer, byteOffset, byteLength }: Uint32Array): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength);

interface Grid {
  readonly columns: number;
  readonly rows: number;
  readonly changed: number;
  /** Per square, the pixels that changed in it: left, top, right, bottom (inclusive); right is -1 where none did. */
  readonly extents: Int32Array;
}

function markTiles(sides: Sides, ignore: readonly Rect[]): Grid {
  const columns = Math.ceil(sides.width / tileSide);
  const rows = Math.ceil(sides.height / tileSide);
  const extents = new Int32Array(columns * rows * 4).fill(-1);
  let changed = 0;
  for (let y = 0; y < sides.height; y++) {
    if (sides.isSameRow(y)) continue;
    const skipped = ignore.filter((rect) => y >= rect.y && y < rect.y + rect.height);
    const tileRow = Math.floor(y / tileSide) * columns;
    changed += sides.mark(y, skipped, extents, tileRow);
  }
  return { columns, rows, changed, extents };
}

function extend(extents: Int32Array, at: number, first: number, last: number, y: number): void {
  const isNew = (extents[at + 2] as number) < 0;
  if (isNew) extents[at + 1] = y;
  if (isNew || first < (extents[at] as number)) extents[at] = first;
  if (last > (extents[at + 2] as number)) extents[at + 2] = last;
  extents[at + 3] = y;
}

/** Neighbouring squares are one change. */
function boxesOf({ columns, rows, extents }: Grid): readonly Rect[] {
  const seen = new Uint8Array(columns * rows);
  const isChanged = (tile: number): boolean => (extents[tile * 4 + 2] as number) >= 0;
  const boxes: Rect[] = [];
  for (let first = 0; first < seen.length; first++) {
    if (seen[first] === 1 || !isChanged(first)) continue;
    let [left, top, right, bottom] = [Infinity, Infinity, -1, -1];
    const open = [first];
    seen[first] = 1;
    for (let tile = open.pop(); tile !== undefined; tile = open.pop()) {
      left = Math.min(left, extents[tile * 4] as number);
      top = Math.min(top, extents[tile * 4 + 1] as number);
      right = Math.max(right, extents[tile * 4 + 2] as number);
      bottom = Math.max(bottom, extents[tile * 4 + 3] as number);
      const column = tile % columns;
      const row = Math.floor(tile / columns);
      for (let y = Math.max(0, row - 1); y <= Math.min(rows - 1, row + 1); y++) {
        for (let x = Math.max(0, column - 1); x <= Math.min(columns - 1, column + 1); x++) {
          const next = y * columns + x;
          if (seen[next] === 1 || !isChanged(next)) continue;
          seen[next] = 1;
          open.push(next);
        }
      }
    }
    boxes.push({ x: left, y: top, width: right - left + 1, height: bottom - top + 1 });
  }
  return boxes.toSorted((a, b) => b.width * b.height - a.width * a.height || a.y - b.y || a.x - b.x);
}
