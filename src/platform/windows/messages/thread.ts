import { once } from "node:events";
import { extname } from "node:path/win32";
import { fileURLToPath } from "node:url";
import { MessageChannel, Worker, type MessagePort } from "node:worker_threads";
import { ToolError } from "../../../base/errors.ts";
import { win32, type Handle } from "../win32.ts";
import type { Listening, Order, RawInput, Told } from "./protocol.ts";

/** A message that does nothing but wake the thread. */
const wakeMessage = 0x8000;

const silence: Listening = { moves: false, buttons: false, keys: false, takesButtons: false };

/** Windows and hooks need a thread that waits for messages. Started on first use. */
export class MessageThread implements AsyncDisposable {
  readonly #waiting = new Map<
    number,
    { readonly done: (value: number) => void; readonly failed: (why: Error) => void }
  >();
  readonly #listeners = new Map<(input: RawInput) => void, Listening>();
  #started: Promise<Started> | undefined;
  #clipboard: Promise<Handle> | undefined;
  #number = 0;

  async openWindow(): Promise<Handle> {
    return this.#order({ do: "window", kind: "overlay" });
  }

  async closeWindow(window: Handle): Promise<void> {
    await this.#order({ do: "close", window });
  }

  /** The one that owns what is put on the clipboard: its thread answers when another program takes it over. */
  clipboardWindow(): Promise<Handle> {
    const opening = (this.#clipboard ??= this.#order({ do: "window", kind: "clipboard" }));
    opening.catch(() => {
      if (this.#clipboard === opening) this.#clipboard = undefined;
    });
    return opening;
  }

  async listen(wanted: Partial<Listening>, listener: (input: RawInput) => void): Promise<AsyncDisposable> {
    this.#listeners.set(listener, { ...silence, ...wanted });
    const end = async (): Promise<void> => {
      if (this.#listeners.delete(listener)) await this.#tune();
    };
    try {
      await this.#tune();
    } catch (error) {
      this.#listeners.delete(listener);
      throw error;
    }
    return { [Symbol.asyncDispose]: end };
  }

  async #tune(): Promise<void> {
    const all = [...this.#listeners.values()];
    const isWanted = (name: keyof Listening): boolean => all.some((each) => each[name]);
    await this.#order({
      do: "listen",
      what: {
        moves: isWanted("moves"),
        buttons: isWanted("buttons"),
        keys: isWanted("keys"),
        takesButtons: isWanted("takesButtons"),
      },
    });
  }

  async #order(order: Order): Promise<number> {
    const { port, thread, worker } = await this.#running();
    const number = ++this.#number;
    const answer = new Promise<number>((done, failed) => this.#waiting.set(number, { done, failed }));
    // The process stays alive for an answer, and for nothing else.
    worker.ref();
    port.postMessage({ number, order });
    win32().postThread(thread, wakeMessage, 0, 0);
    try {
      return await answer;
    } finally {
      this.#waiting.delete(number);
      if (this.#waiting.size === 0) worker.unref();
    }
  }

  /** A thread that could not be started is tried again by the next order. */
  async #running(): Promise<Started> {
    const starting = (this.#started ??= this.#start());
    try {
      return await starting;
    } catch (error) {
      if (this.#started === starting) this.#started = undefined;
      throw error;
    }
  }

  /** Nobody waits for a thread that is gone; what it owned is gone with it. */
  #lost(): void {
    this.#started = undefined;
    this.#clipboard = undefined;
    const error = new ToolError("not_connected", "The thread that listens to Windows has ended.", {
      hint: "The next call starts it again.",
    });
    for (const { failed } of this.#waiting.values()) failed(error);
  }

  async #start(): Promise<Started> {
    const program = new URL(`./worker${extname(fileURLToPath(import.meta.url))}`, import.meta.url);
    const { port1: port, port2 } = new MessageChannel();
    const worker = new Worker(program, { workerData: { port: port2 }, transferList: [port2] });
    const ended = once(worker, "error").then(([error]) => {
      throw new ToolError(
        "not_connected",
        `Windows refused the thread that listens to it: ${(error as Error).message}`,
      );
    });
    ended.catch(() => {});
    const ready = new Promise<number>((resolve) => {
      port.on("message", (told: Told) => {
        if (told.kind === "ready") resolve(told.thread);
        else this.#hear(told);
      });
    });
    const thread = await Promise.race([ready, ended]);
    worker.once("exit", () => this.#lost());
    port.unref();
    worker.unref();
    return { port, thread, worker };
  }

  #hear(told: Exclude<Told, { kind: "ready" }>): void {
    if (told.kind === "input") {
      for (const listener of this.#listeners.keys()) listener(told.input);
    } else if (told.kind === "done") this.#waiting.get(told.number)?.done(told.value);
    else this.#waiting.get(told.number)?.failed(new ToolError("not_connected", told.message));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const started = await this.#started?.catch(() => undefined);
    this.#started = undefined;
    started?.port.close();
    await started?.worker.terminate();
  }
}

interface Started {
  readonly port: MessagePort;
  readonly thread: number;
  readonly worker: Worker;
}
