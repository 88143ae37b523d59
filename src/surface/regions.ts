import { ToolError } from "../base/errors.ts";
import { contains, screenPoint, type Rect, type ScreenPoint } from "../base/geometry.ts";
import type { UiNode } from "../base/node.ts";
import type { Seen } from "./fuse-regions.ts";
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
  /** What was seen in the pixels, whether or not a region was made of it. */
  readonly seen: Seen;
}

/** A set of regions with what it was found in. */
export interface MarkedScene extends Scene {
  readonly regions: readonly Region[];
}

/** Whether regions are counted from 1, or those that were there keep their numbers and others get new ones. */
export type Numbering = "new" | "kept";

/** The last set of regions shown; numbers and ids refer to it. */
export class Regions {
  #latest: MarkedScene | undefined;
  /** The number that each region has had since they were last counted anew. */
  readonly #numbers = new Map<string, number>();
  readonly #listeners = new Set<() => void>();

  /** Returns them with their numbers. */
  remember(found: readonly Region[], scene: Scene, numbering: Numbering = "new"): readonly Region[] {
    if (numbering === "new") this.#numbers.clear();
    const regions = found.map((region) => ({ ...region, number: this.#numberOf(region) }));
    this.#latest = { regions, ...scene };
    for (const listener of this.#listeners) listener();
    return regions;
  }

  #numberOf({ id }: Region): number {
    // A number is not given to anything else: whoever has read it would act on the wrong thing.
    const number = this.#numbers.get(id) ?? this.#numbers.size + 1;
    this.#numbers.set(id, number);
    return number;
  }

  /** The latest set, and what it was found in. */
  get scene(): MarkedScene | undefined {
    return this.#latest;
  }

  /** Calls back whenever regions were marked, until disposed. */
  watch(listener: () => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
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
          ? `They are numbered ${Math.min(...all.map(({ number }) => number))} to ${Math.max(...all.map(({ number }) => number))}; call mark_regions to see what is there now.`
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
