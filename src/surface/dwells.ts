import { contains, type Rect, type ScreenPoint } from "../base/geometry.ts";

/** Where the pointer was at a moment. */
export interface Place {
  readonly at: number;
  readonly point: ScreenPoint;
}

/** What the pointer can rest on. */
export interface Restable {
  /** The same for the same thing. */
  readonly id: string;
  readonly bounds: Rect;
}

export interface Dwell<Thing> {
  readonly thing: Thing;
  /** Where the pointer rested when it was looked at. */
  readonly cursor: ScreenPoint;
  /** When the pointer came into the bounds. */
  readonly at: number;
  readonly ms: number;
}

type Open<Thing> = Omit<Dwell<Thing>, "ms"> & { readonly bounds: Rect };

// A minute of movement at the fastest pace.
const longestTrail = 6_000;
/** How far from the point counts as there, where a thing says that it is somewhere else. */
const nearby = 4;

/**
 * What the pointer dwelt on and for how long, from where it was seen and what was found there. What is under it is asked
 * for only once it rests, so the time of its arrival is taken from the places seen before.
 */
export class Dwells<Thing extends Restable> {
  readonly #minMs: number;
  /** Since the last place at which something was found. */
  #trail: Place[] = [];
  #current: Open<Thing> | undefined;
  #done: Dwell<Thing>[] = [];

  constructor(minMs: number) {
    this.#minMs = minMs;
  }

  get current(): Omit<Dwell<Thing>, "ms"> | undefined {
    return this.#current;
  }

  /** Dwells that have ended since the last call, oldest first. */
  take(): readonly Dwell<Thing>[] {
    return this.#done.splice(0);
  }

  moved(place: Place): void {
    this.#trail.push(place);
    if (this.#trail.length > longestTrail) this.#trail.shift();
    if (this.#current && !contains(this.#current.bounds, place.point)) this.end(place.at);
  }

  /** What is at an earlier place; the pointer may have left it since. */
  found(where: Place, thing: Thing | undefined): void {
    const current = this.#current;
    if (!thing) return this.end(where.at);
    const bounds = contains(thing.bounds, where.point) ? thing.bounds : around(where.point);
    const before = this.#trail.filter(({ at }) => at <= where.at);
    const after = this.#trail.filter(({ at }) => at > where.at);
    if (current?.thing.id === thing.id) {
      this.#current = { ...current, bounds };
    } else {
      const outside = before.findLastIndex(({ point }) => !contains(bounds, point));
      const since = before[outside + 1]?.at ?? where.at;
      const at = Math.max(since, current?.at ?? since);
      this.end(at);
      this.#current = { thing, bounds, cursor: where.point, at };
    }
    this.#trail = [where, ...after];
    const left = after.find(({ point }) => !contains(bounds, point));
    if (left) this.end(left.at);
  }

  /** Whatever it dwells on ends now. */
  end(at: number): void {
    const current = this.#current;
    this.#current = undefined;
    if (!current) return;
    const { bounds: _, ...open } = current;
    const ms = at - open.at;
    if (ms >= this.#minMs) this.#done.push({ ...open, ms });
  }
}

const around = ({ x, y }: ScreenPoint): Rect => ({
  x: x - nearby,
  y: y - nearby,
  width: 2 * nearby + 1,
  height: 2 * nearby + 1,
});
