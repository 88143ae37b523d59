import { ToolError } from "../../base/errors.ts";
import { contains, intersect, type Rect } from "../../base/geometry.ts";
import type { Events, SecretField } from "../../platform/backend.ts";

interface Watched {
  /** Where its password fields are. A blinking caret inside a field does not move it. */
  fields: readonly Rect[];
  askedAt: number;
  lastAt: number;
  /** When an area large enough to be anything was last painted. */
  largeAt: number;
  isReady: boolean;
  readonly watching: Promise<AsyncDisposable | undefined>;
}

// What a theme draws around a field: its border and focus ring.
const rimOf = 6;
const mostWindows = 40;
// The area of a small field; scrolling repaints more than that.
const smallArea = 2_500;
const forgetMs = 60_000;

/** When the windows that show password fields last painted. */
export class Paints implements AsyncDisposable {
  readonly #damage: Events["damage"];
  readonly #windows = new Map<number, Watched>();

  constructor(events: Events | undefined) {
    this.#damage = events?.damage?.bind(events);
  }

  /**
   * When something was last painted across the fields; now if that is not known yet, undefined if it never will be.
   */
  async lastAt(fields: readonly SecretField[]): Promise<number | undefined> {
    if (!this.#damage) return undefined;
    const now = performance.now();
    for (const [id, { askedAt }] of this.#windows) if (now - askedAt > forgetMs) this.#forget(id);
    const ids = [...new Set(fields.map(({ windowId }) => windowId))];
    const times = await Promise.all(
      ids.map(async (windowId) => {
        const own = fields.filter((field) => field.windowId === windowId).map(({ bounds }) => bounds);
        return windowId === undefined ? now : this.#lastIn(windowId, own);
      }),
    );
    return Math.max(0, ...times);
  }

  /** When enough of the window was last painted for a field to have appeared; now if that is unknown. */
  largeAt(windowId: number): number {
    const now = performance.now();
    const known = this.#windows.get(windowId) ?? this.#watch(windowId, [], now);
    if (known) known.askedAt = now;
    return known?.isReady === true ? known.largeAt : now;
  }

  async #lastIn(windowId: number, fields: readonly Rect[]): Promise<number> {
    const now = performance.now();
    const known = this.#windows.get(windowId) ?? this.#watch(windowId, fields, now);
    if (!known || !(await known.watching)) return now;
    known.fields = fields;
    known.askedAt = now;
    return known.lastAt;
  }

  #watch(windowId: number, fields: readonly Rect[], now: number): Watched | undefined {
    const damage = this.#damage;
    if (!damage || this.#windows.size >= mostWindows) return undefined;
    const watching = damage(windowId, (part) => {
      if (part.width * part.height > smallArea) watched.largeAt = performance.now();
      if (watched.fields.some((field) => isMoving(part, field))) watched.lastAt = performance.now();
    }).then(
      (stop) => {
        watched.largeAt = performance.now();
        watched.isReady = true;
        return stop;
      },
      (error: unknown) => {
        this.#windows.delete(windowId);
        if (!(error instanceof ToolError)) throw error;
        return undefined;
      },
    );
    watching.catch(() => {});
    const watched: Watched = { fields, askedAt: now, lastAt: now, largeAt: now, isReady: false, watching };
    this.#windows.set(windowId, watched);
    return watched;
  }

  #forget(windowId: number): void {
    const known = this.#windows.get(windowId);
    this.#windows.delete(windowId);
    void known?.watching.then((each) => each?.[Symbol.asyncDispose]()).catch(() => {});
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const id of this.#windows.keys()) this.#forget(id);
  }
}

/** Painting across a field may mean that it moved; a caret inside it, or painting beside it, does not. */
function isMoving(part: Rect, field: Rect): boolean {
  const rim = {
    x: field.x - rimOf,
    y: field.y - rimOf,
    width: field.width + 2 * rimOf,
    height: field.height + 2 * rimOf,
  };
  const isWithin =
    contains(rim, part) && part.x + part.width <= rim.x + rim.width && part.y + part.height <= rim.y + rim.height;
  return !isWithin && intersect(part, field) !== undefined;
}
