import { cancelled } from "../../base/async.ts";
import { ToolError } from "../../base/errors.ts";
import type { CallOptions } from "../backend.ts";
import type { Connection } from "./x11/connection.ts";
import { isInWayland } from "./wayland.ts";
import { openConnection } from "./x11/open.ts";

export type ConnectionHook = (connection: Connection) => Promise<void> | void;

/**
 * The display named by DISPLAY. Connects on first use and again after a loss, so each part of the backend asks for
 * the connection on every call and never keeps one. What belongs to one connection goes into `connection.memo`, or is
 * set up again by an `onConnect` hook; hooks run in order, before anyone gets the new connection.
 */
export class XDisplay implements AsyncDisposable {
  readonly #env: NodeJS.ProcessEnv;
  readonly #hooks = new Set<ConnectionHook>();
  #live: Connection | undefined;
  #opening: Promise<Connection> | undefined;
  #isDisposed = false;

  constructor(env: NodeJS.ProcessEnv) {
    this.#env = env;
  }

  get name(): string {
    return this.#env["DISPLAY"] ?? "";
  }

  /** The live connection, if there is one; never connects. */
  get current(): Connection | undefined {
    return this.#live?.isClosed === false ? this.#live : undefined;
  }

  /** The returned function removes the hook. If a hook fails, `connect` fails. */
  onConnect(hook: ConnectionHook): () => void {
    this.#hooks.add(hook);
    return () => this.#hooks.delete(hook);
  }

  async connect({ signal }: CallOptions = {}): Promise<Connection> {
    if (signal?.aborted) throw cancelled(signal);
    if (this.#isDisposed) {
      throw new ToolError("not_connected", `The connection to display ${this.name} was closed by handsight.`);
    }
    const live = this.current;
    if (live) return live;
    // Shared by all concurrent callers, so one that gives up must not cancel it for the others.
    this.#opening ??= this.#open().finally(() => {
      this.#opening = undefined;
    });
    return signal ? abortable(this.#opening, signal) : this.#opening;
  }

  /** See `isInWayland`: only windows of X11 programs can be seen and used. */
  async isPartial(options: CallOptions = {}): Promise<boolean> {
    return isInWayland(await this.connect(options), this.#env);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isDisposed = true;
    await this.#opening?.catch(() => {});
    this.#live?.close();
    this.#live = undefined;
  }

  async #open(): Promise<Connection> {
    const connection = await openConnection(this.#env["DISPLAY"], { env: this.#env });
    try {
      for (const hook of this.#hooks) await hook(connection);
    } catch (error) {
      connection.close();
      throw error;
    }
    this.#live = connection;
    return connection;
  }
}

function abortable<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(cancelled(signal));
    signal.addEventListener("abort", onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}
