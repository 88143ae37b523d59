import { connect, type Socket } from "node:net";
import { cancelled } from "../../base/async.ts";
import { ToolError } from "../../base/errors.ts";
import { AdbFailure } from "./failure.ts";

// Beyond this, reading stops, and the rest stays with the sender until somebody asks for it.
const mostWaiting = 16 * 1024 * 1024;

/** One connection to the adb server, read on demand. */
export class Link implements Disposable {
  readonly #socket: Socket;
  #chunks: Buffer[] = [];
  #waiting = 0;
  #ended = false;
  #failure: Error | undefined;
  #wake: (() => void) | undefined;
  #unwatch = () => {};

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    const note = () => this.#wake?.();
    socket.on("data", (chunk: Buffer) => {
      this.#chunks.push(chunk);
      this.#waiting += chunk.length;
      if (this.#waiting > mostWaiting) socket.pause();
      note();
    });
    socket.on("end", () => {
      this.#ended = true;
      note();
    });
    socket.on("close", () => {
      this.#ended = true;
      note();
    });
    socket.on("error", (error) => {
      this.#failure ??= error;
      this.#ended = true;
      note();
    });
  }

  /**
   * Rejects with the system's error (ECONNREFUSED, …) when nobody listens. The signal closes the link whenever it
   * aborts.
   */
  static open(host: string, port: number, signal: AbortSignal | undefined): Promise<Link> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(cancelled(signal));
      const socket = connect({ host, port });
      const onAbort = () => {
        socket.destroy();
        reject(cancelled(signal as AbortSignal));
      };
      signal?.addEventListener("abort", onAbort, { once: true });
      socket.once("error", (error) => {
        signal?.removeEventListener("abort", onAbort);
        reject(error);
      });
      socket.once("connect", () => {
        signal?.removeEventListener("abort", onAbort);
        const link = new Link(socket);
        if (signal) link.#watch(signal);
        resolve(link);
      });
    });
  }

  #watch(signal: AbortSignal): void {
    const onAbort = () => {
      this.#failure ??= cancelled(signal);
      this[Symbol.dispose]();
    };
    signal.addEventListener("abort", onAbort, { once: true });
    this.#unwatch = () => signal.removeEventListener("abort", onAbort);
  }

  /** From now on, the signal that it was opened with no longer closes it. */
  keep(): void {
    this.#unwatch();
  }

  get isOpen(): boolean {
    return !this.#ended;
  }

  send(bytes: Uint8Array): void {
    if (this.#ended) throw this.#closed();
    this.#socket.write(bytes);
  }

  /** The next bytes, however many there are; undefined at the end. */
  async some(): Promise<Buffer | undefined> {
    for (;;) {
      const chunk = this.#chunks.shift();
      if (chunk) {
        this.#waiting -= chunk.length;
        if (this.#waiting <= mostWaiting) this.#socket.resume();
        return chunk;
      }
      if (this.#ended) {
        if (this.#failure instanceof ToolError) throw this.#failure;
        return undefined;
      }
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      this.#wake = undefined;
    }
  }

  /** Exactly this many bytes. */
  async exactly(count: number): Promise<Buffer> {
    const taken: Buffer[] = [];
    for (let left = count; left > 0;) {
      const chunk = await this.some();
      if (!chunk) throw this.#closed();
      taken.push(chunk.subarray(0, left));
      if (chunk.length > left) {
        this.#chunks.unshift(chunk.subarray(left));
        this.#waiting += chunk.length - left;
      }
      left -= Math.min(left, chunk.length);
    }
    return Buffer.concat(taken, count);
  }

  #closed(): Error {
    if (this.#failure instanceof ToolError) return this.#failure;
    return new AdbFailure("closed", this.#failure);
  }

  [Symbol.dispose](): void {
    this.#unwatch();
    this.#socket.destroy();
    this.#ended = true;
    this.#wake?.();
  }
}
