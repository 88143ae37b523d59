import type { Pixels } from "../base/frame.ts";
import type { Rect } from "../base/geometry.ts";

/** Pictures are compared in squares of this side: small enough to tell a caret from a line of text. */
export const tileSide = 8;

export interface Difference {
  /** Squares across and down. */
  readonly columns: number;
  readonly rows: number;
  /** One byte per square, row by row; 1 where a pixel differs. */
  readonly tiles: Uint8Array;
}

/**
 * Where two pictures of the same size differ. The fourth byte of `bgrx` is ignored: servers leave anything there.
 * Channels may differ by `tolerance` before it counts.
 */
export function compare(a: Pixels, b: Pixels, tolerance = 0): Difference {
  if (a.width !== b.width || a.height !== b.height || a.format !== b.format) {
    throw new RangeError(`Pictures of ${a.width}×${a.height} and ${b.width}×${b.height} cannot be compared.`);
  }
  const columns = Math.ceil(a.width / tileSide);
  const rows = Math.ceil(a.height / tileSide);
  const tiles = new Uint8Array(columns * rows);
  const step = a.format === "bgrx" ? 4 : 3;
  const wordsA = words(a);
  const wordsB = words(b);
  for (let y = 0; y < a.height; y++) {
    const tileRow = Math.floor(y / tileSide) * columns;
    if (wordsA && wordsB)
      compareWords(wordsA, wordsB, (y * a.stride) / 4, (y * b.stride) / 4, a.width, tileRow, tiles, tolerance);
    else compareBytes(a.data, b.data, y * a.stride, y * b.stride, a.width, step, tileRow, tiles, tolerance);
  }
  return { columns, rows, tiles };
}

function words({ data, stride, format }: Pixels): Uint32Array | undefined {
  if (format !== "bgrx" || data.byteOffset % 4 !== 0 || stride % 4 !== 0) return undefined;
  return new Uint32Array(data.buffer, data.byteOffset, Math.floor(data.byteLength / 4));
}

function compareWords(
  a: Uint32Array,
  b: Uint32Array,
  fromA: number,
  fromB: number,
  width: number,
  tileRow: number,
  tiles: Uint8Array,
  tolerance: number,
): void {
  for (let x = 0; x < width; x++) {
    const before = a[fromA + x] as number;
    const after = b[fromB + x] as number;
    if (((before ^ after) & 0xffffff) === 0) continue;
    if (tolerance === 0 || isFar(before, after, tolerance)) tiles[tileRow + (x >> 3)] = 1;
  }
}

/** Whether two 32-bit pixels differ by more than the tolerance in a channel. */
export function isFar(a: number, b: number, tolerance: number): boolean {
  return (
    Math.abs((a & 0xff) - (b & 0xff)) > tolerance ||
    Math.abs(((a >> 8) & 0xff) - ((b >> 8) & 0xff)) > tolerance ||
    Math.abs(((a >> 16) & 0xff) - ((b >> 16) & 0xff)) > tolerance
  );
}

function compareBytes(
  a: Uint8Array,
  b: Uint8Array,
  fromA: number,
  fromB: number,
  width: number,
  step: number,
  tileRow: number,
  tiles: Uint8Array,
  tolerance: number,
): void {
  for (let x = 0; x < width; x++) {
    for (let channel = 0; channel < 3; channel++) {
      const at = x * step + channel;
      if (Math.abs((a[fromA + at] as number) - (b[fromB + at] as number)) > tolerance) tiles[tileRow + (x >> 3)] = 1;
    }
  }
}

/** The squares that differ in `now` but not in `noise`, noise grown by one square: an animation moves about. */
export function without(now: Difference, noise: Difference | undefined): Difference {
  if (!noise || noise.columns !== now.columns || noise.rows !== now.rows) return now;
  const tiles = Uint8Array.from(now.tiles, (differs, index) => {
    if (differs === 0) return 0;
    const column = index % now.columns;
    const row = Math.floor(index / now.columns);
    for (let y = Math.max(0, row - 1); y <= Math.min(now.rows - 1, row + 1); y++) {
      for (let x = Math.max(0, column - 1); x <= Math.min(now.columns - 1, column + 1); x++) {
        if (noise.tiles[y * now.columns + x] === 1) return 0;
      }
    }
    return 1;
  });
  return { ...now, tiles };
}

/** The squares that differ in either. */
export function either(a: Difference | undefined, b: Difference | undefined): Difference | undefined {
  if (!a || !b || a.columns !== b.columns || a.rows !== b.rows) return b ?? a;
  return { ...a, tiles: a.tiles.map((tile, index) => tile | (b.tiles[index] ?? 0)) };
}

// Two edges of one moving thing are seldom further apart than this.
const widestGap = 12;

/** Fills what lies between changed squares of a row or column: a solid shape that moves differs only at its edges. */
export function fillGaps({ columns, rows, tiles }: Difference): Difference {
  const filled = tiles.slice();
  const line = (length: number, at: (index: number) => number): void => {
    let last = -1;
    for (let index = 0; index < length; index++) {
      if (tiles[at(index)] === 0) continue;
      if (last >= 0 && index - last <= widestGap) for (let gap = last + 1; gap < index; gap++) filled[at(gap)] = 1;
      last = index;
    }
  };
  for (let row = 0; row < rows; row++) line(columns, (column) => row * columns + column);
  for (let column = 0; column < columns; column++) line(rows, (row) => row * columns + column);
  return { columns, rows, tiles: filled };
}

/** Only the squares that differ outside these rectangles, which are in pixels of the picture. */
export function outside(difference: Difference, rects: readonly Rect[]): Difference {
  const { columns, rows } = difference;
  const tiles = difference.tiles.slice();
  for (const { x, y, width, height } of rects) {
    const right = Math.min(columns, Math.ceil((x + width) / tileSide));
    const bottom = Math.min(rows, Math.ceil((y + height) / tileSide));
    for (let row = Math.max(0, Math.floor(y / tileSide)); row < bottom; row++) {
      tiles.fill(
        0,
        row * columns + Math.min(right, Math.max(0, Math.floor(x / tileSide))),
        row * columns + Math.max(0, right),
      );
    }
  }
  return { columns, rows, tiles };
}

/** The share of squares inside a rectangle (in pixels of the picture), its rim left out, that differ; 0 to 1. */
export function changedShare({ columns, rows, tiles }: Difference, { x, y, width, height }: Rect): number {
  const left = Math.max(0, Math.ceil(x / tileSide));
  const right = Math.min(columns, Math.floor((x + width) / tileSide));
  const top = Math.max(0, Math.ceil(y / tileSide));
  const bottom = Math.min(rows, Math.floor((y + height) / tileSide));
  let changed = 0;
  for (let row = top; row < bottom; row++) {
    for (let column = left; column < right; column++) changed += tiles[row * columns + column] ?? 0;
  }
  const all = Math.max(0, right - left) * Math.max(0, bottom - top);
  return all === 0 ? 0 : changed / all;
}

/** The share of squares that differ, 0 to 1. */
export function changedRatio({ tiles }: Difference): number {
  let changed = 0;
  for (const tile of tiles) changed += tile;
  return tiles.length === 0 ? 0 : changed / tiles.length;
}

/** The smallest box of whole squares around everything that differs, in pixels of the picture. */
export function changedBox({ tiles, columns, rows }: Difference): Rect | undefined {
  let [left, top, right, bottom] = [columns, rows, -1, -1];
  for (let index = 0; index < tiles.length; index++) {
    if (tiles[index] === 0) continue;
    const column = index % columns;
    const row = Math.floor(index / columns);
    left = Math.min(left, column);
    right = Math.max(right, column);
    top = Math.min(top, row);
    bottom = Math.max(bottom, row);
  }
  if (right < 0) return undefined;
  return {
    x: left * tileSide,
    y: top * tileSide,
    width: (right - left + 1) * tileSide,
    height: (bottom - top + 1) * tileSide,
  };
}
