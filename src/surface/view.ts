import type { Frame } from "../base/frame.ts";
import { ToolError } from "../base/errors.ts";
import {
  clampInto,
  contains,
  imagePoint,
  screenPoint,
  type ImagePoint,
  type ImageRect,
  type Rect,
  type ScreenPoint,
  type Size,
} from "../base/geometry.ts";

/** Which part of the screen a picture shows, and at what size. */
export interface View {
  readonly bounds: Rect;
  readonly image: Size;
}

/**
 * The only code that maps a pixel of a picture to a point on the screen. A pixel of a shrunk picture stands for a
 * block of screen pixels; this takes the centre of the block, because its corner may, after rounding down, belong to
 * the previous block.
 */
export function toScreen({ bounds, image }: View, point: ImagePoint): ScreenPoint {
  return screenPoint(
    bounds.x + Math.floor(((point.x + 0.5) * bounds.width) / image.width),
    bounds.y + Math.floor(((point.y + 0.5) * bounds.height) / image.height),
  );
}

/** The pixel of the picture that shows this point on the screen. */
export function toImage({ bounds, image }: View, point: ScreenPoint): ImagePoint {
  return imagePoint(
    Math.floor(((point.x - bounds.x + 0.5) * image.width) / bounds.width),
    Math.floor(((point.y - bounds.y + 0.5) * image.height) / bounds.height),
  );
}

/** The part of the screen shown by a part of the picture, rounded to whole units and never empty. */
export function toScreenRect({ bounds, image }: View, { x, y, width, height }: ImageRect): Rect {
  const [across, down] = [bounds.width / image.width, bounds.height / image.height];
  const left = Math.round(bounds.x + x * across);
  const top = Math.round(bounds.y + y * down);
  return {
    x: left,
    y: top,
    width: Math.max(1, Math.round(bounds.x + (x + width) * across) - left),
    height: Math.max(1, Math.round(bounds.y + (y + height) * down) - top),
  };
}

/** The part of the picture that shows a part of the screen, in whole pixels. It may lie outside the picture. */
export function toImageRect({ bounds, image }: View, { x, y, width, height }: Rect): ImageRect {
  const [across, down] = [image.width / bounds.width, image.height / bounds.height];
  const left = Math.floor((x - bounds.x) * across);
  const top = Math.floor((y - bounds.y) * down);
  return {
    x: left,
    y: top,
    width: Math.ceil((x + width - bounds.x) * across) - left,
    height: Math.ceil((y + height - bounds.y) * down) - top,
  };
}

/** The density of a picture: 2 if two adjacent pixels show one screen unit. */
export const pixelsPerUnit = ({ bounds, image }: View): number => image.width / bounds.width;

/** This many screen units in pixels of the picture; whole, and at least one. */
export const toImageLength = (view: View, units: number): number =>
  Math.max(1, Math.round(units * pixelsPerUnit(view)));

/** The same rectangle in a smaller or larger copy of a picture; never empty. */
export function resizeRect(rect: ImageRect, from: Size, to: Size): ImageRect {
  const x = Math.floor((rect.x * to.width) / from.width);
  const y = Math.floor((rect.y * to.height) / from.height);
  return {
    x,
    y,
    width: Math.max(1, Math.round(((rect.x + rect.width) * to.width) / from.width) - x),
    height: Math.max(1, Math.round(((rect.y + rect.height) * to.height) / from.height) - y),
  };
}

/** Some models use a grid of cells 0 to 999 on each side of a picture, whatever its size. */
const gridCells: Size = { width: 1000, height: 1000 };

/** The pixel in the centre of a grid cell. A cell outside the grid gives a pixel outside the picture. */
export function fromGrid(image: Size, cell: { readonly x: number; readonly y: number }): ImagePoint {
  const { x, y } = toScreen({ bounds: { x: 0, y: 0, ...image }, image: gridCells }, imagePoint(cell.x, cell.y));
  return imagePoint(x, y);
}

/** The grid cell that contains a pixel. */
export function toGrid(image: Size, pixel: ImagePoint): { x: number; y: number } {
  const { x, y } = toImage({ bounds: { x: 0, y: 0, ...image }, image: gridCells }, screenPoint(pixel.x, pixel.y));
  return { x, y };
}

/** Maps with a corner and a scale instead of a frame id; there are no edges to check against. */
export function screenFromOrigin(origin: ScreenPoint, scale: number, point: ImagePoint): ScreenPoint {
  return screenPoint(
    Math.floor(origin.x + (point.x + (scale < 1 ? 0.5 : 0)) / scale),
    Math.floor(origin.y + (point.y + (scale < 1 ? 0.5 : 0)) / scale),
  );
}

/** Refuses a pixel outside the picture, or moves it to the nearest edge with `clamp`. */
export function insideImage(view: View, point: ImagePoint, clamp: boolean, what: string): ImagePoint {
  const edge: ImageRect = { x: 0, y: 0, width: view.image.width, height: view.image.height };
  if (contains(edge, point)) return point;
  if (clamp) {
    const { x, y } = clampInto(edge, point);
    return imagePoint(x, y);
  }
  throw new ToolError(
    "out_of_bounds",
    `Pixel ${point.x},${point.y} is outside ${what}, which is ${edge.width}×${edge.height} (valid: 0,0 to ${edge.width - 1},${edge.height - 1}).`,
    { hint: "Take a new screenshot and read the coordinates from it, or pass clamp: true." },
  );
}

/** Refuses a point off the screen, or moves it to the nearest edge with `clamp`. */
export function insideScreen(screen: Rect, point: ScreenPoint, clamp: boolean): ScreenPoint {
  if (contains(screen, point)) return point;
  if (clamp) {
    const { x, y } = clampInto(screen, point);
    return screenPoint(x, y);
  }
  throw new ToolError(
    "out_of_bounds",
    `Point ${point.x},${point.y} is off the screen (valid: ${screen.x},${screen.y} to ${screen.x + screen.width - 1},${screen.y + screen.height - 1}).`,
    { hint: "Use list_displays for the layout, or pass clamp: true." },
  );
}

export interface Remapped {
  readonly view: View;
  /** How far the window has moved since the picture was taken; undefined when it has not. */
  readonly moved: { readonly x: number; readonly y: number } | undefined;
}

/**
 * The view of the picture with the window at its current position. Refuses a resized window: every pixel shows
 * something else.
 */
export function remap(frame: Frame, now: Rect): Remapped {
  const then = frame.bounds;
  if (then.width !== now.width || then.height !== now.height) {
    throw new ToolError(
      "stale_frame",
      `The window was resized since screenshot ${frame.id} (${then.width}×${then.height}, now ${now.width}×${now.height}).`,
      { hint: "Take a new screenshot and use its coordinates." },
    );
  }
  const moved = then.x === now.x && then.y === now.y ? undefined : { x: now.x - then.x, y: now.y - then.y };
  return { view: { bounds: now, image: frame.image }, moved };
}
