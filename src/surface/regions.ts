import { ToolError } from "../base/errors.ts";
import { contains, screenPoint, type Rect, type ScreenPoint } from "../base/geometry.ts";
import type { UiNode } from "../base/node.ts";
import { witnesses, type Witness } from "./witnesses.ts";

export const regionSources = ["accessibility", "dom", "template", "ocr", "heuristic"] as const;
export type RegionSource = (typeof regionSources)[number];

/** A rectangle of the screen that can be acted on, with the number drawn on it. */
export interface Region {
  readonly number: number;
  /** The same thing keeps its id in the next set, even if the window has moved. */
  readonly id: string;
  readonly rect: Rect;
  readonly point: ScreenPoint;
  readonly role: string;
  readonly name: string;
  readonly source: RegionSource;
  readonly confidence: number;
  readonly node?: UiNode | undefined;
}

/** The windows and elements that regions were found in. */
export interface Scene {
  /** Where each window was, so that a region can move with its window. */
  readonly windows: ReadonlyMap<number, Rect>;
  readonly nodes: readonly UiNode[];
}

/** The last set of regions shown; numbers and ids refer to it. */
export class Regions {
  #latest: (Scene & { readonly regions: readonly Region[] }) | undefined;

  remember(regions: readonly Region[], scene: Scene): void {
    this.#latest = { regions, ...scene };
  }

  /** Texts that must be unchanged, or the element now belongs to a different row. */
  witnessesOf({ node }: Region): readonly Witness[] {
    return node && this.#latest ? witnesses(node, this.#latest.nodes) : [];
  }

  get latest(): readonly Region[] {
    return this.#latest?.regions ?? [];
  }

  find(wanted: number | string): Region {
    if (!this.#latest) {
      throw new ToolError("not_found", "No regions have been marked yet.", { hint: "Call mark_regions first." });
    }
    const all = this.#latest.regions;
    const region = all.find(({ number, id }) => (typeof wanted === "number" ? number === wanted : id === wanted));
    if (region) return region;
    throw new ToolError("not_found", `There is no region ${wanted} in the latest marks.`, {
      hint:
        all.length > 0
          ? `They are numbered 1 to ${all.length}; call mark_regions to see what is there now.`
          : "The latest marks found nothing.",
    });
  }

  /** The window that a region was found in, and its bounds at that time. */
  windowOf(region: Region): { readonly id: number; readonly bounds: Rect } | undefined {
    for (const [id, bounds] of this.#latest?.windows ?? []) {
      if (contains(bounds, region.point)) return { id, bounds };
    }
    return undefined;
  }

  /** How far the window has moved since the regions were marked; undefined when it is unknown or was resized. */
  movedSince(windowId: number, now: Rect): { readonly x: number; readonly y: number } | undefined {
    const then = this.#latest?.windows.get(windowId);
    if (!then || then.width !== now.width || then.height !== now.height) return undefined;
    return { x: now.x - then.x, y: now.y - then.y };
  }
}

/** Where the region is now that its window may have moved. */
export function follow(region: Region, then: Rect, now: Rect): { readonly point: ScreenPoint; readonly rect: Rect } {
  if (then.width !== now.width || then.height !== now.height) {
    throw new ToolError("stale_frame", `The window was resized since region ${region.number} was marked.`, {
      hint: "Call mark_regions again and use its numbers.",
    });
  }
  const { point, rect } = region;
  const [dx, dy] = [now.x - then.x, now.y - then.y];
  return { point: screenPoint(point.x + dx, point.y + dy), rect: { ...rect, x: rect.x + dx, y: rect.y + dy } };
}
