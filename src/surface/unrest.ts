import { ToolError } from "../base/errors.ts";
import type { Surface } from "./surface.ts";

// A clock ticks every second; an element that has not changed for several seconds is not restless.
const memoryMs = 6_000;
// Apps are still finishing an action for a while after its effect was seen.
const tailMs = 1_500;
// Changes closer together than this count as one; only a later one makes an element restless.
const apartMs = 250;
const mostChanges = 10_000;

/**
 * Elements that change while nobody acts: clocks, progress bars, tickers. Their changes are no evidence for an
 * action. Watches from the first action until the surface is closed.
 */
export class Unrest implements AsyncDisposable {
  readonly #changes = new Map<string, { readonly at: number; readonly again: boolean }>();
  #actedAt = 0;
  #watch: Promise<AsyncDisposable | undefined> | undefined;
  #actions = 0;

  /** Runs the action. Changes during it are attributed to the action. */
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

  /** Elements that recently changed by themselves. */
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
    // An app keeps creating new elements while nobody acts.
    if (this.#changes.size > mostChanges) this.#changes.clear();
    const last = this.#changes.get(runtimeId);
    this.#changes.set(runtimeId, { at: now, again: last !== undefined && (last.again || now - last.at > apartMs) });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await (await this.#watch)?.[Symbol.asyncDispose]();
  }
}
