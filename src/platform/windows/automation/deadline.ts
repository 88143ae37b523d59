import { ToolError } from "../../../base/errors.ts";

/** Tells whoever waits for this thread that it is not stuck. Set by the thread. */
export const heartbeat = { beat: (): void => {} };

/** Whoever asks does not wait longer than this for an answer in many parts. */
const mostMs = 20_000;

/**
 * How long an app may be silent. A big tree takes many answers and more time than that, so every answer starts it anew.
 * Checked between calls: a silent app ends the reading and not the thread.
 */
export class Deadline {
  readonly #ms: number;
  readonly #last = performance.now() + mostMs;
  #end: number;

  constructor(ms: number) {
    this.#ms = ms;
    this.#end = performance.now() + ms;
  }

  get left(): number {
    return Math.max(0, Math.min(this.#end, this.#last) - performance.now());
  }

  /** The app has answered. */
  heard(): void {
    this.#end = performance.now() + this.#ms;
    heartbeat.beat();
  }

  /** Before the next question. */
  check(): void {
    if (this.left === 0) throw this.passed();
  }

  passed(): ToolError {
    return new ToolError("timeout", `The app did not answer within ${this.#ms} ms.`, {
      hint: "It may be busy or hang: look at it with a screenshot, and try again.",
    });
  }
}
