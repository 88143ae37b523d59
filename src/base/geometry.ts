/**
 * Points and rectangles carry their space in their type, so that a pixel of a picture cannot be passed to something
 * that moves the pointer. Only `surface/view.ts` converts one into the other.
 */
declare const space: unique symbol;

interface SpacedPoint<Space extends string> {
  readonly x: number;
  readonly y: number;
  readonly [space]: Space;
}

/** A point in the units of the surface's input API (X11 root pixels, CSS pixels, …). */
export type ScreenPoint = SpacedPoint<"screen">;

/** A pixel of one picture, measured from its top-left corner. */
export type ImagePoint = SpacedPoint<"image">;

export interface Size {
  readonly width: number;
  readonly height: number;
}

export type RectSpace = "screen" | "image";

export interface SpacedRect<Space extends RectSpace> extends Size {
  readonly x: number;
  readonly y: number;
  readonly [space]?: Space;
}

/** A rectangle in screen space. The right and bottom edges are outside it. */
export type Rect = SpacedRect<"screen">;

/** A rectangle in pixels of one picture. The right and bottom edges are outside it. */
export type ImageRect = SpacedRect<"image">;

export const screenPoint = (x: number, y: number): ScreenPoint => ({ x, y }) as ScreenPoint;
export const imagePoint = (x: number, y: number): ImagePoint => ({ x, y }) as ImagePoint;

export function contains(rect: Rect | ImageRect, point: { readonly x: number; readonly y: number }): boolean {
  return point.x >= rect.x && point.y >= rect.y && point.x < rect.x + rect.width && point.y < rect.y + rect.height;
}

export function centre(rect: Rect): ScreenPoint {
  return screenPoint(rect.x + Math.floor(rect.width / 2), rect.y + Math.floor(rect.height / 2));
}

/** The common part of two rectangles, or undefined when they do not overlap. */
export function intersect<Space extends RectSpace = "screen">(
  a: SpacedRect<Space>,
  b: SpacedRect<NoInfer<Space>>,
): SpacedRect<Space> | undefined {
  const x = Math.max(a.x, b.x);
  const y = Math.max(a.y, b.y);
  const width = Math.min(a.x + a.width, b.x + b.width) - x;
  const height = Math.min(a.y + a.height, b.y + b.height) - y;
  return width > 0 && height > 0 ? { x, y, width, height } : undefined;
}

export function overlapArea<Space extends RectSpace = "screen">(
  a: SpacedRect<Space>,
  b: SpacedRect<NoInfer<Space>>,
): number {
  const common = intersect(a, b);
  return common ? common.width * common.height : 0;
}

/** The smallest rectangle around all of them; undefined for none. */
export function union<Space extends RectSpace = "screen">(
  rects: readonly SpacedRect<Space>[],
): SpacedRect<Space> | undefined {
  const [first, ...rest] = rects;
  if (!first) return undefined;
  return rest.reduce((sum, rect) => {
    const x = Math.min(sum.x, rect.x);
    const y = Math.min(sum.y, rect.y);
    return {
      x,
      y,
      width: Math.max(sum.x + sum.width, rect.x + rect.width) - x,
      height: Math.max(sum.y + sum.height, rect.y + rect.height) - y,
    };
  }, first);
}

/** The nearest point inside the rectangle. */
export function clampInto(
  rect: Rect | ImageRect,
  point: { readonly x: number; readonly y: number },
): { x: number; y: number } {
  return {
    x: Math.min(Math.max(point.x, rect.x), rect.x + rect.width - 1),
    y: Math.min(Math.max(point.y, rect.y), rect.y + rect.height - 1),
  };
}

export function sameRect(a: Rect, b: Rect): boolean {
  return a.x === b.x && a.y === b.y && a.width === b.width && a.height === b.height;
}

export const showRect = (rect: Rect): string => `${rect.width}×${rect.height} at ${rect.x},${rect.y}`;
