import { ToolError } from "../base/errors.ts";
import type { Surface } from "./surface.ts";

// A clock ticks every second; what has not moved for several is not restless.
const memoryMs = 6_000;
// The tail of an action is still the action: apps finish what they do after the effect was seen.
const tailMs = 1_500;
// Two changes in one breath are one change; ticking is changing again.
const apartMs = 250;
const mostChanges = 10_000;

/**
 * Elements that change while nobody acts: clocks, progress bars, tickers. Their changes are no evidence for an action.
 * Watches from the first action on, for as long as the surface lives.
 */
export class Unrest implements AsyncDisposable {
  readonly #changes = new Map<string, { readonly at: number; readonly again: boolean }>();
  #actedAt = 0;
  #watch: Promise<AsyncDisposable | undefined> | undefined;
  #actions = 0;

  /** Runs the action; what changes meanwhile is taken for its doing. */
  async during<T>(surface: Surface, signal: AbortSignal, action: () => Promise<T>): Promise<T> {
    await (this.#watch ??= this.#open(surface, signal));
    this.#actions++;
    try {
      return await action();
    } finally {
      this.#actions--;
      this.#actedAt = performance.now();
    }
  }

  /** Elements that have changed by themselves lately. */
  restless(): ReadonlySet<string> {
    const since = performance.now() - memoryMs;
    for (const [id, { at }] of this.#changes) if (at < since) this.#changes.delete(id);
    return new Set([...this.#changes].filter(([, { again }]) => again).map(([id]) => id));
  }

  async #open(surface: Surface, signal: AbortSignal): Promise<AsyncDisposable | undefined> {
    try {
      return await surface.backend.events?.watch(["property", "text", "state"], ({ runtimeId, detail }) => {
        if (detail !== "focused") this.#note(runtimeId);
      });
    } catch (error) {
      if (signal.aborted || !(error instanceof ToolError)) throw error;
      return undefined;
    }
  }

  #note(runtimeId: string): void {
    const now = performance.now();
    if (this.#actions > 0 || now - this.#actedAt < tailMs) return;
    // An app that goes on making new elements, while nobody acts.
    if (this.#changes.size > mostChanges) this.#changes.clear();
    const last = this.#changes.get(runtimeId);
    this.#changes.set(runtimeId, { at: now, again: last !== undefined && (last.again || now - last.at > apartMs) });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await (await this.#watch)?.[Symbol.asyncDispose]();
  }
}
