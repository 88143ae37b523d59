import { setMaxListeners } from "node:events";
import { ToolError } from "./errors.ts";

/** The error of a cancelled call, whatever reason the signal has. */
export function cancelled(signal: AbortSignal): ToolError {
  return signal.reason instanceof ToolError
    ? signal.reason
    : new ToolError("cancelled", "The call was cancelled.", { cause: signal.reason });
}

export function throwIfCancelled(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw cancelled(signal);
}

/** Resolves after `ms`, or rejects at once when the signal aborts. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(cancelled(signal));
    const onAbort = () => {
      clearTimeout(timer);
      reject(cancelled(signal as AbortSignal));
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", onAbort);
      resolve();
    }, ms);
    signal?.addEventListener("abort", onAbort, { once: true });
  });
}

/**
 * Runs the work with a signal that aborts when any of these does. Not `AbortSignal.any`: Node 20 never releases
 * signals derived from a long-lived one, so a server would grow with every call.
 */
export async function withAnySignal<T>(
  signals: readonly AbortSignal[],
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const inner = new AbortController();
  const listeners = signals.map((signal) => ({ signal, pass: () => inner.abort(signal.reason) }));
  for (const { signal, pass } of listeners) {
    if (signal.aborted) pass();
    else signal.addEventListener("abort", pass, { once: true });
  }
  try {
    return await work(inner.signal);
  } finally {
    for (const { signal, pass } of listeners) signal.removeEventListener("abort", pass);
  }
}

export interface DeadlineOptions {
  readonly ms: number;
  /** What was awaited, for the message: "… did not finish within 500 ms". */
  readonly what: string;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Settles as the work does, unless the time runs out (`timeout`) or the signal aborts (`cancelled`) first.
 * The work itself gets a signal that aborts in both cases.
 */
export async function withDeadline<T>(options: DeadlineOptions, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  throwIfCancelled(options.signal);
  const inner = new AbortController();
  // Every request adds a listener; Node reports more than ten as a leak on stderr.
  setMaxListeners(0, inner.signal);
  let timer: NodeJS.Timeout | undefined;
  let onAbort: (() => void) | undefined;
  const ended = new Promise<never>((_resolve, reject) => {
    const stop = (error: ToolError) => {
      inner.abort(error);
      reject(error);
    };
    timer = setTimeout(
      () => stop(new ToolError("timeout", `${options.what} did not finish within ${options.ms} ms.`)),
      options.ms,
    );
    onAbort = () => stop(cancelled(options.signal as AbortSignal));
    options.signal?.addEventListener("abort", onAbort, { once: true });
  });
  try {
    return await Promise.race([work(inner.signal), ended]);
  } finally {
    clearTimeout(timer);
    if (onAbort) options.signal?.removeEventListener("abort", onAbort);
  }
}

export interface PollOptions {
  readonly timeoutMs: number;
  readonly everyMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** Asks until there is an answer; undefined when the time is up. A timeout of 0 asks exactly once. */
export async function poll<T>(ask: () => Promise<T | undefined>, options: PollOptions): Promise<T | undefined> {
  const end = performance.now() + options.timeoutMs;
  for (;;) {
    throwIfCancelled(options.signal);
    const answer = await ask();
    if (answer !== undefined) return answer;
    const left = end - performance.now();
    if (left <= 0) return undefined;
    await sleep(Math.min(options.everyMs, left), options.signal);
  }
}

type Waiter = { readonly shared: boolean; readonly grant: () => void };

/**
 * Observers share it, an actor has it alone. First come, first served: a waiting actor holds back the observers
 * behind it, so a stream of screenshots cannot starve a click.
 */
export class Lock {
  #readers = 0;
  #writing = false;
  readonly #queue: Waiter[] = [];

  async run<T>(mode: "shared" | "exclusive", signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
    const release = await this.#acquire(mode === "shared", signal);
    try {
      return await work();
    } finally {
      release();
    }
  }

  #acquire(shared: boolean, signal: AbortSignal | undefined): Promise<() => void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(cancelled(signal));
      const onAbort = () => {
        this.#queue.splice(this.#queue.indexOf(waiter), 1);
        this.#wake();
        reject(cancelled(signal as AbortSignal));
      };
      const waiter: Waiter = {
        shared,
        grant: () => {
          signal?.removeEventListener("abort", onAbort);
          resolve(this.#release(shared));
        },
      };
      signal?.addEventListener("abort", onAbort, { once: true });
      this.#queue.push(waiter);
      this.#wake();
    });
  }

  #release(shared: boolean): () => void {
    return () => {
      if (shared) this.#readers--;
      else this.#writing = false;
      this.#wake();
    };
  }

  #wake(): void {
    for (;;) {
      const next = this.#queue[0];
      if (!next || this.#writing || (!next.shared && this.#readers > 0)) return;
      this.#queue.shift();
      if (next.shared) this.#readers++;
      else this.#writing = true;
      next.grant();
    }
  }
}
