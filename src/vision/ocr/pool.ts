import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { ToolError } from "../../base/errors.ts";
import type { Log } from "../../base/log.ts";
import type { Answer, TaskName, Tasks } from "./messages.ts";

interface Waiting {
  readonly resolve: (value: never) => void;
  readonly reject: (error: Error) => void;
}

/** A worker died while it was asked something; asking again starts a new one. */
export class WorkerGone extends Error {
  override readonly name = "WorkerGone";
}

/** One thread, started at the first question and again after a crash. It never keeps the process alive by itself. */
export class Hand {
  readonly #log: Log | undefined;
  #worker: Worker | undefined;
  #generation = 0;
  #nextId = 1;
  readonly #waiting = new Map<number, Waiting>();

  constructor(log: Log | undefined) {
    this.#log = log;
  }

  /** Changes whenever the thread was started anew, so that what it remembered is known to be lost. */
  get generation(): number {
    return this.#generation;
  }

  get isRunning(): boolean {
    return this.#worker !== undefined;
  }

  get pending(): number {
    return this.#waiting.size;
  }

  ask<Name extends TaskName>(task: Name, order: Tasks[Name]["order"]): Promise<Tasks[Name]["answer"]> {
    const worker = (this.#worker ??= this.#start());
    const id = this.#nextId++;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      worker.ref();
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
      worker.postMessage({ id, task, order });
    });
  }

  async stop(): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    await worker?.terminate();
  }

  #start(): Worker {
    const worker = new Worker(workerPath());
    this.#generation += 1;
    worker.on("message", (answer: Answer) => this.#settle(answer));
    worker.on("error", (error) => this.#lose(worker, error));
    worker.on("exit", () => this.#lose(worker, new Error("the thread ended")));
    return worker;
  }

  #settle(answer: Answer): void {
    const waiting = this.#waiting.get(answer.id);
    this.#waiting.delete(answer.id);
    if (this.#waiting.size === 0) this.#worker?.unref();
    if (!waiting) return;
    if ("value" in answer) return waiting.resolve(answer.value as never);
    const { code, message, hint } = answer.failure;
    waiting.reject(code ? new ToolError(code, message, hint ? { hint } : {}) : new Error(`Text reader: ${message}`));
  }

  #lose(worker: Worker, cause: Error): void {
    if (worker === this.#worker) {
      this.#worker = undefined;
      this.#log?.warn("a thread of the text reader ended", cause);
    } else if (this.#worker) return;
    for (const { reject } of this.#waiting.values()) reject(new WorkerGone(cause.message, { cause }));
    this.#waiting.clear();
  }
}

function workerPath(): string {
  const here = import.meta.url;
  // Tests run the sources through vitest; node can only start the compiled twin.
  return fileURLToPath(
    here.endsWith(".ts") ? new URL("../../../dist/vision/ocr/worker.js", here) : new URL("./worker.js", here),
  );
}
