import { ToolError } from "../base/errors.ts";
import type { Surface } from "./surface.ts";

// What an action hits and changes is evidence for its effect, and worth no more time than this.
const usualEvidenceMs = 700;

/** How long an app may be silent when it is asked for evidence. */
export const evidenceMs = ({ backend }: Surface): number => backend.elements?.evidenceMs ?? usualEvidenceMs;

// An action that fails before it is verified leaves its findings behind; by then the app may answer again.
const memoryMs = 5_000;

/**
 * Apps that were silent when they were asked for evidence before an action. They are not asked again before it has ended:
 * one question tells that an app is frozen, and each further one would cost as much again.
 */
export class Silence {
  readonly #since = new Map<number, number>();

  /** Undefined where the app does not answer, or is known not to. */
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

  /** The action has ended. */
  clear(): void {
    this.#since.clear();
  }
}
