import { cancelled, throwIfCancelled } from "../../../base/async.ts";
import { ToolError } from "../../../base/errors.ts";
import type { Bus } from "./bus.ts";
import type { BusCallOptions } from "./method.ts";

/**
 * A bus that connects on first use and again after a loss. Ask for it on every call and never keep it: the call that
 * notices the loss fails with `not_connected`, the next one connects.
 */
export class LazyBus implements AsyncDisposable {
  readonly #open: () => Promise<Bus>;
  #live: Bus | undefined;
  #opening: Promise<Bus> | undefined;
  #isDisposed = false;

  constructor(open: () => Promise<Bus>) {
    this.#open = open;
  }

  async connect({ signal }: BusCallOptions = {}): Promise<Bus> {
    throwIfCancelled(signal);
    if (this.#isDisposed) throw new ToolError("not_connected", "The D-Bus connection was closed by handsight.");
    if (this.#live?.isClosed === false) return this.#live;
    // Shared by all concurrent callers, so one that gives up must not cancel it for the others.
    this.#opening ??= this.#open()
      .then((bus) => {
        if (this.#isDisposed) bus.close();
        this.#live = bus;
        return bus;
      })
      .finally(() => {
        this.#opening = undefined;
      });
    return signal ? abortable(this.#opening, signal) : this.#opening;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isDisposed = true;
    await this.#opening?.catch(() => {});
    this.#live?.close();
    this.#live = undefined;
  }
}

function abortable<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(cancelled(signal));
    signal.addEventListener("abort", onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}
