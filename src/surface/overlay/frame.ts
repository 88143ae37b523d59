import type { Rect } from "../../base/geometry.ts";
import type { OverlayShape } from "../../platform/backend.ts";

/** Around the rectangle, not over it. */
export function frame({ x, y, width, height }: Rect, thickness: number, colour: number): readonly OverlayShape[] {
  const t = thickness;
  const sides: readonly Rect[] = [
    { x: x - t, y: y - t, width: width + 2 * t, height: t },
    { x: x - t, y: y + height, width: width + 2 * t, height: t },
    { x: x - t, y, width: t, height },
    { x: x + width, y, width: t, height },
  ];
  return sides.map((rect) => ({ kind: "fill", rect, colour }));
}
