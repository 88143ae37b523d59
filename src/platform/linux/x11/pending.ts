import { cancelled } from "../../../base/async.ts";
import { ToolError } from "../../../base/errors.ts";
import type { Reply } from "./wire.ts";

export interface RequestOptions {
  readonly signal?: AbortSignal | undefined;
  /** Default: 2 s. */
  readonly timeoutMs?: number | undefined;
}

type Outcome = { readonly reply: Reply | undefined } | { readonly error: Error };

export interface Pending {
  readonly name: string;
  readonly hasReply: boolean;
  readonly deadline: number;
  readonly timeoutMs: number;
  /** Undefined once settled: then the entry only marks that a reply with this number is still to come. */
  settle: ((outcome: Outcome) => void) | undefined;
}

const defaultTimeoutMs = 2000;

/** The pending requests by sequence number, with their deadlines. */
export class PendingRequests {
  readonly #displayName: string;
  readonly #onAwaited: (isAnyAwaited: boolean) => void;
  readonly #entries = new Map<number, Pending>();
  #awaited = 0;
  #timer: NodeJS.Timeout | undefined;
  #timerAt = Infinity;

  /** `onAwaited` is called when the first wait begins and when the last one ends. */
  constructor(displayName: string, onAwaited: (isAnyAwaited: boolean) => void) {
    this.#displayName = displayName;
    this.#onAwaited = onAwaited;
  }

  /** Numbers must increase. A request without a reply resolves when the server has moved past it. */
  add(
    sequence: number,
    { name, hasReply }: Pick<Pending, "name" | "hasReply">,
    { signal, timeoutMs = defaultTimeoutMs }: RequestOptions,
  ): Promise<Reply | undefined> {
    return new Promise((resolve, reject) => {
      const deadline = performance.now() + timeoutMs;
      const onAbort = () => entry.settle?.({ error: cancelled(signal as AbortSignal) });
      const entry: Pending = {
        name,
        hasReply,
        deadline,
        timeoutMs,
        settle: (outcome) => {
          entry.settle = undefined;
          signal?.removeEventListener("abort", onAbort);
          this.#count(-1);
          if ("error" in outcome) reject(outcome.error);
          else resolve(outcome.reply);
        },
      };
      signal?.addEventListener("abort", onAbort, { once: true });
      this.#count(1);
      this.#entries.set(sequence, entry);
      this.#armTimer(deadline);
    });
  }

  take(sequence: number): Pending | undefined {
    const entry = this.#entries.get(sequence);
    this.#entries.delete(sequence);
    return entry;
  }

  /** The server has reached `sequence`, so earlier requests without a reply have succeeded. */
  resolveBefore(sequence: number): void {
    for (const [number, entry] of this.#entries) {
      if (number >= sequence) return;
      this.#entries.delete(number);
      if (entry.hasReply) entry.settle?.({ error: new Error(`The X server never answered ${entry.name}.`) });
      else entry.settle?.({ reply: undefined });
    }
  }

  rejectAll(error: Error): void {
    clearTimeout(this.#timer);
    const entries = [...this.#entries.values()];
    this.#entries.clear();
    for (const entry of entries) entry.settle?.({ error });
  }

  #count(step: 1 | -1): void {
    const before = this.#awaited;
    this.#awaited += step;
    if (before === 0 || this.#awaited === 0) this.#onAwaited(this.#awaited > 0);
  }

  /** One timer for the earliest deadline, whatever the number of requests. */
  #armTimer(deadline: number): void {
    if (deadline >= this.#timerAt) return;
    clearTimeout(this.#timer);
    this.#timerAt = deadline;
    this.#timer = setTimeout(() => this.#expire(), Math.max(1, deadline - performance.now()));
    // The socket keeps the process alive while something is awaited; the timer must not keep it alive longer.
    this.#timer.unref();
  }

  #expire(): void {
    this.#timerAt = Infinity;
    const now = performance.now();
    let next = Infinity;
    for (const entry of this.#entries.values()) {
      if (!entry.settle) continue;
      if (entry.deadline > now) next = Math.min(next, entry.deadline);
      else entry.settle({ error: this.#timedOut(entry) });
    }
    if (next < Infinity) this.#armTimer(next);
  }

  #timedOut({ name, timeoutMs }: Pending): ToolError {
    return new ToolError(
      "timeout",
      `The X server of display ${this.#displayName} did not answer ${name} within ${timeoutMs} ms.`,
      { hint: "Try again; if this persists, the X server is hung." },
    );
  }
}
