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

/** How a picture lies on the screen. */
export interface View {
  readonly bounds: Rect;
  readonly image: Size;
}

/**
 * The only code that turns a pixel of a picture into a place on the screen. A pixel of a shrunk picture stands for
 * a block of screen pixels; the middle of the block is taken, because its corner may, after rounding down, belong
 * to the block before it.
 */
export function toScreen({ bounds, image }: View, point: ImagePoint): ScreenPoint {
  return screenPoint(
    bounds.x + Math.floor(((point.x + 0.5) * bounds.width) / image.width),
    bounds.y + Math.floor(((point.y + 0.5) * bounds.height) / image.height),
  );
}

/** The pixel of the picture that shows this place on the screen. */
export function toImage({ bounds, image }: View, point: ScreenPoint): ImagePoint {
  return imagePoint(
    Math.floor(((point.x - bounds.x + 0.5) * image.width) / bounds.width),
    Math.floor(((point.y - bounds.y + 0.5) * image.height) / bounds.height),
  );
}

/** The part of the screen that a part of the picture shows, to the nearest unit and never empty. */
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

/** The part of the picture that shows a part of the screen, whole pixels, which may lie outside the picture. */
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

/** How dense a picture is: 2 where two of its pixels, side by side, show one screen unit. */
export const pixelsPerUnit = ({ bounds, image }: View): number => image.width / bounds.width;

/** How many pixels of the picture show this many screen units; whole, and at least one. */
export const toImageLength = (view: View, units: number): number =>
  Math.max(1, Math.round(units * pixelsPerUnit(view)));

/** A rectangle of one picture in a smaller or larger copy of it; never empty. */
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

/** How finely models that count in a grid divide each side of a picture, whatever its size: cells 0 to 999. */
const gridCells: Size = { width: 1000, height: 1000 };

/** The pixel in the middle of a grid cell. A cell outside the grid gives a pixel outside the picture. */
export function fromGrid(image: Size, cell: { readonly x: number; readonly y: number }): ImagePoint {
  const { x, y } = toScreen({ bounds: { x: 0, y: 0, ...image }, image: gridCells }, imagePoint(cell.x, cell.y));
  return imagePoint(x, y);
}

/** The grid cell a pixel lies in. */
export function toGrid(image: Size, pixel: ImagePoint): { x: number; y: number } {
  const { x, y } = toImage({ bounds: { x: 0, y: 0, ...image }, image: gridCells }, screenPoint(pixel.x, pixel.y));
  return { x, y };
}

/** A view given by its corner and scale instead of a frame id; it has no edges to check against. */
export function screenFromOrigin(origin: ScreenPoint, scale: number, point: ImagePoint): ScreenPoint {
  return screenPoint(
    Math.floor(origin.x + (point.x + (scale < 1 ? 0.5 : 0)) / scale),
    Math.floor(origin.y + (point.y + (scale < 1 ? 0.5 : 0)) / scale),
  );
}

/** Refuses a pixel outside the picture, or moves it to the nearest edge when the caller asked for that. */
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

/** Refuses a place off the screen, or moves it to the nearest edge when the caller asked for that. */
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
  /** How far the window has moved since the picture; undefined when it has not. */
  readonly moved: { readonly x: number; readonly y: number } | undefined;
}

/** The picture's view with the window where it is now. A resized window has other content at every pixel. */
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
