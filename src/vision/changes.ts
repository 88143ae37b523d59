import type { Pixels } from "../base/frame.ts";
import type { Rect } from "../base/geometry.ts";
import { isFar, tileSide } from "./compare.ts";

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
  readonly #tolerance: number;
  readonly #ignoreEdges: boolean;

  constructor(before: Pixels, after: Pixels, { tolerance = 0, ignoreAntialiasing = false }: ChangesOptions) {
    this.width = before.width;
    this.height = before.height;
    this.#before = packed(before);
    this.#after = packed(after);
    this.#tolerance = tolerance;
    this.#ignoreEdges = ignoreAntialiasing;
  }

  isSameRow(y: number): boolean {
    const from = y * this.width;
    return Buffer.compare(bytes(this.#before, from, this.width), bytes(this.#after, from, this.width)) === 0;
  }

  /** The first and last pixel from `from` to before `to` that changed, and how many did. */
  scan(y: number, from: number, to: number, skipped: readonly Rect[], found: Scan): boolean {
    const row = y * this.width;
    const before = this.#before;
    const after = this.#after;
    const isStrict = this.#tolerance === 0 && !this.#ignoreEdges && skipped.length === 0;
    found.first = -1;
    for (let x = from; x < to; x++) {
      if ((((before[row + x] as number) ^ (after[row + x] as number)) & 0xffffff) === 0) continue;
      if (!isStrict && (skipped.some((rect) => x >= rect.x && x < rect.x + rect.width) || !this.#counts(x, y)))
        continue;
      if (found.first < 0) found.first = x;
      found.last = x;
      found.count++;
    }
    return found.first >= 0;
  }

  #counts(x: number, y: number): boolean {
    const at = y * this.width + x;
    const before = this.#before[at] as number;
    const after = this.#after[at] as number;
    if (!isFar(before, after, this.#tolerance)) return false;
    return !this.#ignoreEdges || !(this.#isNear(this.#after, before, x, y) && this.#isNear(this.#before, after, x, y));
  }

  /** Whether the other picture has this colour, or one on either side of it, within a pixel of the place. */
  #isNear(picture: Uint32Array, colour: number, x: number, y: number): boolean {
    const low = [255, 255, 255];
    const high = [0, 0, 0];
    for (let row = Math.max(0, y - 1); row <= Math.min(this.height - 1, y + 1); row++) {
      for (let column = Math.max(0, x - 1); column <= Math.min(this.width - 1, x + 1); column++) {
        const near = picture[row * this.width + column] as number;
        for (let channel = 0; channel < 3; channel++) {
          const value = (near >> (8 * channel)) & 0xff;
          low[channel] = Math.min(low[channel] as number, value);
          high[channel] = Math.max(high[channel] as number, value);
        }
      }
    }
    return [0, 1, 2].every((channel) => {
      const value = (colour >> (8 * channel)) & 0xff;
      return (
        value >= (low[channel] as number) - this.#tolerance && value <= (high[channel] as number) + this.#tolerance
      );
    });
  }
}

interface Scan {
  first: number;
  last: number;
  count: number;
}

const bytes = (words: Uint32Array, from: number, length: number) =>
  new Uint8Array(words.buffer, words.byteOffset + from * 4, length * 4);

function packed({ data, format, stride, width, height }: Pixels): Uint32Array {
  if (format === "bgrx" && stride === width * 4 && data.byteOffset % 4 === 0) {
    return new Uint32Array(data.buffer, data.byteOffset, width * height);
  }
  const words = new Uint32Array(width * height);
  const step = format === "bgrx" ? 4 : 3;
  // Which side red is on does not matter to a comparison as long as both pictures agree.
  const [low, high] = format === "bgrx" ? [0, 2] : [2, 0];
  for (let y = 0, to = 0; y < height; y++) {
    for (let x = 0, from = y * stride; x < width; x++, from += step) {
      words[to++] =
        (data[from + low] as number) | ((data[from + 1] as number) << 8) | ((data[from + high] as number) << 16);
    }
  }
  return words;
}

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
  const found: Scan = { first: -1, last: -1, count: 0 };
  for (let y = 0; y < sides.height; y++) {
    if (sides.isSameRow(y)) continue;
    const skipped = ignore.filter((rect) => y >= rect.y && y < rect.y + rect.height);
    const tileRow = Math.floor(y / tileSide) * columns;
    for (let column = 0; column < columns; column++) {
      const from = column * tileSide;
      if (!sides.scan(y, from, Math.min(sides.width, from + tileSide), skipped, found)) continue;
      const at = (tileRow + column) * 4;
      const isFirst = (extents[at + 2] as number) < 0;
      if (isFirst) extents[at + 1] = y;
      extents[at] = isFirst ? found.first : Math.min(extents[at] as number, found.first);
      extents[at + 2] = Math.max(extents[at + 2] as number, found.last);
      extents[at + 3] = y;
    }
  }
  return { columns, rows, changed: found.count, extents };
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
