import { setMaxListeners } from "node:events";
import { ToolError } from "../../base/errors.ts";
import type { Log } from "../../base/log.ts";
import type { Lasting } from "../tool.ts";

/** Why something that goes on after a call has ended. */
export const endings = ["stopped", "max_duration", "emergency_stop", "disconnected", "screen_lost", "failed"] as const;
export type Ending = (typeof endings)[number];

export interface LastingOptions {
  readonly maxDurationMs: number;
  readonly lasting: Lasting;
  /** Shows the person that they are watched, until disposed. */
  readonly indicate: () => Promise<AsyncDisposable>;
}

/** Something that goes on until something ends it. */
export abstract class LastingSession {
  readonly startedAt = Date.now();
  /** Settles when it is over; never rejects. */
  done: Promise<void> = Promise.resolve();
  readonly #options: LastingOptions;
  readonly #log: Log;
  readonly #controller = new AbortController();
  #why: Ending | undefined;
  #error: unknown;

  constructor(options: LastingOptions, log: Log) {
    this.#options = options;
    this.#log = log;
    // Every request in flight adds a listener; Node reports more than ten as a leak on stderr.
    setMaxListeners(0, this.#controller.signal);
  }

  /** `onStart` is called once it goes on. Rejects when it cannot. */
  protected abstract run(signal: AbortSignal, onStart: () => void): Promise<void>;

  /** Why it has failed, in a few words. */
  protected abstract readonly failure: string;

  get isGoingOn(): boolean {
    return this.#why === undefined;
  }

  /** Nobody is left to collect it. */
  get isAbandoned(): boolean {
    return this.#why === "disconnected";
  }

  get ending(): { readonly why: Ending; readonly message: string } | undefined {
    const why = this.#why;
    if (why === undefined) return undefined;
    const detail = this.#error instanceof ToolError ? ` ${this.#error.message}` : "";
    return { why, message: `${this.#explain(why)}${detail}` };
  }

  #explain(why: Ending): string {
    switch (why) {
      case "stopped":
        return "It was stopped.";
      case "max_duration":
        return "It reached max_duration_ms.";
      case "emergency_stop":
        return "The emergency stop ended it.";
      case "disconnected":
        return "The client that started it, or the server, went away.";
      case "screen_lost":
        return "The screen or page was lost.";
      case "failed":
        return this.failure;
    }
  }

  /** Resolves once it goes on. */
  async begin(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.done = this.#go(resolve).then(() => {
        if (this.#error === undefined) resolve();
        else reject(this.#error);
      });
    });
  }

  end(why: Ending): void {
    if (!this.isGoingOn) return;
    this.#why = why;
    this.#controller.abort();
  }

  async #go(onStart: () => void): Promise<void> {
    const { lasting, maxDurationMs, indicate } = this.#options;
    await using _indicator = await indicate();
    const timer = setTimeout(() => this.end("max_duration"), maxDurationMs);
    const ends = [
      { signal: lasting.stopping, end: () => this.end("emergency_stop") },
      { signal: lasting.connection, end: () => this.end("disconnected") },
    ];
    for (const { signal, end } of ends) {
      if (signal?.aborted) end();
      signal?.addEventListener("abort", end, { once: true });
    }
    try {
      await this.run(this.#controller.signal, onStart);
    } catch (error) {
      // An error after it was ended from outside does not matter.
      if (this.isGoingOn) this.#fail(error);
    } finally {
      clearTimeout(timer);
      for (const { signal, end } of ends) signal?.removeEventListener("abort", end);
    }
  }

  #fail(error: unknown): void {
    this.#error = error;
    const isLost = error instanceof ToolError && (error.code === "not_connected" || error.code === "window_gone");
    this.#why = isLost ? "screen_lost" : "failed";
    if (!(error instanceof ToolError)) this.#log.error(this.failure, error);
  }
}
