import type { Rect } from "../../../base/geometry.ts";
import type { Connection } from "./connection.ts";
import { RequestWriter } from "./wire.ts";

/** Core requests that paint. None of them waits: errors go to `connection.onError`. */

const contextBits = { foreground: 1 << 2, subwindowMode: 1 << 15, graphicsExposures: 1 << 16, clipMask: 1 << 19 };
const includeInferiors = 1;

/** A graphics context for drawables of the depth of `drawable`; with `readsChildren` a copy includes the windows inside. */
export function createContext(c: Connection, drawable: number, { readsChildren = false } = {}): number {
  const id = c.newId();
  const { subwindowMode, graphicsExposures } = contextBits;
  const writer = new RequestWriter(55)
    .u32(id)
    .u32(drawable)
    .u32(graphicsExposures | (readsChildren ? subwindowMode : 0));
  if (readsChildren) writer.u32(includeInferiors);
  c.send("CreateGC", writer.u32(0));
  return id;
}

export function freeContext(c: Connection, context: number): void {
  c.send("FreeGC", new RequestWriter(60).u32(context));
}

export function setForeground(c: Connection, context: number, pixel: number): void {
  c.send("ChangeGC", new RequestWriter(56).u32(context).u32(contextBits.foreground).u32(pixel));
}

/** Paints only inside these rectangles; undefined lifts that. */
export function setClip(c: Connection, context: number, rects: readonly Rect[] | undefined): void {
  if (!rects) return c.send("ChangeGC", new RequestWriter(56).u32(context).u32(contextBits.clipMask).u32(0));
  c.send("SetClipRectangles", writeRects(new RequestWriter(59, 0, 12 + rects.length * 8).u32(context).skip(4), rects));
}

export function fillRectangles(c: Connection, drawable: number, context: number, rects: readonly Rect[]): void {
  const writer = new RequestWriter(70, 0, 12 + rects.length * 8).u32(drawable).u32(context);
  c.send("PolyFillRectangle", writeRects(writer, rects));
}

export function copyArea(c: Connection, from: number, to: number, context: number, rect: Rect): void {
  const writer = new RequestWriter(62).u32(from).u32(to).u32(context).i16(rect.x).i16(rect.y).i16(0).i16(0);
  c.send("CopyArea", writer.u16(rect.width).u16(rect.height));
}

export interface PutImage {
  readonly rect: Rect;
  readonly depth: number;
  /** Four bytes per pixel, no padding. */
  readonly data: Uint8Array;
}

export function putImage(c: Connection, drawable: number, context: number, { rect, depth, data }: PutImage): void {
  const zPixmap = 2;
  const writer = new RequestWriter(72, zPixmap, 24 + data.length)
    .u32(drawable)
    .u32(context)
    .u16(rect.width)
    .u16(rect.height)
    .i16(rect.x)
    .i16(rect.y)
    .u8(0)
    .u8(depth)
    .skip(2)
    .bytes(data);
  c.send("PutImage", writer);
}

/** Paints the background of all of the window. */
export function clearWindow(c: Connection, window: number): void {
  c.send("ClearArea", new RequestWriter(61).u32(window).skip(8));
}

/** For a window whose visual is not its parent's. */
export function createColormap(c: Connection, visual: number): number {
  const id = c.newId();
  c.send("CreateColormap", new RequestWriter(78, 0).u32(id).u32(c.root).u32(visual));
  return id;
}

export function freeColormap(c: Connection, colormap: number): void {
  c.send("FreeColormap", new RequestWriter(79).u32(colormap));
}

export function writeRects(writer: RequestWriter, rects: readonly Rect[]): RequestWriter {
  for (const { x, y, width, height } of rects) writer.i16(x).i16(y).u16(width).u16(height);
  return writer;
}
