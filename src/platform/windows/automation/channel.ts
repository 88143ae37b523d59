import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import { cancelled, throwIfCancelled } from "../../../base/async.ts";
import { ToolError } from "../../../base/errors.ts";
import type { CallOptions, ElementEvent } from "../../backend.ts";
import type { Answers, FromThread, RequestName, Requests, ToThread } from "./messages.ts";

/** The thread keeps its deadlines by itself, unless it is stuck in a call that never returns. */
const graceMs = 300;
/** Loading koffi and asking which properties there are takes a moment, the first time. */
const startMs = 10_000;

interface Waiting {
  readonly message: ToThread;
  readonly resolve: (answer: never) => void;
  readonly reject: (error: ToolError) => void;
  begun?: string;
}

/**
 * The one thread that calls COM, asked one thing at a time. One that is stuck is left behind and replaced: the request
 * fails, and nothing else does.
 */
export class AutomationChannel {
  #worker: Worker | undefined;
  /** Counts the answers that the thread gets, so that a long reading is told from a stuck one. */
  #beats = new Int32Array(new SharedArrayBuffer(4));
  #isReady = false;
  #current: Waiting | undefined;
  #timer: NodeJS.Timeout | undefined;
  readonly #queue: Waiting[] = [];
  readonly #listeners = new Set<(event: ElementEvent) => void>();
  readonly #onReplaced: () => void;
  #count = 0;
  #replaced = 0;
  #isClosed = false;

  /** `onReplaced` is called when a new thread has begun, which knows nothing of the one before. */
  constructor(onReplaced: () => void) {
    this.#onReplaced = onReplaced;
  }

  /** How many threads were stuck so far. */
  get replaced(): number {
    return this.#replaced;
  }

  ask<Name extends RequestName>(
    name: Name,
    request: Requests[Name],
    { signal }: CallOptions = {},
  ): Promise<Answers[Name]> {
    throwIfCancelled(signal);
    if (this.#isClosed) throw new ToolError("not_connected", "The desktop has been closed.");
    this.#count += 1;
    const message = { number: this.#count, name, request } as ToThread;
    return new Promise<Answers[Name]>((resolve, reject) => {
      const onAbort = (): void => {
        const index = this.#queue.indexOf(waiting);
        if (index >= 0) this.#queue.splice(index, 1);
        reject(cancelled(signal as AbortSignal));
      };
      const settle =
        <T>(finish: (value: T) => void) =>
        (value: T): void => {
          signal?.removeEventListener("abort", onAbort);
          finish(value);
        };
      const waiting: Waiting = { message, resolve: settle(resolve), reject: settle(reject) };
      signal?.addEventListener("abort", onAbort, { once: true });
      this.#queue.push(waiting);
      this.#next();
    });
  }

  onEvent(listener: (event: ElementEvent) => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    for (const waiting of [this.#current, ...this.#queue.splice(0)]) {
      waiting?.reject(new ToolError("not_connected", "The desktop has been closed."));
    }
    clearTimeout(this.#timer);
    const worker = this.#worker;
    this.#worker = undefined;
    await worker?.terminate();
  }

  #next(): void {
    if (this.#current || this.#isClosed) return;
    const next = this.#queue.shift();
    if (!next) return;
    this.#current = next;
    const worker = this.#worker ?? this.#start();
    worker.postMessage(next.message);
    worker.ref();
    this.#watch(next.message.request.timeoutMs + graceMs + (this.#isReady ? 0 : startMs));
  }

  #watch(ms: number): void {
    const before = Atomics.load(this.#beats, 0);
    this.#timer = setTimeout(() => {
      if (Atomics.load(this.#beats, 0) === before) this.#giveUp();
      else this.#watch(ms);
    }, ms);
  }

  #start(): Worker {
    this.#beats = new Int32Array(new SharedArrayBuffer(4));
    const file = new URL(`./thread${extname(import.meta.url)}`, import.meta.url);
    // Options of the process, such as modules to load first, are meant for its main thread.
    const worker = new Worker(file, { workerData: this.#beats.buffer, execArgv: [] });
    this.#worker = worker;
    this.#isReady = false;
    worker.on("message", (message: FromThread) => this.#hear(worker, message));
    worker.on("error", (error) => this.#lose(worker, error));
    worker.on("exit", () => this.#lose(worker, new Error("it ended")));
    return worker;
  }

  #hear(worker: Worker, message: FromThread): void {
    if (worker !== this.#worker) return;
    this.#isReady = true;
    if (message.kind === "event") {
      for (const listener of this.#listeners) listener(message.event);
      return;
    }
    const current = this.#current;
    if (current?.message.number !== message.number) return;
    if (message.kind === "begun") {
      current.begun = message.via;
      return;
    }
    if (message.kind === "answer") this.#settle(() => current.resolve(message.answer as never));
    else {
      const { code, message: text, hint } = message;
      this.#settle(() => current.reject(new ToolError(code, text, hint === undefined ? {} : { hint })));
    }
  }

  #settle(finish: () => void): void {
    clearTimeout(this.#timer);
    this.#current = undefined;
    // An idle thread does not keep the process alive.
    if (this.#queue.length === 0) this.#worker?.unref();
    finish();
    this.#next();
  }

  /** The thread is stuck in a call: it is left behind, and ends when the call returns. */
  #giveUp(): void {
    const [stuck, current] = [this.#worker, this.#current];
    this.#worker = undefined;
    this.#replaced += 1;
    stuck?.unref();
    void stuck?.terminate();
    if (stuck) endWithout(stuck);
    this.#onReplaced();
    if (!current) return;
    const { begun, message } = current;
    // The app took messages a moment before, so it has the call: one that opens a modal dialog answers when it is closed.
    if (begun !== undefined) return this.#settle(() => current.resolve({ via: `${begun}, not answered yet` } as never));
    const { timeoutMs } = message.request;
    this.#settle(() =>
      current.reject(
        new ToolError("timeout", `The app did not answer within ${timeoutMs} ms; its accessibility interface hangs.`, {
          hint: "A new thread has taken over. Look at the app with a screenshot, or use another app.",
        }),
      ),
    );
  }

  #lose(worker: Worker, cause: unknown): void {
    if (worker !== this.#worker) return;
    this.#worker = undefined;
    this.#replaced += 1;
    this.#onReplaced();
    const current = this.#current;
    if (!current) return;
    const why = cause instanceof Error ? cause.message : String(cause);
    this.#settle(() => current.reject(new ToolError("internal", `The accessibility thread failed: ${why}`, { cause })));
  }
}

const stuckThreads = new Set<Worker>();

/** Node waits at its end for every thread, and one may be stuck until a person closes a dialog; so it ends the hard way. */
function endWithout(stuck: Worker): void {
  if (stuckThreads.size === 0) process.once("exit", killIfStuck);
  stuckThreads.add(stuck);
  stuck.once("exit", () => {
    stuckThreads.delete(stuck);
    if (stuckThreads.size === 0) process.off("exit", killIfStuck);
  });
}

const killIfStuck = (): void => void process.kill(process.pid, "SIGKILL");
