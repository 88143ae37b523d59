import { cancelled } from "../../../base/async.ts";
import { ToolError } from "../../../base/errors.ts";
import { showMethod, type BusCallOptions, type Method } from "./method.ts";
import type { Value } from "./value.ts";

interface Pending {
  readonly method: Method;
  readonly timeoutMs: number;
  readonly deadline: number;
  readonly signal: AbortSignal | undefined;
  readonly resolve: (values: readonly Value[]) => void;
  readonly reject: (error: Error) => void;
}

const defaultTimeoutMs = 2000;

/**
 * The calls that await a reply. One timer serves all deadlines, and one listener per signal serves all its calls: a
 * walk has thousands of calls in flight, and a timer or listener for each would cost more than the call.
 */
export class Pendings {
  readonly #calls = new Map<number, Pending>();
  readonly #bySignal = new Map<AbortSignal, { readonly serials: Set<number>; readonly stop: () => void }>();
  readonly #onWaiting: (isWaiting: boolean) => void;
  #timer: NodeJS.Timeout | undefined;
  #timerAt = Infinity;

  constructor(onWaiting: (isWaiting: boolean) => void) {
    this.#onWaiting = onWaiting;
  }

  add(serial: number, method: Method, options: BusCallOptions): Promise<readonly Value[]> {
    return new Promise((resolve, reject) => {
      const { signal, timeoutMs = defaultTimeoutMs } = options;
      const deadline = performance.now() + timeoutMs;
      if (this.#calls.size === 0) this.#onWaiting(true);
      this.#calls.set(serial, { method, timeoutMs, deadline, signal, resolve, reject });
      if (signal) this.#listen(signal, serial);
      this.#arm(deadline);
    });
  }

  /** Undefined when it was given up before the answer came. */
  take(serial: number | undefined): Pending | undefined {
    if (serial === undefined) return undefined;
    const pending = this.#calls.get(serial);
    if (!pending) return undefined;
    this.#calls.delete(serial);
    if (pending.signal) this.#forget(pending.signal, serial);
    if (this.#calls.size === 0) {
      this.#onWaiting(false);
      clearTimeout(this.#timer);
      this.#timerAt = Infinity;
    }
    return pending;
  }

  rejectAll(error: Error): void {
    for (const serial of this.#calls.keys()) this.take(serial)?.reject(error);
  }

  #listen(signal: AbortSignal, serial: number): void {
    const known = this.#bySignal.get(signal);
    if (known) return void known.serials.add(serial);
    const serials = new Set([serial]);
    const onAbort = () => {
      const error = cancelled(signal);
      for (const each of serials) this.take(each)?.reject(error);
    };
    signal.addEventListener("abort", onAbort, { once: true });
    this.#bySignal.set(signal, { serials, stop: () => signal.removeEventListener("abort", onAbort) });
  }

  #forget(signal: AbortSignal, serial: number): void {
    const known = this.#bySignal.get(signal);
    if (!known) return;
    known.serials.delete(serial);
    if (known.serials.size > 0) return;
    known.stop();
    this.#bySignal.delete(signal);
  }

  #arm(deadline: number): void {
    if (deadline >= this.#timerAt) return;
    clearTimeout(this.#timer);
    this.#timerAt = deadline;
    this.#timer = setTimeout(() => this.#expire(), Math.max(1, deadline - performance.now()));
    this.#timer.unref();
  }

  #expire(): void {
    this.#timerAt = Infinity;
    const now = performance.now();
    let next = Infinity;
    for (const [serial, pending] of this.#calls) {
      if (pending.deadline > now) next = Math.min(next, pending.deadline);
      else this.take(serial)?.reject(timedOut(pending));
    }
    if (next < Infinity) this.#arm(next);
  }
}

const timedOut = ({ method, timeoutMs }: Pending): ToolError =>
  new ToolError("timeout", `${showMethod(method)} was not answered within ${timeoutMs} ms.`, {
    hint: "The program is busy or frozen; try again, or look at it with a screenshot.",
  });
