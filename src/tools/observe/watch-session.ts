import { cancelled } from "../../base/async.ts";
import { ToolError } from "../../base/errors.ts";
import type { Log } from "../../base/log.ts";
import type { Surface } from "../../surface/surface.ts";
import { Telling, type UiEvent } from "../../surface/watch/telling.ts";
import { Watcher, type WatcherOptions } from "../../surface/watch/watcher.ts";
import { LastingSession, type LastingOptions } from "./lasting-session.ts";

export interface WatchSessionOptions extends Omit<WatcherOptions, "onEvent">, LastingOptions {
  readonly surface: Surface;
}

/** Watches windows and elements until something ends it, and keeps what happened until it is read. */
export class WatchSession extends LastingSession {
  readonly id: string;
  readonly surface: Surface;
  readonly watcher: Watcher;
  /** Events read so far. */
  count = 0;
  protected readonly failure = "The surface could not be watched.";
  readonly #telling: Telling;
  readonly #listeners = new Set<() => void>();

  constructor(id: string, options: WatchSessionOptions, log: Log) {
    super(options, log);
    this.id = id;
    this.surface = options.surface;
    this.watcher = new Watcher(options.surface, { ...options, onEvent: () => this.#wake() });
    this.#telling = new Telling(options.surface);
  }

  /** The oldest events that have not been read. */
  drain(most: number): { readonly events: readonly UiEvent[]; readonly more: number; readonly missed: number } {
    const { stream, nodes, window } = this.watcher;
    const { events, more, missed } = stream.drain(most);
    this.surface.snapshots.saw(nodes);
    this.count += events.length;
    return { events: events.map((event) => this.#telling.tell(event, window)), more, missed };
  }

  /** Everything that is there now, as an indented list. */
  outline(): string {
    const { nodes } = this.watcher;
    this.surface.snapshots.saw(nodes);
    const telling = new Telling(this.surface);
    const depths = new Map<string, number>();
    return nodes
      .map((node) => {
        const depth = node.parent === undefined ? 0 : (depths.get(node.parent) ?? -1) + 1;
        depths.set(node.runtimeId, depth);
        return `${"  ".repeat(depth)}${telling.give(node).element}`;
      })
      .join("\n");
  }

  /** Calls back whenever there is something to read, and at the end. */
  onEvent(listener: () => void): () => void {
    const own = (): void => listener();
    this.#listeners.add(own);
    return () => void this.#listeners.delete(own);
  }

  /** Resolves when there is something to read, when it is over, or when the time is. */
  async wait(ms: number, signal: AbortSignal): Promise<void> {
    if (ms === 0 || this.watcher.stream.size > 0 || !this.isGoingOn) return;
    await new Promise<void>((resolve, reject) => {
      const finish = (): void => {
        clearTimeout(timer);
        signal.removeEventListener("abort", onAbort);
        stop();
        resolve();
      };
      const onAbort = (): void => {
        finish();
        reject(cancelled(signal));
      };
      const timer = setTimeout(finish, ms);
      const stop = this.onEvent(() => {
        if (this.watcher.stream.size > 0 || !this.isGoingOn) finish();
      });
      if (signal.aborted) onAbort();
      else signal.addEventListener("abort", onAbort, { once: true });
    });
  }

  protected async run(signal: AbortSignal, onStart: () => void): Promise<void> {
    signal.addEventListener("abort", () => this.#wake(), { once: true });
    try {
      await this.watcher.run(signal, onStart);
    } finally {
      setImmediate(() => this.#wake());
    }
  }

  #wake(): void {
    for (const listen of this.#listeners) listen();
  }
}

/** Each holds subscriptions in every app. */
const mostWatches = 16;
// A subscriber reads the whole tree each time.
const updateMs = 200;

/** Holds what a session watches. */
export class Watches implements AsyncDisposable {
  readonly #log: Log;
  readonly #sessions = new Map<string, WatchSession>();
  readonly #listeners = new Set<(id: string) => void>();
  #count = 0;

  constructor(log: Log) {
    this.#log = log;
  }

  get isGoingOn(): boolean {
    return [...this.#sessions.values()].some((session) => session.isGoingOn);
  }

  /** Those that go on or were not collected. */
  all(): readonly WatchSession[] {
    return [...this.#sessions.values()].filter(({ isAbandoned }) => !isAbandoned);
  }

  /** The latest one. */
  get current(): WatchSession | undefined {
    return this.all().at(-1);
  }

  /** Calls back with the id of a watch whose elements or windows have changed, a few times a second at most. */
  onUpdate(listener: (id: string) => void): void {
    this.#listeners.add(listener);
  }

  async start(options: WatchSessionOptions, signal: AbortSignal): Promise<WatchSession> {
    for (const session of this.#sessions.values()) if (session.isAbandoned) this.#sessions.delete(session.id);
    if (this.#sessions.size >= mostWatches) throw tooMany(this.#sessions.size);
    const session = new WatchSession(`w${++this.#count}`, options, this.#log);
    // Before the first await, so that many at a time cannot be too many.
    this.#sessions.set(session.id, session);
    const tell = atPace(updateMs, () => {
      for (const listen of this.#listeners) listen(session.id);
    });
    session.onEvent(tell);
    try {
      await session.begin();
      if (signal.aborted) throw cancelled(signal);
      return session;
    } catch (error) {
      await this.#drop(session);
      throw error;
    }
  }

  need(id: string | undefined): WatchSession {
    const session = id === undefined ? this.current : this.#sessions.get(id);
    if (session && !session.isAbandoned) return session;
    const what = id === undefined ? "Nothing is watched in this session." : `There is no watch "${id}".`;
    throw new ToolError("not_active", what, {
      hint: "Call start_watching first. One that was started in a terminal ends with Ctrl-C there.",
    });
  }

  /** Ends it, if it still goes on. */
  async stop(id: string | undefined): Promise<WatchSession> {
    const session = this.need(id);
    await this.#drop(session);
    return session;
  }

  async #drop(session: WatchSession): Promise<void> {
    this.#sessions.delete(session.id);
    session.end("stopped");
    await session.done;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const all = [...this.#sessions.values()];
    for (const session of all) session.end("disconnected");
    await Promise.all(all.map(({ done }) => done));
  }
}

/** Calls at once, and then no more often than this while it keeps being asked to. */
function atPace(ms: number, call: () => void): () => void {
  let isWaiting = false;
  let isDue = false;
  const go = (): void => {
    isDue = false;
    isWaiting = true;
    call();
    setTimeout(() => {
      isWaiting = false;
      if (isDue) go();
    }, ms).unref();
  };
  return () => {
    if (isWaiting) isDue = true;
    else go();
  };
}

const tooMany = (count: number): ToolError =>
  new ToolError("already_active", `${count} watches are active in this session.`, {
    hint: "Call stop_watching with the watch of one that is not needed.",
  });
