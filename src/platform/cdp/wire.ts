import type { ProtocolMapping } from "devtools-protocol/types/protocol-mapping.d.ts";
import { WebSocket } from "ws";
import { cancelled } from "../../base/async.ts";
import { ToolError } from "../../base/errors.ts";
import { parseJson, type Check } from "./checks.ts";
import { eventShapes, replyShapes, type Shaped } from "./shapes.ts";

type Commands = ProtocolMapping.Commands;
export type Method = keyof Commands;
export type Params<M extends Method> = Commands[M]["paramsType"][0];
/** Only the parts that are checked before anyone gets it. */
export type Reply<M extends Method> = Shaped<typeof replyShapes, M>;
type EventName = keyof typeof eventShapes;
type EventData<E extends EventName> = Shaped<typeof eventShapes, E>;

const shapeIn = (shapes: Readonly<Record<string, Check<unknown>>>, name: string): Check<unknown> | undefined =>
  Object.hasOwn(shapes, name) ? shapes[name] : undefined;

export interface SendOptions {
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface WireOptions extends SendOptions {
  /** Why its pages must not be used now; undefined when they may be. Called again before each message. */
  readonly refusal?: () => ToolError | undefined;
}

/** The browser answered with an error. Callers match the message: CDP has no useful codes. */
export class CdpError extends Error {
  override readonly name = "CdpError";
  readonly method: string;

  constructor(method: string, message: string) {
    super(`${method}: ${message}`);
    this.method = method;
  }
}

/** There was no answer, so it is unknown whether it was done. */
export const isTimeout = (error: unknown): boolean => error instanceof ToolError && error.code === "timeout";

interface Pending {
  readonly method: string;
  readonly sessionId: string | undefined;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

type Listener = (data: never) => void;

const defaultTimeoutMs = 10_000;
// Screenshots of large screens arrive as one base64 message.
const largestMessage = 128 * 1024 * 1024;
// A browser that stops reading must not fill our memory.
const largestBacklog = 64 * 1024 * 1024;

/** Not checked yet, so every field may be anything. */
interface Message {
  readonly id?: unknown;
  readonly method?: unknown;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly message?: unknown } | null;
  readonly sessionId?: unknown;
}

function parse(data: Buffer): Message | undefined {
  const value = parseJson(data.toString());
  return typeof value === "object" && value !== null ? value : undefined;
}

const acting =
  /^(Input\.|Runtime\.(evaluate|callFunctionOn)$|DOM\.setFileInputFiles$|Page\.(navigate|reload|handleJavaScriptDialog))/;

/** What was pressed must be released, whatever has been refused since. */
function isActing(method: string, params: unknown): boolean {
  const { type } = (params ?? {}) as { readonly type?: unknown };
  return acting.test(method) && type !== "keyUp" && type !== "mouseReleased";
}

/** One WebSocket to a browser, shared by all its sessions. */
export class Wire implements AsyncDisposable {
  readonly #socket: WebSocket;
  readonly #pending = new Map<number, Pending>();
  readonly #sessions = new Map<string, Session>();
  readonly #where: string;
  readonly #refusal: () => ToolError | undefined;
  #nextId = 1;
  #closed: ToolError | undefined;
  /** The browser itself, as a session without an id. */
  readonly root: Session;
  readonly closed: Promise<void>;

  private constructor(socket: WebSocket, where: string, refusal: () => ToolError | undefined) {
    this.#socket = socket;
    this.#where = where;
    this.#refusal = refusal;
    this.root = new Session(this, undefined);
    socket.on("message", (data: Buffer) => this.#take(data));
    socket.on("error", () => {});
    this.closed = new Promise((resolve) => {
      socket.on("close", () => {
        this.#end();
        resolve();
      });
    });
  }

  get isOpen(): boolean {
    return this.#closed === undefined;
  }

  /** Without an Origin header: a browser refuses every origin that it was not told to allow. */
  static async open(
    url: string,
    where: string,
    { timeoutMs = 5_000, signal, refusal = () => undefined }: WireOptions = {},
  ): Promise<Wire> {
    const socket = new WebSocket(url, {
      handshakeTimeout: timeoutMs,
      maxPayload: largestMessage,
      perMessageDeflate: false,
      skipUTF8Validation: true,
      followRedirects: false,
    });
    await new Promise<void>((resolve, reject) => {
      const onAbort = () => fail(cancelled(signal as AbortSignal));
      const done = () => signal?.removeEventListener("abort", onAbort);
      const fail = (error: Error) => {
        done();
        socket.terminate();
        reject(
          error instanceof ToolError
            ? error
            : new ToolError("not_connected", `${where} did not open a DevTools session: ${error.message}.`, {
                hint: "Is it the port given to --remote-debugging-port?",
                cause: error,
              }),
        );
      };
      signal?.addEventListener("abort", onAbort, { once: true });
      socket.once("error", fail);
      socket.once("open", () => {
        done();
        resolve();
      });
    });
    return new Wire(socket, where, refusal);
  }

  send<M extends Method>(
    sessionId: string | undefined,
    method: M,
    params: Params<M>,
    { timeoutMs = defaultTimeoutMs, signal }: SendOptions,
  ): Promise<Reply<M>> {
    if (this.#closed) return Promise.reject(this.#closed);
    if (signal?.aborted) return Promise.reject(cancelled(signal));
    const refusal = isActing(method, params) ? this.#refusal() : undefined;
    if (refusal) return Promise.reject(refusal);
    if (this.#socket.bufferedAmount > largestBacklog) {
      return Promise.reject(new ToolError("timeout", `${this.#where} does not read its messages.`));
    }
    const id = this.#nextId++;
    return new Promise<Reply<M>>((resolve, reject) => {
      const done = () => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", onAbort);
        this.#pending.delete(id);
      };
      const onAbort = () => {
        done();
        reject(cancelled(signal as AbortSignal));
      };
      const timer = setTimeout(() => {
        done();
        reject(new ToolError("timeout", `${this.#where} did not answer ${method} within ${timeoutMs} ms.`));
      }, timeoutMs);
      signal?.addEventListener("abort", onAbort, { once: true });
      this.#pending.set(id, {
        method,
        sessionId,
        resolve: (result) => {
          done();
          resolve(result as Reply<M>);
        },
        reject: (error) => {
          done();
          reject(error);
        },
      });
      this.#socket.send(JSON.stringify({ id, method, params: params ?? {}, ...(sessionId ? { sessionId } : {}) }));
    });
  }

  session(id: string): Session {
    const known = this.#sessions.get(id);
    if (known) return known;
    const made = new Session(this, id);
    this.#sessions.set(id, made);
    return made;
  }

  /** The target of the session is gone; pending requests will not be answered. */
  dropSession(id: string): void {
    this.#sessions.delete(id);
    for (const pending of this.#pending.values()) {
      if (pending.sessionId === id) pending.reject(new CdpError(pending.method, "Target closed"));
    }
  }

  #take(data: Buffer): void {
    const message = parse(data);
    if (message?.id !== undefined) return this.#answer(message);
    if (typeof message?.method !== "string") return;
    // Events without a shape have no listeners.
    const check = shapeIn(eventShapes, message.method);
    if (!check || check(message.params) !== undefined) return;
    const { sessionId } = message;
    const session = typeof sessionId === "string" ? this.#sessions.get(sessionId) : this.root;
    session?.emit(message.method, message.params);
  }

  #answer({ id, error, result }: Message): void {
    const pending = this.#pending.get(Number(id));
    if (!pending) return;
    if (error) {
      const { message } = error;
      return pending.reject(new CdpError(pending.method, typeof message === "string" ? message : "failed"));
    }
    const where = shapeIn(replyShapes, pending.method)?.(result);
    if (where === undefined) pending.resolve(result);
    else pending.reject(this.strange(pending.method, where));
  }

  /** `where` is the part of the answer that is not as expected. */
  strange(asked: string, where: string): ToolError {
    return new ToolError(
      "not_connected",
      `${this.#where} answered ${asked} unlike any browser (${where.slice(0, 200)}).`,
      {
        hint: "Is it the debugging port of a browser? cdp_disconnect disconnects from it.",
      },
    );
  }

  #end(): void {
    this.#closed ??= new ToolError("not_connected", `The connection to ${this.#where} was lost.`, {
      hint: "The next call connects again if the browser is back.",
    });
    for (const { reject } of this.#pending.values()) reject(this.#closed);
    this.#sessions.clear();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#socket.close();
    const timer = setTimeout(() => this.#socket.terminate(), 500);
    await this.closed;
    clearTimeout(timer);
  }
}

/** One target, reached over the browser's socket. */
export class Session {
  readonly id: string | undefined;
  readonly #wire: Wire;
  readonly #listeners = new Map<string, Set<Listener>>();

  constructor(wire: Wire, id: string | undefined) {
    this.#wire = wire;
    this.id = id;
  }

  send<M extends Method>(
    method: M,
    ...[params, options = {}]: undefined extends Commands[M]["paramsType"][0]
      ? [Params<M>?, SendOptions?]
      : [Params<M>, SendOptions?]
  ): Promise<Reply<M>> {
    return this.#wire.send(this.id, method, params as Params<M>, options);
  }

  /** For methods that some browsers lack: undefined when the method does not exist or does not work here. */
  async attempt<M extends Method>(
    method: M,
    params: Params<M>,
    options: SendOptions = {},
  ): Promise<Reply<M> | undefined> {
    try {
      return await this.#wire.send(this.id, method, params, options);
    } catch (error) {
      if (error instanceof CdpError) return undefined;
      throw error;
    }
  }

  /** For answers that are checked elsewhere. */
  strange(asked: string, where: string): ToolError {
    return this.#wire.strange(asked, where);
  }

  on<E extends EventName>(event: E, listener: (data: EventData<E>) => void): () => void {
    const all = this.#listeners.get(event) ?? new Set();
    this.#listeners.set(event, all);
    all.add(listener);
    return () => all.delete(listener);
  }

  emit(event: string, data: unknown): void {
    for (const listener of this.#listeners.get(event) ?? []) {
      try {
        (listener as (data: unknown) => void)(data);
      } catch (error) {
        // Thrown here, it would end up in the socket, which would then stop reading.
        setImmediate(() => {
          throw error;
        });
      }
    }
  }
}
