import { setMaxListeners } from "node:events";
import { ToolError } from "../../base/errors.ts";
import type { Demonstrated, Demonstration, DemonstrationRequest } from "../session.ts";
import type { Lasting } from "../tool.ts";

/** Why a demonstration has ended. */
export const demonstrationEndings = ["stopped", "keys", "max_duration", "emergency_stop", "disconnected"] as const;
type Ending = (typeof demonstrationEndings)[number];

interface Running {
  readonly startedAt: number;
  readonly isOver: Promise<Ending>;
  /** What was recorded; there as soon as it is over, when nothing is listened to any more. */
  readonly result: Promise<Demonstrated>;
  readonly end: (why: Ending) => void;
  /** Where the flow is to be written. */
  readonly filePath: string | undefined;
}

export interface StartOptions extends Omit<DemonstrationRequest, "signal"> {
  readonly begin: (request: DemonstrationRequest) => Promise<Demonstration>;
  readonly indicate: () => Promise<AsyncDisposable>;
  readonly filePath: string | undefined;
  readonly maxDurationMs: number;
  readonly lasting: Lasting;
}

/** Holds the one demonstration of a session. */
export class Demonstrations implements AsyncDisposable {
  #running: Running | undefined;
  #isStarting = false;
  #count = 0;

  async start({ begin, indicate, maxDurationMs, lasting, filePath, ...request }: StartOptions): Promise<number> {
    if (this.#running || this.#isStarting) {
      throw new ToolError("already_active", "A demonstration is being recorded.", {
        hint: "Call stop_demonstration first; there is one at a time.",
      });
    }
    this.#isStarting = true;
    const abort = new AbortController();
    // Every request in flight adds a listener; Node reports more than ten as a leak on stderr.
    setMaxListeners(0, abort.signal);
    try {
      const indicator = await indicate();
      try {
        this.#count = 0;
        const onStep = (step: number, what: string): void => {
          this.#count = step;
          request.onStep(step, what);
        };
        const demonstration = await begin({ ...request, onStep, signal: abort.signal });
        let end: (why: Ending) => void = () => {};
        const isOver = new Promise<Ending>((resolve) => {
          end = resolve;
        });
        // Whatever ends it, the person is recorded no longer, even if nobody asks for the flow.
        const finish = async (): Promise<Demonstrated> => {
          await isOver;
          try {
            return await demonstration.end();
          } finally {
            abort.abort();
            await indicator[Symbol.asyncDispose]();
          }
        };
        const result = finish();
        result.catch(() => {});
        this.#running = { startedAt: Date.now(), isOver, result, end, filePath };
        this.#endBy(demonstration, this.#running, maxDurationMs, lasting);
        return this.#running.startedAt;
      } catch (error) {
        await indicator[Symbol.asyncDispose]();
        throw error;
      }
    } finally {
      this.#isStarting = false;
    }
  }

  #endBy(
    demonstration: Demonstration,
    { end, isOver }: Running,
    maxDurationMs: number,
    { stopping, connection }: Lasting,
  ): void {
    const timer = setTimeout(() => end("max_duration"), maxDurationMs);
    timer.unref();
    void demonstration.stopped.then(() => end("keys"));
    const onStop = (): void => end("emergency_stop");
    const onGone = (): void => {
      end("disconnected");
      void this[Symbol.asyncDispose]();
    };
    stopping?.addEventListener("abort", onStop, { once: true });
    connection?.addEventListener("abort", onGone, { once: true });
    // They may have been stopped or have gone while it was starting.
    if (stopping?.aborted === true) onStop();
    if (connection?.aborted === true) onGone();
    void isOver.then(() => {
      clearTimeout(timer);
      stopping?.removeEventListener("abort", onStop);
      connection?.removeEventListener("abort", onGone);
    });
  }

  /** The one that goes on: how many steps it has, and when the person has ended it or its time is over. */
  get current(): { readonly done: Promise<void>; readonly count: number } | undefined {
    const running = this.#running;
    return running && { done: running.isOver.then(() => {}), count: this.#count };
  }

  async stop(): Promise<Demonstrated & { readonly why: Ending; readonly filePath: string | undefined }> {
    const running = this.#need();
    this.#running = undefined;
    running.end("stopped");
    return { ...(await running.result), why: await running.isOver, filePath: running.filePath };
  }

  #need(): Running {
    if (this.#running) return this.#running;
    throw new ToolError("not_active", "No demonstration is being recorded in this session.", {
      hint: "Call start_demonstration first.",
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#running) await this.stop().catch(() => {});
  }
}
