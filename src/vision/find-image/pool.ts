import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import { ToolError } from "../../base/errors.ts";
import { cancelled, throwIfCancelled } from "../../base/async.ts";
import { wasm, type Wasm, type WasmMemory } from "../wasm.ts";

/** A function of the kernel and its arguments. The number of the worker is appended. */
export type Call = readonly [name: string, ...args: number[]];
/** Calls that one worker makes in sequence. */
export type Task = readonly Call[];

const pageBytes = 65_536;
/** As declared to the compiler. */
const mostPages = 16_384;
const mostWorkers = 4;
/** Starting takes about 30 ms; a picture of a large screen takes 100 MB. */
const idleMs = 10_000;

interface Order {
  readonly tasks: readonly Task[];
  /** The number of the next task, followed by the result of each task's last call. */
  readonly ledger: Int32Array;
}

/**
 * The kernel on worker threads that share one memory. Started on first use, stopped when idle, and never keeps the
 * process alive. One user at a time.
 */
export class KernelPool implements AsyncDisposable {
  readonly size: number;
  #memory: WasmMemory | undefined;
  #workers: Worker[] = [];
  #idle: NodeJS.Timeout | undefined;

  constructor(size = Math.min(mostWorkers, Math.max(1, availableParallelism()))) {
    this.size = size;
  }

  /** Provides at least this many bytes. Views of it are valid until the next call. */
  reserve(bytes: number): SharedArrayBuffer {
    clearTimeout(this.#idle);
    const pages = Math.ceil(bytes / pageBytes);
    if (pages > mostPages) {
      throw new ToolError("invalid_argument", "The pictures are too large to search.", {
        hint: "Search a window or a region instead of the screen.",
      });
    }
    this.#memory ??= new wasm.Memory({ initial: pages, maximum: mostPages, shared: true });
    const missing = pages - this.#memory.buffer.byteLength / pageBytes;
    if (missing > 0) this.#memory.grow(missing);
    return this.#memory.buffer;
  }

  /** Makes all the calls, in any order, and returns the result of each task's last call. */
  async run(tasks: readonly Task[], signal: AbortSignal): Promise<Int32Array> {
    throwIfCancelled(signal);
    clearTimeout(this.#idle);
    const ledger = new Int32Array(new SharedArrayBuffer(4 * (tasks.length + 1)));
    // A worker that sees a number past the end stops.
    const stop = () => Atomics.store(ledger, 0, tasks.length);
    signal.addEventListener("abort", stop, { once: true });
    try {
      const workers = (await this.#start()).slice(0, Math.max(1, tasks.length));
      await Promise.all(workers.map((worker) => ask(worker, { tasks, ledger })));
    } catch (error) {
      await this[Symbol.asyncDispose]();
      throw error;
    } finally {
      signal.removeEventListener("abort", stop);
      this.#rest();
    }
    if (signal.aborted) throw cancelled(signal);
    return ledger.subarray(1);
  }

  async #start(): Promise<readonly Worker[]> {
    if (this.#workers.length > 0) return this.#workers;
    const { kernelBytes } = await import("./kernel-bytes.ts");
    const module = new wasm.Module(Buffer.from(kernelBytes, "base64"));
    const memory = this.#memory;
    this.#workers = Array.from({ length: this.size }, (_, index) => {
      const worker = new Worker(`(${serve.toString()})()`, { eval: true, workerData: { module, memory, index } });
      // Whoever waits for it gets the error; without a listener it would end the process.
      worker.on("error", () => {});
      worker.unref();
      return worker;
    });
    return this.#workers;
  }

  #rest(): void {
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => void this[Symbol.asyncDispose](), idleMs);
    this.#idle.unref();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearTimeout(this.#idle);
    const workers = this.#workers;
    this.#workers = [];
    this.#memory = undefined;
    await Promise.all(workers.map((worker) => worker.terminate()));
  }
}

function ask(worker: Worker, order: Order): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (done: () => void) => {
      worker.off("message", onMessage);
      worker.off("error", onError);
      worker.off("exit", onExit);
      worker.unref();
      done();
    };
    const onMessage = (problem: string | null) =>
      settle(() => (problem === null ? resolve() : reject(new Error(`The search kernel failed: ${problem}`))));
    const onError = (error: unknown) => settle(() => reject(error instanceof Error ? error : new Error(String(error))));
    const onExit = () => settle(() => reject(new Error("A search worker ended.")));
    worker.on("message", onMessage);
    worker.on("error", onError);
    worker.on("exit", onExit);
    worker.ref();
    worker.postMessage(order);
  });
}

/**
 * The program of a worker. It is sent as text, so that it runs from the sources and from the compiled package alike;
 * it must not use anything outside itself.
 */
function serve(): void {
  const { parentPort, workerData } = process.getBuiltinModule("node:worker_threads");
  const { module, memory, index } = workerData as {
    readonly module: object;
    readonly memory: WasmMemory;
    readonly index: number;
  };
  const { Instance } = (globalThis as unknown as { readonly WebAssembly: Wasm }).WebAssembly;
  const { exports } = new Instance(module, { env: { memory } });
  parentPort?.on("message", ({ tasks, ledger }: Order) => {
    let problem: string | null = null;
    try {
      for (let next = Atomics.add(ledger, 0, 1); next < tasks.length; next = Atomics.add(ledger, 0, 1)) {
        for (const [name, ...args] of tasks[next] ?? []) {
          ledger[next + 1] = exports[name]?.(...args, index) ?? 0;
        }
      }
    } catch (error) {
      problem = String(error);
    }
    parentPort.postMessage(problem);
  });
}
