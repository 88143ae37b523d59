import type { Pixels } from "../base/frame.ts";
import type { ImageRect } from "../base/geometry.ts";

export interface Difference {
  /** The side of a tile in pixels. */
  readonly side: number;
  /** Number of tiles across and down. */
  readonly columns: number;
  readonly rows: number;
  /** One byte per tile, row by row; 1 where a pixel differs. */
  readonly tiles: Uint8Array;
}

/**
 * Where two pictures of the same size differ, in tiles of `side` pixels. Ignores the fourth byte of `bgrx`, in which
 * servers leave anything.
 */
export function compare(a: Pixels, b: Pixels, side: number): Difference {
  if (a.width !== b.width || a.height !== b.height || a.format !== b.format) {
    throw new RangeError(`Pictures of ${a.width}×${a.height} and ${b.width}×${b.height} cannot be compared.`);
  }
  const columns = Math.ceil(a.width / side);
  const rows = Math.ceil(a.height / side);
  const tiles = new Uint8Array(columns * rows);
  const step = a.format === "bgrx" ? 4 : 3;
  const wordsA = words(a);
  const wordsB = words(b);
  for (let y = 0; y < a.height; y++) {
    const tileRow = Math.floor(y / side) * columns;
    if (wordsA && wordsB)
      compareWords(wordsA, wordsB, (y * a.stride) / 4, (y * b.stride) / 4, a.width, side, tileRow, tiles);
    else compareBytes(a.data, b.data, y * a.stride, y * b.stride, a.width, step, side, tileRow, tiles);
  }
  return { side, columns, rows, tiles };
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
  side: number,
  tileRow: number,
  tiles: Uint8Array,
): void {
  for (let x = 0; x < width; x++) {
    if ((((a[fromA + x] as number) ^ (b[fromB + x] as number)) & 0xffffff) === 0) continue;
    tiles[tileRow + Math.floor(x / side)] = 1;
  }
}

function compareBytes(
  a: Uint8Array,
  b: Uint8Array,
  fromA: number,
  fromB: number,
  width: number,
  step: number,
  side: number,
  tileRow: number,
  tiles: Uint8Array,
): void {
  for (let x = 0; x < width; x++) {
    for (let channel = 0; channel < 3; channel++) {
      const at = x * step + channel;
      if (a[fromA + at] !== b[fromB + at]) tiles[tileRow + Math.floor(x / side)] = 1;
    }
  }
}

/** How many columns of pixels differ inside a part of two pictures of the same size. */
export function changedColumns(a: Pixels, b: Pixels, { x, y, width, height }: ImageRect): number {
  const step = a.format === "bgrx" ? 4 : 3;
  const [left, right] = [Math.max(0, Math.floor(x)), Math.min(a.width, Math.ceil(x + width))];
  const [top, bottom] = [Math.max(0, Math.floor(y)), Math.min(a.height, Math.ceil(y + height))];
  const differs = (column: number): boolean => {
    for (let row = top; row < bottom; row++) {
      const [atA, atB] = [row * a.stride + column * step, row * b.stride + column * step];
      for (let channel = 0; channel < 3; channel++) if (a.data[atA + channel] !== b.data[atB + channel]) return true;
    }
    return false;
  };
  let count = 0;
  for (let column = left; column < right; column++) if (differs(column)) count++;
  return count;
}

/** The tiles that differ in `now` but not in `noise`, which is grown by one tile unless told: animations move. */
export function without(now: Difference, noise: Difference | undefined, grown = 1): Difference {
  if (!noise || noise.columns !== now.columns || noise.rows !== now.rows) return now;
  const tiles = Uint8Array.from(now.tiles, (differs, index) => {
    if (differs === 0) return 0;
    const column = index % now.columns;
    const row = Math.floor(index / now.columns);
    for (let y = Math.max(0, row - grown); y <= Math.min(now.rows - 1, row + grown); y++) {
      for (let x = Math.max(0, column - grown); x <= Math.min(now.columns - 1, column + grown); x++) {
        if (noise.tiles[y * now.columns + x] === 1) return 0;
      }
    }
    return 1;
  });
  return { ...now, tiles };
}

/** The tiles that differ in either. */
export function either(a: Difference | undefined, b: Difference | undefined): Difference | undefined {
  if (!a || !b || a.columns !== b.columns || a.rows !== b.rows) return b ?? a;
  return { ...a, tiles: a.tiles.map((tile, index) => tile | (b.tiles[index] ?? 0)) };
}

// Two edges of one moving thing are seldom farther apart than this.
const widestGap = 12;

/** Fills the gaps between changed tiles of a row or column: a solid shape that moves differs only at its edges. */
export function fillGaps({ side, columns, rows, tiles }: Difference): Difference {
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
  return { side, columns, rows, tiles: filled };
}

/** Only the tiles that differ outside these rectangles, which are in pixels of the picture. */
export function outside(difference: Difference, rects: readonly ImageRect[]): Difference {
  const { side, columns, rows } = difference;
  const tiles = difference.tiles.slice();
  for (const { x, y, width, height } of rects) {
    const right = Math.min(columns, Math.ceil((x + width) / side));
    const bottom = Math.min(rows, Math.ceil((y + height) / side));
    for (let row = Math.max(0, Math.floor(y / side)); row < bottom; row++) {
      tiles.fill(
        0,
        row * columns + Math.min(right, Math.max(0, Math.floor(x / side))),
        row * columns + Math.max(0, right),
      );
    }
  }
  return { side, columns, rows, tiles };
}

/** The fraction of tiles that differ inside a rectangle (in pixels of the picture), without its border; 0 to 1. */
export function changedShare({ side, columns, rows, tiles }: Difference, { x, y, width, height }: ImageRect): number {
  const left = Math.max(0, Math.ceil(x / side));
  const right = Math.min(columns, Math.floor((x + width) / side));
  const top = Math.max(0, Math.ceil(y / side));
  const bottom = Math.min(rows, Math.floor((y + height) / side));
  let changed = 0;
  for (let row = top; row < bottom; row++) {
    for (let column = left; column < right; column++) changed += tiles[row * columns + column] ?? 0;
  }
  const all = Math.max(0, right - left) * Math.max(0, bottom - top);
  return all === 0 ? 0 : changed / all;
}

/** The fraction of tiles that differ, 0 to 1. */
export function changedRatio({ tiles }: Difference): number {
  let changed = 0;
  for (const tile of tiles) changed += tile;
  return tiles.length === 0 ? 0 : changed / tiles.length;
}

/** The smallest box of whole tiles around everything that differs, in pixels of the picture. */
export function changedBox({ side, columns, rows, tiles }: Difference): ImageRect | undefined {
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
    x: left * side,
    y: top * side,
    width: (right - left + 1) * side,
    height: (bottom - top + 1) * side,
  };
}
