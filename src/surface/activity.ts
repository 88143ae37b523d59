import { cancelled } from "../base/async.ts";
import { intersect, type Rect } from "../base/geometry.ts";
import type { ElementEventKind, WatchOptions } from "../platform/backend.ts";
import type { Surface } from "./surface.ts";

const kinds: readonly ElementEventKind[] = ["focus", "children", "state", "property", "text", "window"];

// Polling interval when the backend has no events.
const lookAgainMs = 120;

/** Notices activity in one app or window. Polls only if the backend has no events. */
export class Activity implements AsyncDisposable {
  #lastAt = performance.now();
  #toldAt = performance.now();
  #wake: (() => void) | undefined;
  #animated: Rect | undefined;
  #painted = false;
  readonly #watches: AsyncDisposable[] = [];

  /** False when the backend has no events and changes can only be found by polling. */
  get isLive(): boolean {
    return this.#watches.length > 0;
  }

  static async open(
    surface: Surface,
    scope: { readonly pid: number | undefined; readonly windowId: number | undefined },
    signal: AbortSignal,
    { leavesNothing = false }: Pick<WatchOptions, "leavesNothing"> = {},
  ): Promise<Activity> {
    const activity = new Activity();
    const { events } = surface.backend;
    const tell = () => {
      activity.#toldAt = performance.now();
      activity.#note();
    };
    if (events) {
      const ofApp = (event: { readonly pid?: number | undefined }) => {
        if (scope.pid === undefined || event.pid === undefined || event.pid === scope.pid) tell();
      };
      // If the accessibility bus is down, pixels can still be watched, and vice versa.
      const watches = [
        events.watch(kinds, ofApp, { signal, leavesNothing }),
        ...(events.damage ? [events.damage(scope.windowId, (part) => activity.#paint(part), { signal })] : []),
      ];
      for (const watch of await Promise.allSettled(watches)) {
        if (watch.status === "fulfilled") activity.#watches.push(watch.value);
      }
    }
    return activity;
  }

  /** When something last happened. */
  get lastAt(): number {
    return this.#lastAt;
  }

  /** When the app last reported a change to its elements; it can repaint without reporting one. */
  get toldAt(): number {
    return this.#toldAt;
  }

  /** This part of the screen is animated; painting inside it does not count. */
  ignorePainting(part: Rect | undefined): void {
    this.#animated = part;
  }

  /** Whether anything was painted since opening or the last reset. */
  get hasPainted(): boolean {
    return this.#painted;
  }

  #paint(part: Rect): void {
    this.#painted = true;
    const animated = this.#animated;
    const common = animated && intersect(part, animated);
    if (!common || common.width < part.width || common.height < part.height) this.#note();
  }

  #note(): void {
    this.#lastAt = performance.now();
    this.#wake?.();
  }

  /** Starts over: what happened before no longer counts. */
  reset(): void {
    this.#painted = false;
    this.#lastAt = performance.now();
  }

  /** Resolves when nothing has happened for `quietMs`, or at `until` at the latest. */
  async quiet(quietMs: number, until: number, signal: AbortSignal): Promise<void> {
    for (;;) {
      const now = performance.now();
      const left = Math.min(this.#lastAt + quietMs, until) - now;
      if (left <= 0) return;
      await this.#pause(left, signal, false);
    }
  }

  /** Resolves when something happens, when it is time to poll, or at `until`. */
  async next(until: number, signal: AbortSignal): Promise<void> {
    const left = until - performance.now();
    if (left > 0) await this.#pause(this.isLive ? left : Math.min(left, lookAgainMs), signal, true);
  }

  #pause(ms: number, signal: AbortSignal, wakes: boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(cancelled(signal));
      const finish = (settle: () => void) => {
        clearTimeout(timer);
        signal.removeEventListener("abort", onAbort);
        this.#wake = undefined;
        settle();
      };
      const onAbort = () => finish(() => reject(cancelled(signal)));
      const timer = setTimeout(() => finish(resolve), ms);
      signal.addEventListener("abort", onAbort, { once: true });
      if (wakes) this.#wake = () => finish(resolve);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.allSettled(this.#watches.map((watch) => watch[Symbol.asyncDispose]()));
  }
}
