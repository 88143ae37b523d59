import type { Rect } from "../../../base/geometry.ts";
import type { BusCallOptions } from "../dbus/method.ts";
import { isNull, optional, type App, type Ref } from "./app.ts";
import { readParent, type Element } from "./element.ts";
import { findGrid, readGrid } from "./grid.ts";
import { pageScaleOf } from "./page-scale.ts";
import { pooled } from "./pool.ts";
import { quirksOf } from "./quirks.ts";

// Rows are rarely lower than this; a probe between two rows hits nothing, so several are made.
const probeOffsets = [3, 12, 24, 40, 64];
/** Column headers are the first children of a table, before any row. */
const firstChildren = 24;

export interface VisibleChildren {
  readonly paths: readonly string[];
  readonly omitted: number;
}

/**
 * The children of a huge container that may be visible: finds the first and the last by asking what is at its
 * corners, then takes all between. Reading five thousand rows to find the thirty on screen takes seconds.
 */
export async function readVisibleChildren(
  app: App,
  container: Element,
  visible: Rect,
  limit: number,
  options: BusCallOptions,
): Promise<VisibleChildren> {
  const hits = await Promise.all(probePoints(visible).map((point) => readAt(app, container.path, point, options)));
  const paths = [...new Set(hits.filter((path) => path !== undefined && path !== container.path))] as string[];
  const indices = await Promise.all(paths.map((path) => indexBelow(app, container.path, path, options)));
  const found = indices.filter((index) => index !== undefined && index >= 0) as number[];
  const grid = await findGrid(app, container, { indices: found, visible }, options);
  if (grid) return readGrid(app, container.path, grid, limit, options);
  const head = Math.min(firstChildren, container.childCount);
  const wanted = new Set<number>(Array.from({ length: head }, (_, index) => index));
  if (found.length > 0) {
    const first = Math.min(...found);
    const last = Math.min(Math.max(...found), first + limit, container.childCount - 1);
    for (let index = first; index <= last; index++) wanted.add(index);
  } else {
    for (let index = head; index < Math.min(limit, container.childCount); index++) wanted.add(index);
  }
  const refs = await pooled([...wanted], (index) => readChild(app, container.path, index, options));
  const children = [...new Set(refs.filter((path) => path !== undefined))] as string[];
  return { paths: children, omitted: Math.max(0, container.childCount - children.length) };
}

function probePoints({ x, y, width, height }: Rect): readonly { x: number; y: number }[] {
  // The last column may be cut off, or be under a scroll bar.
  const columns = [Math.min(8, width / 2), width / 2, width - Math.min(24, width / 2), width - Math.min(3, width / 2)];
  const rows = probeOffsets.filter((offset) => offset < height).flatMap((offset) => [y + offset, y + height - offset]);
  return columns.flatMap((column) => rows.map((row) => ({ x: Math.round(x + column), y: Math.round(row) })));
}

/** What the element reports at a point, in the program's own coordinates. */
export async function readAt(
  app: App,
  path: string,
  point: { readonly x: number; readonly y: number },
  options: BusCallOptions,
): Promise<string | undefined> {
  const scale = await pageScaleOf(app, path, options);
  const values = [Math.round(point.x * scale), Math.round(point.y * scale), quirksOf(app.toolkit).coordinates];
  const reply = await optional(app.call<[Ref]>(path, "Component.GetAccessibleAtPoint", "iiu", values, options));
  return reply && !isNull(reply[0]) && reply[0][0] === app.name ? reply[0][1] : undefined;
}

export async function readChild(
  app: App,
  path: string,
  index: number,
  options: BusCallOptions,
): Promise<string | undefined> {
  const reply = await optional(app.call<[Ref]>(path, "Accessible.GetChildAtIndex", "i", [index], options));
  return reply && !isNull(reply[0]) && reply[0][0] === app.name ? reply[0][1] : undefined;
}

export async function readIndex(app: App, path: string, options: BusCallOptions): Promise<number | undefined> {
  return (await optional(app.call<[number]>(path, "Accessible.GetIndexInParent", "", [], options)))?.[0];
}

/** The index of the container's child that contains `path`; a hit may be deeper than a child. */
async function indexBelow(
  app: App,
  container: string,
  path: string,
  options: BusCallOptions,
): Promise<number | undefined> {
  let current = path;
  for (let depth = 0; depth < 4; depth++) {
    const [parent, index] = await Promise.all([readParent(app, current, options), readIndex(app, current, options)]);
    if (parent === container) return index;
    if (parent === undefined) return undefined;
    current = parent;
  }
  return undefined;
}
