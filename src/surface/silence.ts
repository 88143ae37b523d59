import { ToolError } from "../base/errors.ts";
import type { Surface } from "./surface.ts";

// Evidence for an effect is not worth waiting longer than this.
const usualEvidenceMs = 700;

/** How long to wait for an app when collecting evidence. */
export const evidenceMs = ({ backend }: Surface): number => backend.elements?.evidenceMs ?? usualEvidenceMs;

// An action that fails before it is verified leaves its findings behind; after this time the app may respond again.
const memoryMs = 5_000;

/**
 * Apps that did not respond when asked for evidence. They are not asked again until the action has ended: one timeout
 * shows that an app is frozen, and every further question would wait just as long.
 */
export class Silence {
  readonly #since = new Map<number, number>();

  /** Undefined if the app does not respond, or is known not to. */
  async ask<T>(pid: number | undefined, question: () => Promise<T>): Promise<T | undefined> {
    if (this.has(pid)) return undefined;
    try {
      return await question();
    } catch (error) {
      if (pid !== undefined && error instanceof ToolError && error.code === "timeout") {
        this.#since.set(pid, performance.now());
      }
      throw error;
    }
  }

  has(pid: number | undefined): boolean {
    const since = pid === undefined ? undefined : this.#since.get(pid);
    return since !== undefined && performance.now() - since < memoryMs;
  }

  get isEmpty(): boolean {
    return this.#since.size === 0;
  }

  /** Called when the action has ended. */
  clear(): void {
    this.#since.clear();
  }
}
