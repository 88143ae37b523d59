import { intersect, type Rect } from "../../../base/geometry.ts";
import type { Connection } from "../x11/connection.ts";

/** The server copies windows to the screen when it is idle, not when it is asked to. */
const screenLagMs = 250;

interface OwnPaint {
  readonly rects: readonly Rect[];
  endedAt: number | undefined;
}

const paints = new WeakMap<Connection, OwnPaint[]>();

/**
 * Where an overlay appears or disappears the server reports painting, of the screen and of the windows that it covered,
 * although no app has painted. Call before the requests; the returned function when the server has handled them.
 */
export function beginOwnPaint(c: Connection, rects: readonly Rect[]): () => void {
  const paint: OwnPaint = { rects, endedAt: undefined };
  const now = performance.now();
  const recent = (paints.get(c) ?? []).filter(({ endedAt = now }) => now - endedAt < screenLagMs);
  paints.set(c, [...recent, paint]);
  return () => {
    paint.endedAt = performance.now();
  };
}

/** Whether the overlay alone explains that this part of a window, or of the screen, was reported as painted. */
export function isOwnPaint(c: Connection, part: Rect, of: "window" | "screen"): boolean {
  const now = performance.now();
  const lag = of === "screen" ? screenLagMs : 0;
  return (paints.get(c) ?? []).some(
    ({ rects, endedAt }) => (endedAt === undefined || now - endedAt < lag) && isWithin(part, rects),
  );
}

function isWithin(part: Rect, rects: readonly Rect[]): boolean {
  let left: readonly Rect[] = [part];
  for (const rect of rects) {
    left = left.flatMap((each) => without(each, rect));
    if (left.length === 0) return true;
  }
  return false;
}

/** What remains of a rectangle beside another one. */
function without(rect: Rect, other: Rect): readonly Rect[] {
  const common = intersect(rect, other);
  if (!common) return [rect];
  const [right, bottom] = [common.x + common.width, common.y + common.height];
  const rest = [
    { ...rect, height: common.y - rect.y },
    { ...rect, y: bottom, height: rect.y + rect.height - bottom },
    { ...common, x: rect.x, width: common.x - rect.x },
    { ...common, x: right, width: rect.x + rect.width - right },
  ];
  return rest.filter(({ width, height }) => width > 0 && height > 0);
}
