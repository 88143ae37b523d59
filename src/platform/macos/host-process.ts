import { fork, type ChildProcess } from "node:child_process";
import { fileURLToPath } from "node:url";
import { cancelled, throwIfCancelled } from "../../base/async.ts";
import { ToolError } from "../../base/errors.ts";
import type { ElementEvent } from "../backend.ts";
import type { Failure, Order, Places, Reply } from "./protocol.ts";

/** Beyond the time that a call was given, the host is stuck in the system. */
const stuckMs = 30_000;
const closeMs = 2000;

interface Waiting {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

interface Running {
  readonly process: ChildProcess;
  readonly waiting: Map<number, Waiting>;
  readonly listeners: Map<number, (event: ElementEvent) => void>;
}

/** The host, started when it is first needed and again after it was lost. */
export class HostProcess implements AsyncDisposable {
  readonly #env: NodeJS.ProcessEnv;
  readonly #places: Places;
  #running: Running | undefined;
  #nextId = 1;

  constructor(env: NodeJS.ProcessEnv, places: Places) {
    this.#env = env;
    this.#places = places;
  }

  async call(part: string, method: string, args: readonly unknown[]): Promise<unknown> {
    const { signal, sent } = withoutSignal(args);
    throwIfCancelled(signal);
    const running = this.#start();
    const id = this.#nextId++;
    let end: (() => void) | undefined;
    try {
      return await new Promise<unknown>((resolve, reject) => {
        running.waiting.set(id, { resolve, reject });
        const mostMs = stuckMs + timeNeeded(sent);
        const timer = setTimeout(() => this.#lose(running, `it did not answer for ${mostMs / 1000} s`), mostMs);
        const onAbort = (): void => {
          send(running, { cancel: id });
          if (signal) reject(cancelled(signal));
        };
        signal?.addEventListener("abort", onAbort, { once: true });
        end = () => {
          clearTimeout(timer);
          signal?.removeEventListener("abort", onAbort);
        };
        keepAlive(running, true);
        send(running, { id, part, method, args: sent });
      });
    } finally {
      end?.();
      running.waiting.delete(id);
      keepAlive(running, running.waiting.size > 0);
    }
  }

  async watch(
    kinds: readonly string[],
    listener: (event: ElementEvent) => void,
    signal?: AbortSignal,
  ): Promise<AsyncDisposable> {
    const running = this.#start();
    // The next id is the one that this call gets.
    const id = this.#nextId;
    running.listeners.set(id, listener);
    try {
      await this.call("events", "watch", [kinds, { signal }]);
    } catch (error) {
      running.listeners.delete(id);
      throw error;
    }
    return {
      async [Symbol.asyncDispose]() {
        if (running.listeners.delete(id)) send(running, { unwatch: id });
      },
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const running = this.#running;
    if (!running) return;
    const ended = new Promise<void>((resolve) => running.process.once("exit", () => resolve()));
    // Disconnecting makes it release what it holds and end.
    running.process.disconnect();
    const timer = setTimeout(() => running.process.kill("SIGKILL"), closeMs);
    running.process.ref();
    await ended;
    clearTimeout(timer);
    this.#running = undefined;
  }

  #start(): Running {
    if (this.#running) return this.#running;
    const child = fork(hostPath(), [JSON.stringify(this.#places)], {
      serialization: "advanced",
      env: this.#env,
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    });
    const running: Running = { process: child, waiting: new Map(), listeners: new Map() };
    child.on("message", (reply) => take(running, reply as Reply));
    child.on("error", (error) => this.#lose(running, error.message));
    child.on("exit", (code, signal) => this.#lose(running, `it ended with ${signal ?? code}`));
    this.#running = running;
    return running;
  }

  #lose(running: Running, why: string): void {
    if (running === this.#running) this.#running = undefined;
    running.process.kill("SIGKILL");
    const error = new ToolError("not_connected", `The part of handsight that calls macOS was lost: ${why}.`, {
      hint: "It starts again with the next call. Look first: what was done before is unknown.",
    });
    for (const { reject } of running.waiting.values()) reject(error);
    running.waiting.clear();
    running.listeners.clear();
  }
}

function send(running: Running, order: Order): void {
  if (running.process.connected) running.process.send(order, () => {});
}

/** A host nobody waits for must not keep a command from ending. */
function keepAlive({ process: child, listeners }: Running, isWaiting: boolean): void {
  const keeps = isWaiting || listeners.size > 0;
  child[keeps ? "ref" : "unref"]();
  child.channel?.[keeps ? "ref" : "unref"]();
}

function take(running: Running, reply: Reply): void {
  if ("watch" in reply) return running.listeners.get(reply.watch)?.(reply.event);
  const asked = running.waiting.get(reply.id);
  if (!asked) return;
  if ("value" in reply) return asked.resolve(reply.value);
  asked.reject(toError(reply.failure));
}

const toError = ({ code, message, details }: Failure): Error =>
  code === undefined ? new Error(message) : new ToolError(code, message, details ?? {});

/** Options come last; a signal cannot be sent. */
function withoutSignal(args: readonly unknown[]): {
  readonly signal: AbortSignal | undefined;
  readonly sent: readonly unknown[];
} {
  const last = args.at(-1);
  if (typeof last !== "object" || last === null || !("signal" in last)) return { signal: undefined, sent: args };
  const { signal, ...rest } = last as { readonly signal?: AbortSignal | undefined };
  return { signal, sent: [...args.slice(0, -1), rest] };
}

function hostPath(): string {
  const here = import.meta.url;
  // Tests run the sources through vitest; Node can only start the compiled file.
  return fileURLToPath(
    here.endsWith(".ts") ? new URL("../../../dist/platform/macos/host.js", here) : new URL("./host.js", here),
  );
}

/** Slow typing and patient waiting take as long as the caller wants. */
function timeNeeded(sent: readonly unknown[]): number {
  const options = sent.at(-1);
  if (typeof options !== "object" || options === null) return 0;
  const { delayMs = 0, timeoutMs = 0 } = options as { readonly delayMs?: number; readonly timeoutMs?: number };
  const [text] = sent;
  return timeoutMs + (typeof text === "string" ? text.length * delayMs : 0);
}
