import { intersect, type Rect } from "../../../base/geometry.ts";
import type { BusCallOptions } from "../dbus/method.ts";
import { isNull, optional, type App, type Ref } from "./app.ts";
import { readExtents, readStates, type Element } from "./element.ts";
import { hasInterface, hasState, stateBit } from "./names.ts";
import { pooled } from "./pool.ts";
import type { VisibleChildren } from "./visible-range.ts";

/** Rows and columns of a table, the last ones included. */
interface Grid {
  readonly top: number;
  readonly bottom: number;
  readonly left: number;
  readonly right: number;
}

// Headers count as children in some toolkits, so even a table that is shown in full has more of them than cells.
const sparse = 10;

/**
 * The visible part of a table that is much wider than what it shows, from children in its corners. A spreadsheet has
 * thousands of columns, so between the first visible child and the last are mostly cells that nobody sees.
 */
export async function findGrid(
  app: App,
  { path, interfaces }: Element,
  { indices, visible }: { readonly indices: readonly number[]; readonly visible: Rect },
  options: BusCallOptions,
): Promise<Grid | undefined> {
  if (!hasInterface(interfaces, "Table") || indices.length === 0) return undefined;
  const ask = async (method: `${string}.${string}`, index: number): Promise<number> =>
    (await optional(app.call<[number]>(path, method, "i", [index], options)))?.[0] ?? -1;
  const [rows, columns] = await Promise.all([
    Promise.all(indices.map((index) => ask("Table.GetRowAtIndex", index))),
    Promise.all(indices.map((index) => ask("Table.GetColumnAtIndex", index))),
  ]);
  // Headers are children, too, without a row or a column.
  const cells = rows.flatMap((row, at) =>
    row >= 0 && (columns[at] ?? -1) >= 0 ? [{ row, column: columns[at] ?? 0 }] : [],
  );
  if (cells.length === 0) return undefined;
  const grid = {
    top: Math.min(...cells.map(({ row }) => row)),
    bottom: Math.max(...cells.map(({ row }) => row)),
    left: Math.min(...cells.map(({ column }) => column)),
    right: Math.max(...cells.map(({ column }) => column)),
  };
  const isSparse = Math.max(...indices) - Math.min(...indices) >= sparse * sizeOf(grid);
  return isSparse ? widen(app, path, grid, visible, options) : undefined;
}

const sides = { left: -1, right: 1, top: -1, bottom: 1 } as const;
/** More rows or columns than fit between a corner and where it was asked. */
const mostSteps = 60;

/** The corners of a table are often headers or scroll bars, so there are more cells on each side. */
async function widen(app: App, path: string, found: Grid, visible: Rect, options: BusCallOptions): Promise<Grid> {
  let grid = found;
  for (const side of ["left", "right", "top", "bottom"] as const) {
    for (let step = 0; step < mostSteps; step++) {
      const next = grid[side] + sides[side];
      const at =
        side === "left" || side === "right" ? { row: grid.top, column: next } : { row: next, column: grid.left };
      if (next < 0 || !(await isVisible(app, path, at, visible, options))) break;
      grid = { ...grid, [side]: next };
    }
  }
  return grid;
}

async function isVisible(
  app: App,
  table: string,
  at: { readonly row: number; readonly column: number },
  visible: Rect,
  options: BusCallOptions,
): Promise<boolean> {
  const cell = await readCell(app, table, at, options);
  if (cell === undefined) return false;
  const [states, place] = await Promise.all([readStates(app, cell, options), readExtents(app, cell, options)]);
  return (
    states !== undefined &&
    hasState(states, stateBit.showing) &&
    place !== undefined &&
    intersect(place, visible) !== undefined
  );
}

const sizeOf = ({ top, bottom, left, right }: Grid): number => (bottom - top + 1) * (right - left + 1);

/** Its cells, row by row, as many as the limit allows. */
export async function readGrid(
  app: App,
  path: string,
  grid: Grid,
  limit: number,
  options: BusCallOptions,
): Promise<VisibleChildren> {
  const width = grid.right - grid.left + 1;
  const count = Math.min(limit, sizeOf(grid));
  const places = Array.from({ length: count }, (_, at) => [
    grid.top + Math.floor(at / width),
    grid.left + (at % width),
  ]);
  const cells = await pooled(places, ([row = 0, column = 0]) => readCell(app, path, { row, column }, options));
  return {
    paths: [...new Set(cells.filter((cell) => cell !== undefined))] as string[],
    omitted: sizeOf(grid) - count,
  };
}

export async function readCell(
  app: App,
  path: string,
  { row, column }: { readonly row: number; readonly column: number },
  options: BusCallOptions,
): Promise<string | undefined> {
  const reply = await optional(app.call<[Ref]>(path, "Table.GetAccessibleAt", "ii", [row, column], options));
  return reply && !isNull(reply[0]) && reply[0][0] === app.name ? reply[0][1] : undefined;
}
