import { ToolError } from "../base/errors.ts";
import type { UiNode } from "../base/node.ts";
import { differInNumbers } from "./diff.ts";
import type { Surface } from "./surface.ts";

// A clock ticks every second; an element that has not changed for several seconds is not restless.
const memoryMs = 6_000;
// Apps are still finishing an action for a while after its effect was seen.
const tailMs = 1_500;
// Changes closer together than this count as one; only a later one makes an element restless.
const apartMs = 250;
const mostChanges = 10_000;
// Longer than the pause between two ticks of a clock.
const tickMs = 1_100;
// An element that stood still when it was last looked at may have been started since.
const trustMs = 60_000;

/**
 * Elements that change while nobody acts: clocks, progress bars, tickers. Their changes are no evidence for an
 * action. Watches from the first action until the surface is closed.
 */
export class Unrest implements AsyncDisposable {
  readonly #changes = new Map<string, { readonly at: number; readonly again: boolean }>();
  #actedAt = 0;
  #watch: Promise<AsyncDisposable | undefined> | undefined;
  #actions = 0;
  /** As they were after the last action. */
  #left: { readonly nodes: ReadonlyMap<string, UiNode>; readonly at: number } | undefined;
  /** Elements that are known not to change by themselves, and since when. */
  readonly #still = new Map<string, number>();
  /** Those of them that an action has changed, and that stood still afterwards: displays, counters. */
  readonly #checked = new Set<string>();

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

  /**
   * Called with every element as the last action left it. An action with an effect may have started a clock that stood
   * still all the time before.
   */
  leave(nodes: readonly UiNode[] | undefined, hadEffect: boolean): void {
    if (hadEffect) for (const id of this.#still.keys()) if (!this.#checked.has(id)) this.#still.delete(id);
    this.#left = nodes && { nodes: new Map(nodes.map((node) => [node.runtimeId, node])), at: performance.now() };
  }

  /** Called before the next action. What has changed since the last one did so by itself, reported or not. */
  resume(nodes: readonly UiNode[] | undefined): void {
    const [left, now] = [this.#left, performance.now()];
    if (!left || !nodes) return;
    // Apps finish an action late.
    const isOver = now - this.#actedAt >= tailMs;
    for (const node of nodes) {
      const was = left.nodes.get(node.runtimeId);
      if (!was) continue;
      const isSame = was.name === node.name && was.value === node.value;
      if (isSame && now - left.at >= tickMs) this.#trust([node.runtimeId]);
      if (isSame) continue;
      this.#distrust(node.runtimeId);
      if (isOver && differInNumbers(was, node)) this.#changes.set(node.runtimeId, { at: now, again: true });
    }
  }

  /** These have changed by an action, were watched afterwards, and did not change by themselves. */
  trust(ids: readonly string[]): void {
    this.#trust(ids);
    for (const id of ids) this.#checked.add(id);
  }

  #trust(ids: readonly string[]): void {
    if (this.#still.size > mostChanges) this.#forget();
    for (const id of ids) this.#still.set(id, performance.now());
  }

  #distrust(id: string): void {
    this.#still.delete(id);
    this.#checked.delete(id);
  }

  #forget(): void {
    this.#still.clear();
    this.#checked.clear();
  }

  isKnownStill(id: string): boolean {
    const at = this.#still.get(id);
    return at !== undefined && performance.now() - at < trustMs;
  }

  /** Something was done that nobody watched. */
  noteAction(): void {
    this.#left = undefined;
    this.#forget();
    this.#actedAt = performance.now();
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
    this.#distrust(runtimeId);
    const last = this.#changes.get(runtimeId);
    this.#changes.set(runtimeId, { at: now, again: last !== undefined && (last.again || now - last.at > apartMs) });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await (await this.#watch)?.[Symbol.asyncDispose]();
  }
}
