import { screenPoint, type Rect, type ScreenPoint } from "../base/geometry.ts";
import { insideScreen } from "./view.ts";
import type { Surface } from "./surface.ts";

type Point = { readonly x: number; readonly y: number };

/** Where a display of a device begins in the space that all its displays share. The first one begins at 0,0. */
export async function cornerOf(surface: Surface, displayId: number | undefined, signal: AbortSignal): Promise<Point> {
  return displayId === undefined || displayId === 0
    ? { x: 0, y: 0 }
    : (await surface.needDisplay(displayId, signal)).bounds;
}

/** From pixels of a display to the space of the device; throws when the point is outside the display. */
export async function fromDisplay(
  surface: Surface,
  { x, y }: Point,
  displayId: number,
  signal: AbortSignal,
): Promise<ScreenPoint> {
  const { bounds } = await surface.needDisplay(displayId, signal);
  const inside = insideScreen({ ...bounds, x: 0, y: 0 }, screenPoint(x, y), false);
  return screenPoint(bounds.x + inside.x, bounds.y + inside.y);
}

/** From the space of the device to pixels of the display that begins at `corner`. */
export const onDisplay = <T extends Point & { readonly bounds: Rect }>(match: T, corner: Point): T => ({
  ...match,
  x: match.x - corner.x,
  y: match.y - corner.y,
  bounds: { ...match.bounds, x: match.bounds.x - corner.x, y: match.bounds.y - corner.y },
});
