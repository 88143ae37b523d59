import { intersect, type Rect } from "../../../base/geometry.ts";
import type { OverlayShape } from "../../backend.ts";
import type { Canvas } from "../capture/canvas.ts";

/** Edges are rounded, not sizes: neighbours that touch still touch. */
function rounded({ x, y, width, height }: Rect): Rect {
  const [left, top] = [Math.round(x), Math.round(y)];
  return { x: left, y: top, width: Math.round(x + width) - left, height: Math.round(y + height) - top };
}

/** The part of the screen that the shapes need; undefined when all of them are off it. */
export function boundsOf(shapes: readonly OverlayShape[], screen: Rect): Rect | undefined {
  const shown = shapes.flatMap(({ rect }) => intersect(rounded(rect), screen) ?? []);
  if (shown.length === 0) return undefined;
  const x = Math.min(...shown.map((rect) => rect.x));
  const y = Math.min(...shown.map((rect) => rect.y));
  const right = Math.max(...shown.map((rect) => rect.x + rect.width));
  const bottom = Math.max(...shown.map((rect) => rect.y + rect.height));
  return { x, y, width: right - x, height: bottom - y };
}

/** Paints the shapes as Windows blends them: colours multiplied by their opacity. */
export function paintShapes(canvas: Canvas, bounds: Rect, shapes: readonly OverlayShape[]): void {
  const pixels = new Uint32Array(canvas.data.buffer, canvas.data.byteOffset, canvas.width * canvas.height);
  pixels.fill(0);
  for (const shape of shapes) {
    const place = rounded(shape.rect);
    const part = intersect(place, bounds);
    if (!part) continue;
    const colourAt = shape.kind === "fill" ? fillOf(shape) : pictureOf(shape, place);
    for (let y = part.y; y < part.y + part.height; y++) {
      const row = (y - bounds.y) * canvas.width - bounds.x;
      for (let x = part.x; x < part.x + part.width; x++) {
        const colour = colourAt(x, y);
        // What lets everything through leaves what lies below it.
        if (colour >>> 24 !== 0) pixels[row + x] = colour;
      }
    }
  }
}

function fillOf({ colour, opacity = 1 }: Extract<OverlayShape, { kind: "fill" }>): () => number {
  const pixel = multiplied(colour >> 16, colour >> 8, colour, Math.round(Math.min(1, Math.max(0, opacity)) * 255));
  return () => pixel;
}

function pictureOf({ rgba, size }: Extract<OverlayShape, { kind: "picture" }>, place: Rect) {
  return (x: number, y: number): number => {
    const column = Math.floor(((x - place.x) * size.width) / place.width);
    const row = Math.floor(((y - place.y) * size.height) / place.height);
    const at = (row * size.width + column) * 4;
    return multiplied(rgba[at] ?? 0, rgba[at + 1] ?? 0, rgba[at + 2] ?? 0, rgba[at + 3] ?? 0);
  };
}

function multiplied(red: number, green: number, blue: number, opacity: number): number {
  const part = (value: number): number => Math.round(((value & 0xff) * opacity) / 255);
  return ((opacity << 24) | (part(red) << 16) | (part(green) << 8) | part(blue)) >>> 0;
}
