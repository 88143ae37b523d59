import { intersect, type Rect } from "../../../base/geometry.ts";
import { redirectAll } from "../capture/off-screen.ts";
import { getRootBounds } from "../capture/monitors.ts";
import { shmPool } from "../capture/transfer.ts";
import type { Picture } from "../capture/window-picture.ts";
import type { Connection, RequestOptions } from "../x11/connection.ts";
import { copyArea, createContext } from "../x11/drawing.ts";
import { namePixmap } from "../x11/extensions.ts";
import { holdServer } from "../x11/hold.ts";
import { openRenderer, type Renderer } from "../x11/render.ts";
import {
  createPixmap,
  freePixmap,
  getGeometry,
  getSelectionOwner,
  getWindowAttributes,
  queryTree,
} from "../x11/requests.ts";
import { findBackdrop } from "./backdrop.ts";

interface Layer {
  readonly window: number;
  readonly visual: number;
  /** With its border, in root coordinates. */
  readonly outer: Rect;
  readonly borderWidth: number;
}

/**
 * A part of the screen as it would look without these windows. What they cover is put together from what every window
 * below has drawn off-screen; nothing is unmapped, so nothing flickers and nobody has to paint again. Nobody else is
 * served meanwhile, so all of it shows one moment.
 */
export async function captureBelow(
  c: Connection,
  rect: Rect,
  hidden: ReadonlySet<number>,
  options: RequestOptions,
): Promise<Picture> {
  const [render, pool, context, name] = await Promise.all([
    openRenderer(c),
    shmPool(c),
    screenContext(c),
    namePixmap(c),
    redirectAll(c),
  ]);
  const release = holdServer(c);
  const pixmap = createPixmap(c, { depth: c.setup.rootDepth, width: rect.width, height: rect.height });
  try {
    const [layers, backdrop, isBlended] = await Promise.all([
      findLayers(c, rect, hidden, options),
      getRootBounds(c, options).then((root) => findBackdrop(c, root)),
      c.atom(`_NET_WM_CM_S${c.setup.screenNumber}`).then(async (atom) => (await getSelectionOwner(c, atom)) !== 0),
    ]);
    copyArea(c, c.root, pixmap, context, rect);
    const covered = shapeOfAll(render, hidden, rect);
    const format = render.formatOf(c.setup.rootVisual) ?? 0;
    const to = render.createPicture(pixmap, format);
    if (backdrop !== undefined) {
      const from = render.createPicture(backdrop, format);
      render.clip(to, covered);
      const { width, height } = await getGeometry(c, backdrop, options);
      render.composite("replace", from, to, { x: -rect.x, y: -rect.y, width, height });
      render.freePicture(from);
    }
    for (const layer of layers) {
      const own = render.formatOf(layer.visual);
      if (own === undefined) continue;
      const named = name(layer.window);
      const from = render.createPicture(named, own);
      const shown = render.shapeOf(layer.window);
      const [x, y] = [layer.outer.x - rect.x, layer.outer.y - rect.y];
      render.move(shown, { x: x + layer.borderWidth, y: y + layer.borderWidth });
      const part = render.common(shown, covered);
      render.clip(to, part);
      render.composite(isBlended ? "over" : "replace", from, to, { ...layer.outer, x, y });
      for (const region of [shown, part]) render.freeRegion(region);
      render.freePicture(from);
      freePixmap(c, named);
    }
    render.freeRegion(covered);
    render.freePicture(to);
    const grab = await pool.grab(pixmap, { x: 0, y: 0, width: rect.width, height: rect.height }, options);
    return { grab, bounds: rect };
  } finally {
    freePixmap(c, pixmap);
    release();
  }
}

const screenContext = (c: Connection): Promise<number> =>
  c.memo("screen context", async () => createContext(c, c.root, { readsChildren: true }));

function shapeOfAll(render: Renderer, windows: ReadonlySet<number>, rect: Rect): number {
  const all = render.createRegion();
  for (const window of windows) {
    // An overlay has no border and lies in the corner of the root.
    const shape = render.shapeOf(window);
    render.union(all, shape);
    render.freeRegion(shape);
  }
  render.move(all, { x: -rect.x, y: -rect.y });
  return all;
}

/** What is on this part of the screen, lowest first. */
async function findLayers(
  c: Connection,
  rect: Rect,
  hidden: ReadonlySet<number>,
  options: RequestOptions,
): Promise<readonly Layer[]> {
  const { children } = await queryTree(c, c.root, options);
  const layers = await Promise.all(
    children
      .filter((window) => !hidden.has(window))
      .map(async (window): Promise<Layer | undefined> => {
        const [attributes, geometry] = await Promise.all([
          getWindowAttributes(c, window, options),
          getGeometry(c, window, options),
        ]);
        if (attributes.mapState !== "viewable" || attributes.isInputOnly) return undefined;
        const { x, y, width, height, borderWidth } = geometry;
        const outer = { x, y, width: width + 2 * borderWidth, height: height + 2 * borderWidth };
        return intersect(outer, rect) ? { window, visual: attributes.visual, outer, borderWidth } : undefined;
      }),
  );
  return layers.filter((layer) => layer !== undefined);
}
