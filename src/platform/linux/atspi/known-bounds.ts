import type { Rect } from "../../../base/geometry.ts";
import { BoundedMap } from "./bounded.ts";

/** The children of one element that can have a place, in order. */
export interface Family {
  readonly parent: string;
  readonly children: readonly string[];
}

export interface Kept {
  readonly parentPlace: Rect | undefined;
  readonly places: readonly (Rect | undefined)[];
}

interface Remembered extends Kept {
  readonly children: readonly string[];
  readonly since: number;
}

const mostMoves = 50_000;

/**
 * The last known places of children, for toolkits that report every layout change. They do not report when a whole
 * container scrolls or its window moves, so compare a recalled place with a fresh one.
 */
export class KnownBounds {
  readonly #families = new BoundedMap<Remembered>();
  readonly #movedAt = new Map<string, number>();
  #clock = 0;
  #forgotAt = 0;

  /** Counts layout changes so far. */
  get clock(): number {
    return this.#clock;
  }

  moved(path: string): void {
    this.#clock += 1;
    if (this.#movedAt.size >= mostMoves) {
      this.#movedAt.clear();
      this.#forgotAt = this.#clock;
    }
    this.#movedAt.set(path, this.#clock);
  }

  /** `since` is the clock from before the first of them was read. */
  keep({ parent, children }: Family, { parentPlace, places }: Kept, since: number): void {
    this.#families.set(parent, { children, parentPlace, places, since });
  }

  /** Undefined when the children differ, or one of them has moved since. */
  recall({ parent, children }: Family): Kept | undefined {
    const known = this.#families.get(parent);
    if (!known || known.since < this.#forgotAt || known.children.length !== children.length) return undefined;
    const isStill = (path: string): boolean => (this.#movedAt.get(path) ?? 0) <= known.since;
    const areSame = children.every((child, index) => child === known.children[index] && isStill(child));
    return areSame && isStill(parent) ? known : undefined;
  }
}
