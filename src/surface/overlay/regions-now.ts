import { centre, contains, type Rect } from "../../base/geometry.ts";
import type { WindowInfo } from "../../platform/backend.ts";
import type { Seen, Sighting } from "../fuse-regions.ts";
import type { MarkedScene, Region } from "../regions.ts";

/** What can be seen of marked regions now that windows may have moved. */
export interface RegionsNow {
  readonly regions: readonly Region[];
  readonly texts: readonly Rect[];
  /** The same for all that was seen in the pixels. */
  readonly seen: Seen;
  /** A window that they were found in has another size, so they may be anywhere. */
  readonly hasResized: boolean;
}

/** Regions move with their windows, and are not seen while those are closed, minimised or covered. */
export function regionsNow(scene: MarkedScene, windows: readonly WindowInfo[]): RegionsNow {
  const stack = windows.filter(({ isVisible, isMinimized }) => isVisible && !isMinimized);
  const resized = new Set<number>();
  for (const [id, then] of scene.windows) {
    const now = stack.find((window) => window.id === id)?.bounds;
    if (now && (now.width !== then.width || now.height !== then.height)) resized.add(id);
  }
  /** How far what was at the point has moved; undefined when it is not seen. */
  const moveOf = (point: Point): Point | undefined => {
    const found = [...scene.windows].find(([, bounds]) => contains(bounds, point));
    if (!found) return { x: 0, y: 0 };
    const [id, then] = found;
    const now = stack.find((window) => window.id === id)?.bounds;
    if (!now || resized.has(id)) return undefined;
    const move = { x: now.x - then.x, y: now.y - then.y };
    const top = stack.find(({ bounds }) => contains(bounds, { x: point.x + move.x, y: point.y + move.y }));
    return top === undefined || top.id === id ? move : undefined;
  };
  const moved = <Space extends Sighting>(sightings: readonly Space[]): readonly Space[] =>
    sightings.flatMap((each) => {
      const move = moveOf(centre(each.box));
      return move ? [{ ...each, box: shifted(each.box, move) }] : [];
    });
  const { texts, templates, shapes } = scene.seen;
  const seen = { texts: moved(texts), templates: moved(templates), shapes: moved(shapes) };
  return {
    regions: scene.regions.flatMap((region) => {
      const move = moveOf(region.point);
      return move ? [{ ...region, rect: shifted(region.rect, move) }] : [];
    }),
    texts: seen.texts.map(({ box }) => box),
    seen,
    hasResized: resized.size > 0,
  };
}

interface Point {
  readonly x: number;
  readonly y: number;
}

const shifted = (rect: Rect, { x, y }: Point): Rect => ({ ...rect, x: rect.x + x, y: rect.y + y });
