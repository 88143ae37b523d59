import type { Rect } from "../../../base/geometry.ts";
import type { Connection, RequestOptions } from "../x11/connection.ts";
import { getGeometry, getProperty, queryTree, toNumbers, translateCoordinates } from "../x11/requests.ts";

export interface WindowBounds {
  /** The window itself without its border, in root coordinates. */
  readonly client: Rect;
  /**
   * What a person sees as the window: with the window manager's frame, without a shadow that the app draws itself.
   */
  readonly bounds: Rect;
}

/** One round trip. Rejects with an XError when the window is gone. */
export async function getBounds(c: Connection, window: number, options?: RequestOptions): Promise<WindowBounds> {
  const atoms = await c.atoms("_NET_FRAME_EXTENTS", "_GTK_FRAME_EXTENTS");
  const [geometry, origin, frame, shadow] = await Promise.all([
    getGeometry(c, window, options),
    translateCoordinates(c, window, c.root, { x: 0, y: 0 }, options),
    getProperty(c, window, atoms._NET_FRAME_EXTENTS, options),
    getProperty(c, window, atoms._GTK_FRAME_EXTENTS, options),
  ]);
  const client = { x: origin.x, y: origin.y, width: geometry.width, height: geometry.height };
  const border = geometry.borderWidth;
  const bordered = grow(client, [border, border, border, border], 1);
  return { client, bounds: grow(grow(bordered, toNumbers(frame), 1), toNumbers(shadow), -1) };
}

/** Both extents properties list left, right, top, bottom. */
function grow(rect: Rect, extents: readonly number[], sign: 1 | -1): Rect {
  const [left, right, top, bottom] = extents;
  if (left === undefined || right === undefined || top === undefined || bottom === undefined) return rect;
  return {
    x: rect.x - sign * left,
    y: rect.y - sign * top,
    width: Math.max(1, rect.width + sign * (left + right)),
    height: Math.max(1, rect.height + sign * (top + bottom)),
  };
}

/** The ancestor just below the root: the window manager's frame, or the window itself. */
export async function findTopLevel(c: Connection, window: number, options?: RequestOptions): Promise<number> {
  let top = window;
  for (;;) {
    const { parent } = await queryTree(c, top, options);
    if (parent === c.root || parent === 0) return top;
    top = parent;
  }
}
