import { cancelled } from "../../base/async.ts";
import { ToolError } from "../../base/errors.ts";
import type { Log } from "../../base/log.ts";
import { Hover, type HoverDwell, type HoverOptions } from "../../surface/hover.ts";
import type { Surface } from "../../surface/surface.ts";
import { LastingSession, type LastingOptions } from "./lasting-session.ts";

// Hours of work; a reader who never comes must not fill the memory.
const mostKept = 10_000;

export interface HoverSessionOptions extends Omit<HoverOptions, "onDwell">, LastingOptions {
  readonly surface: Surface;
}

/** Follows the pointer until something ends it, and keeps what it dwelt on until it is read. */
export class HoverSession extends LastingSession {
  /** Dwells that were dropped because nobody read them. */
  lost = 0;
  /** All that were seen so far, read or not. */
  count = 0;
  protected readonly failure = "The pointer could not be followed.";
  readonly #hover: Hover;
  readonly #events: HoverDwell[] = [];

  constructor(options: HoverSessionOptions, log: Log) {
    super(options, log);
    this.#hover = new Hover(options.surface, { ...options, onDwell: (dwell) => this.#keep(dwell) });
  }

  get skipped(): Hover["skipped"] {
    return this.#hover.skipped;
  }

  /** What the pointer rests on now. */
  get current(): Hover["current"] {
    return this.isGoingOn ? this.#hover.current : undefined;
  }

  /** The oldest that have not been read, and how many more there are. */
  drain(most: number): { readonly events: readonly HoverDwell[]; readonly more: number } {
    const events = this.#events.splice(0, most);
    return { events, more: this.#events.length };
  }

  protected run(signal: AbortSignal, onStart: () => void): Promise<void> {
    return this.#hover.run(signal, onStart);
  }

  #keep(dwell: HoverDwell): void {
    this.count++;
    this.#events.push(dwell);
    if (this.#events.length <= mostKept) return;
    this.#events.shift();
    this.lost++;
  }
}

/** Holds the one hover tracking of a session. */
export class HoverTracker implements AsyncDisposable {
  readonly #log: Log;
  #current: HoverSession | undefined;

  constructor(log: Log) {
    this.#log = log;
  }

  /** The one that goes on, or that has ended and was not collected yet. */
  get current(): HoverSession | undefined {
    return this.#current;
  }

  async start(options: HoverSessionOptions, signal: AbortSignal): Promise<HoverSession> {
    if (this.#current?.isGoingOn) throw alreadyTracking(this.#current);
    // Set before the first await: if two start at the same time, one is refused.
    const session = new HoverSession(options, this.#log);
    this.#current = session;
    try {
      await session.begin();
      if (signal.aborted) throw cancelled(signal);
      return session;
    } catch (error) {
      await this.#drop(session);
      throw error;
    }
  }

  need(): HoverSession {
    const session = this.#current;
    if (session && !session.isAbandoned) return session;
    throw new ToolError("not_active", "Hover tracking is not active in this session.", {
      hint: "Call start_hover_tracking first. One that was started in a terminal ends with Ctrl-C there.",
    });
  }

  /** Ends it, if it still goes on. */
  async stop(): Promise<HoverSession> {
    const session = this.need();
    await this.#drop(session);
    return session;
  }

  async #drop(session: HoverSession): Promise<void> {
    if (this.#current === session) this.#current = undefined;
    session.end("stopped");
    await session.done;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const session = this.#current;
    session?.end("disconnected");
    await session?.done;
  }
}

function alreadyTracking({ startedAt }: HoverSession): ToolError {
  const seconds = ((Date.now() - startedAt) / 1_000).toFixed(1);
  return new ToolError("already_active", `Hover tracking has been active for ${seconds} s.`, {
    hint: "Call stop_hover_tracking first; there is one at a time.",
  });
}
