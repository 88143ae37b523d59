import { cancelled } from "../../../base/async.ts";
import { ToolError } from "../../../base/errors.ts";
import type { Connection } from "./connection.ts";
import type { XEvent } from "./events.ts";

/** Keeps matching events from the moment it is created, so that an early one is not missed. */
export class Inbox<Event extends XEvent> implements Disposable {
  readonly #events: Event[] = [];
  readonly #c: Connection;
  readonly #stop: () => void;
  #wake: (() => void) | undefined;

  constructor(c: Connection, fits: (event: XEvent) => event is Event) {
    this.#c = c;
    const stopListening = c.on((event) => {
      if (!fits(event)) return;
      this.#events.push(event);
      this.#wake?.();
    });
    const stopWatching = c.onClose(() => this.#wake?.());
    this.#stop = () => {
      stopListening();
      stopWatching();
    };
  }

  /** The next event; undefined when none comes in time. */
  async next(timeoutMs: number, signal?: AbortSignal): Promise<Event | undefined> {
    if (this.#events.length === 0 && !this.#c.isClosed) await this.#change(timeoutMs, signal);
    if (signal?.aborted) throw cancelled(signal);
    const event = this.#events.shift();
    if (!event && this.#c.isClosed) {
      throw new ToolError("not_connected", `The connection to display ${this.#c.displayName} was lost.`);
    }
    return event;
  }

  [Symbol.dispose](): void {
    this.#stop();
  }

  #change(timeoutMs: number, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", done);
        this.#wake = undefined;
        resolve();
      };
      const timer = setTimeout(done, timeoutMs);
      signal?.addEventListener("abort", done, { once: true });
      this.#wake = done;
      if (signal?.aborted) done();
    });
  }
}
