import { sleep } from "../base/async.ts";
import { ToolError } from "../base/errors.ts";
import type { Rect, ScreenPoint } from "../base/geometry.ts";
import type { WindowInfo } from "../platform/backend.ts";
import { Dwells, type Dwell, type Place, type Restable } from "./dwells.ts";
import type { Surface } from "./surface.ts";
import { findUnder, windowUnder, type Under } from "./under-pointer.ts";

/** What the pointer rested on, as it was then. */
export interface Hovered extends Restable {
  readonly source: Under["source"];
  readonly uid: string | undefined;
  readonly role: string;
  readonly name: string;
  readonly label: string | undefined;
  readonly appName: string;
  readonly pid: number | undefined;
  readonly bounds: Rect;
}

/** Milliseconds since the epoch. */
export type HoverDwell = Dwell<Hovered>;

export interface HoverOptions {
  readonly pollMs: number;
  readonly minDwellMs: number;
  /** Only what belongs to this process. */
  readonly pid?: number | undefined;
  /** Whether this window may be looked at. Not called for blocked windows. */
  readonly permits: (window: WindowInfo) => boolean;
  readonly onDwell: (dwell: HoverDwell) => void;
}

// An app that takes longer would hold up the next pause, too.
const answerMs = 1_000;
// An answer says what is at a place now; long after the rest, that may be something else.
const mostWaiting = 4;
const looksPerInterval = 2;
/** A hand on a mouse trembles. */
const trembling = 3;

/**
 * Follows the pointer. Where it is, is asked for only while it moves, at a steady pace; what is under it, only once it
 * rests, and once for every rest.
 */
export class Hover {
  readonly skipped = { blocked: 0, failed: 0 };
  readonly #surface: Surface;
  readonly #options: HoverOptions;
  readonly #dwells: Dwells<Hovered>;
  #hasMoved = true;
  #movedAt = now();
  #wake: () => void = () => {};
  /** Where the pointer rests, if what is there has been asked for. */
  #asked: Place | undefined;
  #asking: Promise<void> = Promise.resolve();
  /** Rests that were not asked about yet, oldest first. */
  readonly #waiting: Place[] = [];
  #isAsking = false;

  constructor(surface: Surface, options: HoverOptions) {
    this.#surface = surface;
    this.#options = options;
    this.#dwells = new Dwells(options.minDwellMs);
  }

  /** What it rests on now. */
  get current(): Omit<HoverDwell, "ms"> | undefined {
    return this.#dwells.current;
  }

  /** Until the signal aborts; `onStart` is called once it listens. Rejects when the surface is lost. */
  async run(signal: AbortSignal, onStart: () => void): Promise<void> {
    const input = this.#surface.need("input");
    const onMove = (): void => {
      this.#hasMoved = true;
      this.#movedAt = now();
      this.#wake();
    };
    const watch = await input.watchPointer(onMove, { signal });
    signal.addEventListener("abort", onMove, { once: true });
    try {
      onStart();
      while (!signal.aborted) {
        await this.#movement();
        if (!signal.aborted) this.#rest(await this.#untilStill(signal), signal);
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      await this.#asking;
      this.#dwells.end(now());
      this.#tell();
      // The connection may be what was lost.
      await Promise.allSettled([watch[Symbol.asyncDispose]()]);
    }
  }

  #movement(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
      if (this.#hasMoved) resolve();
    });
  }

  /**
   * Where it has come to rest: not moved for one interval, or no further than a hand trembles for two. Its arrival and its
   * departure are each seen up to one look late, so there are two looks in an interval: a dwell is exact to one.
   */
  async #untilStill(signal: AbortSignal): Promise<Place> {
    let place = await this.#look(signal);
    for (let [trembles, stills] = [0, 0]; ;) {
      await sleep(this.#options.pollMs / looksPerInterval, signal);
      if (this.#hasMoved) {
        stills = 0;
        const next = await this.#look(signal);
        if (!isNear(place.point, next.point)) {
          place = next;
          trembles = 0;
        } else if (++trembles === 2 * looksPerInterval) return next;
      } else if (++stills === looksPerInterval) return place;
    }
  }

  async #look(signal: AbortSignal): Promise<Place> {
    this.#hasMoved = false;
    const point = await this.#surface.need("input").position({ signal });
    // It has been here since it moved last, however late this look is.
    const place = { at: this.#movedAt, point };
    const dwelt = this.#dwells.current;
    this.#dwells.moved(place);
    const hasLeft = dwelt !== undefined && this.#dwells.current === undefined;
    if (hasLeft || (this.#asked && !isNear(this.#asked.point, point))) this.#asked = undefined;
    this.#tell();
    return place;
  }

  #rest(place: Place, signal: AbortSignal): void {
    if (this.#asked) return;
    this.#asked = place;
    this.#waiting.push(place);
    if (this.#waiting.length > mostWaiting) {
      this.#waiting.shift();
      this.skipped.failed++;
    }
    if (!this.#isAsking) this.#asking = this.#askAll(signal);
  }

  /** One question at a time, in the order of the rests. */
  async #askAll(signal: AbortSignal): Promise<void> {
    this.#isAsking = true;
    try {
      for (let place = this.#waiting.shift(); place && !signal.aborted; place = this.#waiting.shift()) {
        const found = await this.#ask(place, signal);
        if (signal.aborted) return;
        this.#dwells.found(place, found);
        this.#tell();
      }
    } finally {
      this.#isAsking = false;
    }
  }

  async #ask({ point }: Place, signal: AbortSignal): Promise<Hovered | undefined> {
    try {
      const window = await windowUnder(this.#surface, point, signal);
      if (!window || !this.#isWanted(window)) return undefined;
      const options = { signal, readsText: true, timeoutMs: answerMs };
      return this.#toHovered(await findUnder(this.#surface, point, window, options));
    } catch (error) {
      if (signal.aborted || !(error instanceof ToolError)) return undefined;
      if (error.code === "denied") this.skipped.blocked++;
      else this.skipped.failed++;
      return undefined;
    }
  }

  #isWanted(window: WindowInfo): boolean {
    const { pid, permits } = this.#options;
    if (pid !== undefined && window.pid !== pid) return false;
    if (permits(window)) return true;
    this.skipped.blocked++;
    return false;
  }

  #toHovered({ source, window, bounds, role, name, node }: Under): Hovered {
    return {
      id: node?.runtimeId ?? `${source} ${window.id} ${bounds.x},${bounds.y} ${name}`,
      source,
      uid: node && this.#surface.snapshots.refOf(node),
      role,
      name,
      label: node?.description,
      appName: window.appName,
      pid: node?.pid ?? window.pid,
      bounds,
    };
  }

  #tell(): void {
    for (const dwell of this.#dwells.take()) this.#options.onDwell(dwell);
  }
}

/** Milliseconds since the epoch that never go back, whatever the clock is set to. */
const now = (): number => performance.timeOrigin + performance.now();

const isNear = (a: ScreenPoint, b: ScreenPoint): boolean =>
  Math.abs(a.x - b.x) <= trembling && Math.abs(a.y - b.y) <= trembling;
