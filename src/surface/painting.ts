import { sleep } from "../base/async.ts";
import { ToolError } from "../base/errors.ts";
import { intersect, overlapArea, sameRect, type Rect } from "../base/geometry.ts";
import { grow, isCaret } from "./judge.ts";
import { squareUnits } from "./state.ts";
import type { Surface } from "./surface.ts";

interface Paint {
  readonly part: Rect;
  readonly at: number;
  /** So soon after an action that it may be part of it. */
  readonly isLate: boolean;
}

/** A part of a window that is painted again and again while nobody acts. */
interface Moving {
  readonly part: Rect;
  /** The time between two paints. */
  readonly everyMs: number;
  readonly lastAt: number;
  /** The last turns were about as long as one another, and not as short as the steps of a fade. */
  readonly isSteady: boolean;
}

interface Watched {
  readonly bounds: Rect;
  readonly watch: AsyncDisposable;
  readonly since: number;
  /** While nobody acted. */
  idle: Paint[];
  /** During the action. */
  acted: Paint[];
  /** During the action before. */
  earlier: readonly Paint[];
  /** What moved when the action began. */
  moving: readonly Moving[];
  /** When it had last been watched for a tick while nobody acted. */
  restedAt: number;
}

/** A clock ticks every second. */
export const tickMs = 1_150;
// A window that stood still when it was last looked at may have been started since.
const trustMs = 60_000;
const mostPaints = 100;
const mostWindows = 4;
// One reaction is often painted in several steps.
const apartMs = 100;
// Apps go on painting for a moment after an action: a slider glides, a scroll bar fades.
const tailMs = 500;
// What has missed two of its turns has stopped.
const missedTurns = 2.2;
const shortestStopMs = 600;
// Fades and glows are painted at shorter distances, and a clock at no longer ones.
const shortestTurnMs = 300;
// Timers of a busy app come late.
const unevenness = 1.6;
// What has been painted more often and is not even is no movement of this kind.
const mostTurns = 4;
const everyMs = 90;

/**
 * Where windows are painted while nobody acts: a moving border around copied cells, a drawn clock. Pixels that change
 * there are no evidence for an action. Watches the windows that were acted on last.
 */
export class Painting implements AsyncDisposable {
  readonly #windows = new Map<number, Watched>();
  #isActing = false;
  #idleSince = performance.now();
  #actedAt = -Infinity;
  /** When the action before was done. */
  #earlierAt = -Infinity;

  /** Runs an action. Painting during it is attributed to the action. */
  async during<T>(action: () => Promise<T>): Promise<T> {
    this.#earlierAt = this.#actedAt;
    for (const watched of this.#windows.values()) watched.earlier = watched.acted;
    this.pause();
    try {
      return await action();
    } finally {
      this.resume();
      this.#idleSince = performance.now();
    }
  }

  /** What is painted from now on is not the action's. */
  resume(): void {
    this.#isActing = false;
  }

  pause(): void {
    const now = performance.now();
    this.#isActing = true;
    this.#actedAt = now;
    for (const watched of this.#windows.values()) {
      if (now - Math.max(this.#idleSince, watched.since) >= tickMs) watched.restedAt = now;
      watched.idle = watched.idle.filter(({ at }) => now - at < trustMs);
      const recent = watched.idle.filter(({ at, isLate }) => !isLate && now - at < 3 * tickMs);
      const steady = repeated(this.#sinceEarlier(watched)).filter(({ isSteady }) => isSteady);
      watched.moving = [...repeated(recent), ...steady].filter(isUnderWay(now));
      watched.acted = [];
    }
  }

  /** Watches this window, at this place, until others were acted on. */
  async watch(
    { backend }: Pick<Surface, "backend">,
    windowId: number,
    bounds: Rect,
    signal: AbortSignal,
  ): Promise<void> {
    const known = this.#windows.get(windowId);
    this.#windows.delete(windowId);
    if (known && sameRect(known.bounds, bounds)) return void this.#windows.set(windowId, known);
    await known?.watch[Symbol.asyncDispose]();
    try {
      const watch = await backend.events?.damage?.(windowId, (part) => this.#note(windowId, part), { signal });
      const since = performance.now();
      if (watch)
        this.#windows.set(windowId, {
          bounds,
          watch,
          since,
          idle: [],
          acted: [],
          earlier: [],
          moving: [],
          restedAt: -Infinity,
        });
    } catch (error) {
      if (signal.aborted || !(error instanceof ToolError)) throw error;
    }
    const [oldest] = this.#windows;
    if (!oldest || this.#windows.size <= mostWindows) return;
    this.#windows.delete(oldest[0]);
    await oldest[1].watch[Symbol.asyncDispose]();
  }

  /**
   * Called before an action. What the action before may have set in motion, such as the border around copied cells, has
   * to be seen at least three times: otherwise the next action could stop it, and nobody would know that it had moved.
   */
  async seeMotion(windowId: number, signal: AbortSignal): Promise<void> {
    const watched = this.#windows.get(windowId);
    if (!watched) return;
    for (const until = performance.now() + unevenness * tickMs; performance.now() < until;) {
      if (!mayRepeat(this.#sinceEarlier(watched), performance.now())) return;
      await sleep(everyMs, signal);
    }
  }

  #sinceEarlier({ earlier, idle }: Watched): readonly Paint[] {
    return [...earlier, ...idle.filter(({ at }) => at >= this.#earlierAt)];
  }

  #note(windowId: number, part: Rect): void {
    const watched = this.#windows.get(windowId);
    if (!watched || isCaret(part)) return;
    const paints = this.#isActing ? watched.acted : watched.idle;
    const at = performance.now();
    paints.push({ part, at, isLate: at - this.#idleSince < tailMs });
    if (paints.length > mostPaints) paints.shift();
  }

  /** Whether this part is known not to be painted by itself; true also where painting is not reported. */
  isKnownStill(windowId: number, part: Rect): boolean {
    const watched = this.#windows.get(windowId);
    if (!watched) return true;
    const isRecent = performance.now() - watched.restedAt < trustMs;
    return isRecent && !watched.idle.some((paint) => intersect(paint.part, part));
  }

  /** The window was watched for a tick and nothing moved. */
  trust(windowId: number): void {
    const watched = this.#windows.get(windowId);
    if (!watched) return;
    watched.idle = [];
    watched.restedAt = performance.now();
  }

  /** Whether all of this part moved by itself before the action. */
  wasMoving(windowId: number, part: Rect): boolean {
    const moving = this.#windows.get(windowId)?.moving ?? [];
    // Pictures are compared in squares, so the evidence is a little larger than what was painted.
    return moving.some((each) => overlapArea(grow(each.part, squareUnits), part) === part.width * part.height);
  }

  /** Whether something that moved by itself before the action has stopped. */
  async hasStopped(windowId: number, signal: AbortSignal): Promise<boolean> {
    const watched = this.#windows.get(windowId);
    for (const moving of watched?.moving ?? []) if (watched && (await isOver(watched, moving, signal))) return true;
    return false;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const all = [...this.#windows.values()];
    this.#windows.clear();
    await Promise.allSettled(all.map(({ watch }) => watch[Symbol.asyncDispose]()));
  }
}

/** The parts that were painted at least three times, at some distance. */
function repeated(paints: readonly Paint[]): readonly Moving[] {
  const found: Moving[] = [];
  for (const { part } of paints) {
    if (found.some((each) => isMostly(each.part, part))) continue;
    const times = turns(paints, part);
    const [first, last] = [times[0], times.at(-1)];
    if (first === undefined || last === undefined || times.length < 3) continue;
    const isSteady = isEven(times);
    found.push({ part, everyMs: (last - first) / (times.length - 1), lastAt: last, isSteady });
  }
  return found;
}

/** Of the last three; what came before them may have been the action's own. */
function isEven(times: readonly number[]): boolean {
  const [first, second, third] = times.slice(-3);
  if (first === undefined || second === undefined || third === undefined) return false;
  const [shorter, longer] = [Math.min(second - first, third - second), Math.max(second - first, third - second)];
  return shorter >= shortestTurnMs && longer <= unevenness * shorter;
}

/** Something was painted twice at the distance of a movement, and it is not yet time for the next turn. */
const mayRepeat = (paints: readonly Paint[], now: number): boolean =>
  paints.some(({ part }) => {
    const times = turns(paints, part);
    const [before, last] = times.slice(-2);
    if (before === undefined || last === undefined || times.length > mostTurns || isEven(times)) return false;
    const turnMs = last - before;
    return turnMs >= shortestTurnMs && turnMs <= tickMs && now - last < unevenness * turnMs;
  });

/** An app that has just started paints a few times and is then done; no action has stopped that. */
const isUnderWay =
  (now: number) =>
  ({ everyMs: turnMs, lastAt }: Moving): boolean =>
    now - lastAt < missedTurns * turnMs;

/** When this part was painted; steps of one reaction count once. */
function turns(paints: readonly Paint[], part: Rect): readonly number[] {
  const times: number[] = [];
  for (const paint of paints) {
    if (isMostly(paint.part, part) && paint.at - (times.at(-1) ?? -Infinity) > apartMs) times.push(paint.at);
  }
  return times;
}

const isMostly = (one: Rect, other: Rect): boolean =>
  overlapArea(one, other) * 2 > Math.max(one.width * one.height, other.width * other.height);

async function isOver(watched: Watched, { part, everyMs: turnMs }: Moving, signal: AbortSignal): Promise<boolean> {
  const patienceMs = Math.max(shortestStopMs, missedTurns * turnMs);
  for (;;) {
    const times = turns(watched.acted, part);
    // The first may be the action's own: it wiped away what moved.
    if (times.length > 1) return false;
    const lastAt = times[0] ?? watched.idle.at(-1)?.at ?? 0;
    if (performance.now() - lastAt >= patienceMs) return true;
    await sleep(everyMs, signal);
  }
}
