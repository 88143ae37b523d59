import { intersect, type Rect, type Size } from "../../../base/geometry.ts";
import type { OverlayShape } from "../../backend.ts";
import type { Connection } from "../x11/connection.ts";
import { fillRectangles, putImage, setClip, setForeground } from "../x11/drawing.ts";

/** Where overlay shapes are painted. */
export interface Canvas {
  readonly drawable: number;
  readonly context: number;
  readonly size: Size;
  /** 32 blends with what is below; 24 shows or leaves out. */
  readonly depth: 24 | 32;
}

/** Paints the shapes and returns what they cover: all the rest of the canvas is not to be shown. */
export function paintShapes(c: Connection, canvas: Canvas, shapes: readonly OverlayShape[]): readonly Rect[] {
  const all = { x: 0, y: 0, ...canvas.size };
  const covered: Rect[] = [];
  for (const shape of shapes) {
    if (shape.kind === "fill") {
      const opacity = toOpacity(shape.opacity ?? 1, canvas.depth);
      const rect = intersect(rounded(shape.rect), all);
      if (opacity === 0 || !rect) continue;
      setForeground(c, canvas.context, toPixel(shape.colour, opacity));
      fillRectangles(c, canvas.drawable, canvas.context, [rect]);
      covered.push(rect);
    } else {
      const { x, y } = rounded(shape.rect);
      const runs = opaqueRuns(shape, canvas.depth).flatMap(
        (run) => intersect({ ...run, x: x + run.x, y: y + run.y }, all) ?? [],
      );
      if (runs.length === 0) continue;
      setClip(c, canvas.context, runs);
      const data = toBytes(shape.rgba, canvas.depth);
      putImage(c, canvas.drawable, canvas.context, { rect: { x, y, ...shape.size }, depth: canvas.depth, data });
      setClip(c, canvas.context, undefined);
      covered.push(...runs);
    }
  }
  return covered;
}

/** Edges are rounded, not sizes: neighbours that touch still touch. */
function rounded({ x, y, width, height }: Rect): Rect {
  const [left, top] = [Math.round(x), Math.round(y)];
  return { x: left, y: top, width: Math.round(x + width) - left, height: Math.round(y + height) - top };
}

const toOpacity = (opacity: number, depth: Canvas["depth"]): number =>
  depth === 32 ? Math.min(1, Math.max(0, opacity)) : opacity >= 0.5 ? 1 : 0;

/** Compositors expect colours that are already multiplied by their opacity. */
function toPixel(colour: number, opacity: number): number {
  const channel = (shift: number): number => Math.round(((colour >> shift) & 0xff) * opacity) << shift;
  return ((Math.round(opacity * 255) << 24) | channel(16) | channel(8) | channel(0)) >>> 0;
}

/** The pixels of a picture that show, as horizontal runs; equal runs below each other become one rectangle. */
function opaqueRuns(
  { rgba, size }: { readonly rgba: Uint8Array; readonly size: Size },
  depth: Canvas["depth"],
): Rect[] {
  const least = depth === 32 ? 1 : 128;
  const done: Rect[] = [];
  let above: Rect[] = [];
  for (let y = 0; y < size.height; y++) {
    const row: Rect[] = [];
    for (let x = 0; x < size.width;) {
      const start = x;
      while (x < size.width && (rgba[(y * size.width + x) * 4 + 3] ?? 0) >= least) x += 1;
      if (x === start) x += 1;
      else row.push({ x: start, y, width: x - start, height: 1 });
    }
    const isSame =
      row.length === above.length &&
      row.every((run, index) => run.x === above[index]?.x && run.width === above[index]?.width);
    if (isSame) above = above.map((run) => ({ ...run, height: run.height + 1 }));
    else {
      done.push(...above);
      above = row;
    }
  }
  return [...done, ...above];
}

/** Red first to blue first; with blending multiplied by the opacity. */
function toBytes(rgba: Uint8Array, depth: Canvas["depth"]): Uint8Array {
  const bytes = new Uint8Array(rgba.length);
  for (let at = 0; at < rgba.length; at += 4) {
    const opacity = depth === 32 ? (rgba[at + 3] ?? 0) : 255;
    bytes[at] = ((rgba[at + 2] ?? 0) * opacity) / 255;
    bytes[at + 1] = ((rgba[at + 1] ?? 0) * opacity) / 255;
    bytes[at + 2] = ((rgba[at] ?? 0) * opacity) / 255;
    bytes[at + 3] = opacity;
  }
  return bytes;
}
