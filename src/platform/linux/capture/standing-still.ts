import type { Rect } from "../../../base/geometry.ts";
import { findTopLevel } from "../windows/bounds.ts";
import type { Connection, RequestOptions } from "../x11/connection.ts";
import { isGone } from "../x11/errors.ts";
import { holdServer } from "../x11/hold.ts";
import { getGeometry } from "../x11/requests.ts";

/**
 * Runs the work while no other client can change anything, and reports where these windows are at that moment.
 * Otherwise a moving window could be somewhere else in the picture than before and after it.
 */
export async function standingStill<T>(
  c: Connection,
  windows: readonly number[],
  options: RequestOptions,
  work: () => Promise<T>,
): Promise<{ readonly located: readonly Rect[]; readonly value: T }> {
  const found = await Promise.all(windows.map((id) => orGone(findTopLevel(c, id, options))));
  const topLevels = found.filter((id) => id !== undefined);
  const release = holdServer(c);
  try {
    const [value, places] = await Promise.all([work(), Promise.all(topLevels.map((id) => orGone(getGeometry(c, id))))]);
    const located = places
      .filter((place) => place !== undefined)
      .map(({ x, y, width, height, borderWidth }) => ({
        x,
        y,
        width: width + 2 * borderWidth,
        height: height + 2 * borderWidth,
      }));
    return { located, value };
  } finally {
    release();
  }
}

async function orGone<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
}
