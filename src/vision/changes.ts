import type { Pixels } from "../base/frame.ts";
import type { ImageRect, Size } from "../base/geometry.ts";
import { packed } from "./packed.ts";
import { openPixelKernel, type KernelMemory } from "./pixel-kernel.ts";

// The tile size of the pixel kernel.
const tileSide = 8;

export interface ChangesOptions {
  /** Channel differences up to this are ignored. */
  readonly tolerance?: number;
  /** Ignore the different edges of text that moved by a fraction of a pixel. */
  readonly ignoreAntialiasing?: boolean;
  /** Parts that may change, in pixels of the picture. */
  readonly ignore?: readonly ImageRect[];
}

export interface Changes {
  /** The fraction of pixels that changed, 0 to 1; ignored parts count as unchanged. */
  readonly ratio: number;
  /** Each changed part, tight around its pixels, in pixels of the picture, largest first. */
  readonly boxes: readonly ImageRect[];
}

/** What changed between two pictures of the same size, and exactly where. */
export function findChanges(before: Pixels, after: Pixels, options: ChangesOptions = {}): Changes {
  if (before.width !== after.width || before.height !== after.height) {
    throw new RangeError(
      `A picture of ${before.width}×${before.height} cannot be compared with one of ${after.width}×${after.height}.`,
    );
  }
  const isStrict = !options.tolerance && !options.ignoreAntialiasing && (options.ignore ?? []).length === 0;
  const grid = isStrict
    ? compareAll(packed(before), packed(after), before)
    : markTiles(new Sides(before, after, options), options.ignore ?? []);
  return { ratio: grid.changed / (before.width * before.height), boxes: boxesOf(grid) };
}

/** Whether two 32-bit pixels differ by more than the tolerance in a channel. */
function isFar(a: number, b: number, tolerance: number): boolean {
  return (
    Math.abs((a & 0xff) - (b & 0xff)) > tolerance ||
    Math.abs(((a >> 8) & 0xff) - ((b >> 8) & 0xff)) > tolerance ||
    Math.abs(((a >> 16) & 0xff) - ((b >> 16) & 0xff)) > tolerance
  );
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

  /** Marks the changed pixels of a row in the grid, and returns how many there were. */
  mark(y: number, skipped: readonly ImageRect[], grid: Int32Array, tileRow: number): number {
    const [before, after, width] = [this.#before, this.#after, this.width];
    let changed = 0;
    for (let from = 0, at = y * width, tile = tileRow * 4; from < width; from += tileSide, tile += 4) {
      const to = Math.min(width, from + tileSide);
      let [first, last] = [-1, -1];
      for (let x = from; x < to; x++, at++) {
        if ((((before[at] as number) ^ (after[at] as number)) & 0xffffff) === 0) continue;
        if (!this.#counts(x, y, skipped)) continue;
        if (first < 0) first = x;
        last = x;
        changed++;
      }
      if (first >= 0) extend(grid, tile, first, last, y);
    }
    return changed;
  }

  #counts(x: number, y: number, skipped: readonly ImageRect[]): boolean {
    if (skipped.some((rect) => x >= rect.x && x < rect.x + rect.width)) return false;
    const at = y * this.width + x;
    const before = this.#before[at] as number;
    const after = this.#after[at] as number;
    if (!isFar(before, after, this.#tolerance)) return false;
    return !this.#ignoreEdges || !(this.#isNear(this.#after, before, x, y) && this.#isNear(this.#before, after, x, y));
  }

  /** Whether the other picture has this colour, or colours on both sides of it, within one pixel. */
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
  /**
   * Per tile, the bounds of its changed pixels: left, top, right, bottom (inclusive); right is -1 if none changed.
   */
  readonly extents: Int32Array;
}

let scratch: KernelMemory | undefined;

/** The kernel with room for the extents of all tiles, followed by one row of tiles of both pictures. */
function scratchOf(bytes: number): KernelMemory {
  if (!scratch || scratch.buffer.byteLength < bytes) scratch = openPixelKernel(bytes);
  return scratch;
}

/** Finds every differing pixel, one row of tiles at a time. */
function compareAll(before: Uint32Array, after: Uint32Array, { width, height }: Size): Grid {
  const columns = Math.ceil(width / tileSide);
  const rows = Math.ceil(height / tileSide);
  const extentBytes = columns * rows * 16;
  // The kernel reads whole tiles, so it may read a little past the end of the last row.
  const bandBytes = width * tileSide * 4 + 32;
  const { kernel, buffer } = scratchOf(extentBytes + 2 * bandBytes);
  const bytes = Buffer.from(buffer);
  const extents = new Int32Array(buffer, 0, columns * rows * 4).fill(-1);
  const [a, b] = [bytesOf(before), bytesOf(after)];
  let changed = 0;
  for (let row = 0; row < rows; row++) {
    const y = row * tileSide;
    const count = Math.min(tileSide, height - y);
    const [from, to] = [y * width * 4, (y + count) * width * 4];
    if (a.compare(b, from, to, from, to) === 0) continue;
    bytes.set(a.subarray(from, to), extentBytes);
    bytes.set(b.subarray(from, to), extentBytes + bandBytes);
    changed += kernel.differ(extentBytes, extentBytes + bandBytes, width, y, count, row * columns * 16);
  }
  return { columns, rows, changed, extents };
}

function markTiles(sides: Sides, ignore: readonly ImageRect[]): Grid {
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

/** Adjacent changed tiles, and the box of what changed in them; edges are inclusive. */
interface Run {
  readonly first: number;
  readonly last: number;
  left: number;
  top: number;
  right: number;
  bottom: number;
  /** Another run of the same change; itself if it represents the change. */
  host: Run;
}

/** Adjacent tiles, including diagonal ones, are one change. */
function boxesOf({ columns, rows, extents }: Grid): readonly ImageRect[] {
  const all: Run[] = [];
  let above: Run[] = [];
  for (let row = 0; row < rows; row++) {
    const runs = runsOf(extents, row * columns, columns);
    let next = 0;
    for (const run of runs) {
      while (next < above.length && (above[next] as Run).last < run.first - 1) next++;
      for (let i = next; i < above.length && (above[i] as Run).first <= run.last + 1; i++) join(above[i] as Run, run);
    }
    all.push(...runs);
    above = runs;
  }
  return all
    .filter((run) => run.host === run)
    .map(({ left, top, right, bottom }) => ({ x: left, y: top, width: right - left + 1, height: bottom - top + 1 }))
    .toSorted((a, b) => b.width * b.height - a.width * a.height || a.y - b.y || a.x - b.x);
}

function runsOf(extents: Int32Array, from: number, columns: number): Run[] {
  const runs: Run[] = [];
  for (let column = 0; column < columns; column++) {
    if ((extents[(from + column) * 4 + 2] as number) < 0) continue;
    const first = column;
    let [left, top, right, bottom] = [Infinity, Infinity, -1, -1];
    for (; column < columns; column++) {
      const at = (from + column) * 4;
      if ((extents[at + 2] as number) < 0) break;
      left = Math.min(left, extents[at] as number);
      top = Math.min(top, extents[at + 1] as number);
      right = Math.max(right, extents[at + 2] as number);
      bottom = Math.max(bottom, extents[at + 3] as number);
    }
    const run = { first, last: column - 1, left, top, right, bottom } as Run;
    run.host = run;
    runs.push(run);
  }
  return runs;
}

function hostOf(run: Run): Run {
  let host = run;
  while (host.host !== host) host = host.host;
  run.host = host;
  return host;
}

function join(a: Run, b: Run): void {
  const [host, guest] = [hostOf(a), hostOf(b)];
  if (host === guest) return;
  guest.host = host;
  host.left = Math.min(host.left, guest.left);
  host.top = Math.min(host.top, guest.top);
  host.right = Math.max(host.right, guest.right);
  host.bottom = Math.max(host.bottom, guest.bottom);
}
