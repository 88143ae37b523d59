import type { Socket } from "node:net";
import { cancelled } from "../../../base/async.ts";
import { ToolError } from "../../../base/errors.ts";
import { DBusError } from "./errors.ts";
import { MessageStream } from "./incoming.ts";
import { Writer } from "./marshal.ts";
import { decodeMessage, messageType, noAutoStart, noReplyExpected, writeMessage, type Header } from "./message.ts";
import { showMethod, type BusCallOptions, type Method } from "./method.ts";
import { Pendings } from "./pending.ts";
import { matches, toMatchRule, type MatchRule, type Signal } from "./signals.ts";
import type { Value } from "./value.ts";

const daemon = {
  destination: "org.freedesktop.DBus",
  path: "/org/freedesktop/DBus",
  interface: "org.freedesktop.DBus",
} as const;

/**
 * One D-Bus connection, to a daemon or directly to a program (peer). Get one from `openBus`, or from `LazyBus`, which
 * reconnects.
 *
 * - `call` resolves with the values of the reply. Calls made in the same turn leave in one write and do not wait for
 *   each other: a thousand of them cost little more than one.
 * - An error reply rejects with `DBusError`; a missing reply, after the deadline (2 s by default), with ToolError
 *   `timeout`. When the connection is lost, everything pending and every later call rejects with ToolError
 *   `not_connected`; on a peer connection, with the `DBusError` that a daemon returns for a program that has ended.
 * - `on` listens to signals by match rule, in the order they were sent relative to replies of the same sender.
 *
 * The connection keeps the process alive only while a reply is awaited.
 */
export class Bus {
  /** Our own name on the bus, such as ":1.42"; empty on a peer-to-peer connection. */
  uniqueName = "";
  readonly where: string;
  readonly #socket: Socket;
  readonly #stream = new MessageStream();
  readonly #pending: Pendings;
  readonly #listeners = new Map<number, { readonly rule: MatchRule; readonly hear: (signal: Signal) => void }>();
  readonly #rules = new Map<string, number>();
  readonly #closeListeners = new Set<() => void>();
  #nextListener = 0;
  #serial = 0;
  readonly #outgoing = new Writer(16 * 1024);
  #flushPlanned = false;
  readonly #isPeer: boolean;
  #lost: ToolError | DBusError | undefined;

  /** The socket must be authenticated; its data goes to `receive`. */
  constructor(where: string, socket: Socket, isPeer = false) {
    this.where = where;
    this.#isPeer = isPeer;
    this.#socket = socket;
    socket.unref();
    this.#pending = new Pendings((isWaiting) => (isWaiting ? socket.ref() : socket.unref()));
  }

  get isClosed(): boolean {
    return this.#lost !== undefined;
  }

  async hello(options: BusCallOptions = {}): Promise<void> {
    const [name] = await this.call<[string]>({ ...daemon, member: "Hello" }, "", [], options);
    this.uniqueName = name;
  }

  /** `Reply` is the caller's knowledge of the method's out signature; nothing checks it. */
  call<Reply extends readonly Value[] = readonly Value[]>(
    method: Method,
    signature = "",
    values: readonly Value[] = [],
    options: BusCallOptions = {},
  ): Promise<Reply> {
    if (this.#lost) return Promise.reject(this.#lost);
    if (options.signal?.aborted) return Promise.reject(cancelled(options.signal));
    const serial = this.#newSerial();
    try {
      this.#write(toHeader(serial, method, signature, options), values);
    } catch (error) {
      return Promise.reject(error instanceof Error ? error : new Error(String(error)));
    }
    return this.#pending.add(serial, method, options) as Promise<unknown> as Promise<Reply>;
  }

  /** A method of the bus daemon itself. */
  callDaemon<Reply extends readonly Value[] = readonly Value[]>(
    member: string,
    signature = "",
    values: readonly Value[] = [],
    options: BusCallOptions = {},
  ): Promise<Reply> {
    return this.call<Reply>({ ...daemon, member }, signature, values, options);
  }

  /** Resolves once the daemon sends matching signals. The returned function stops it. */
  async on(rule: MatchRule, hear: (signal: Signal) => void, options: BusCallOptions = {}): Promise<() => void> {
    const id = this.#nextListener++;
    this.#listeners.set(id, { rule, hear });
    const text = toMatchRule(rule);
    const users = this.#rules.get(text) ?? 0;
    this.#rules.set(text, users + 1);
    const stop = () => {
      if (!this.#listeners.delete(id)) return;
      const left = (this.#rules.get(text) ?? 1) - 1;
      if (left > 0) return void this.#rules.set(text, left);
      this.#rules.delete(text);
      if (this.uniqueName !== "") this.callDaemon("RemoveMatch", "s", [text]).catch(() => {});
    };
    if (this.uniqueName === "" || users > 0) return stop;
    try {
      await this.callDaemon("AddMatch", "s", [text], options);
      return stop;
    } catch (error) {
      stop();
      throw error;
    }
  }

  onClose(listener: () => void): () => void {
    this.#closeListeners.add(listener);
    return () => this.#closeListeners.delete(listener);
  }

  close(): void {
    this.lose(`The connection to the D-Bus at ${this.where} was closed.`);
  }

  /** Rejects everything pending and refuses later calls. Called when the socket ends. */
  lose(message: string, cause?: unknown): void {
    if (this.#lost) return;
    this.#lost = this.#isPeer
      ? new DBusError("org.freedesktop.DBus.Error.Disconnected", message, this.where)
      : new ToolError("not_connected", message, {
          hint: "The next call connects again once the bus is back.",
          ...(cause === undefined ? {} : { cause }),
        });
    this.#socket.destroy();
    this.#pending.rejectAll(this.#lost);
    this.#listeners.clear();
    for (const listener of this.#closeListeners) listener();
    this.#closeListeners.clear();
  }

  receive(chunk: Buffer): void {
    if (this.#lost) return;
    try {
      this.#stream.add(chunk, (message) => this.#take(message));
    } catch (error) {
      const what = error instanceof Error ? error.message : String(error);
      this.lose(`The D-Bus at ${this.where} sent something unreadable: ${what}`, error);
    }
  }

  #take(bytes: Buffer): void {
    if (this.#lost) return;
    const { header, body } = decodeMessage(bytes);
    switch (header.type) {
      case messageType.reply:
        return this.#pending.take(header.replySerial)?.resolve(body());
      case messageType.error: {
        const pending = this.#pending.take(header.replySerial);
        const [text] = header.signature?.startsWith("s") ? body() : [];
        const message = typeof text === "string" ? text : "";
        return pending?.reject(new DBusError(header.errorName ?? "", message, showMethod(pending.method)));
      }
      case messageType.signal:
        return this.#hear(header, body);
      case messageType.call:
        return this.#answer(header);
      default:
        return;
    }
  }

  #hear(header: Header, body: () => readonly Value[]): void {
    let signal: Signal | undefined;
    for (const { rule, hear } of this.#listeners.values()) {
      if (!matches(rule, header)) continue;
      signal ??= {
        sender: header.sender ?? "",
        path: header.path ?? "",
        interface: header.interface ?? "",
        member: header.member ?? "",
        body: body(),
      };
      if (rule.arg0 === undefined || signal.body[0] === rule.arg0) hear(signal);
    }
  }

  /** We serve nothing, but without an answer a caller would wait for its whole deadline. */
  #answer({ flags, serial, sender, interface: name, member }: Header): void {
    if ((flags & noReplyExpected) !== 0) return;
    const reply = {
      flags: noReplyExpected,
      serial: this.#newSerial(),
      replySerial: serial,
      ...(sender === undefined ? {} : { destination: sender }),
    };
    const isPing = name === "org.freedesktop.DBus.Peer" && member === "Ping";
    if (isPing) return this.#write({ ...reply, type: messageType.reply });
    const errorName = "org.freedesktop.DBus.Error.UnknownMethod";
    this.#write({ ...reply, type: messageType.error, errorName, signature: "s" }, ["This program serves no methods."]);
  }

  #newSerial(): number {
    this.#serial = this.#serial === 0xffff_ffff ? 1 : this.#serial + 1;
    return this.#serial;
  }

  #write(header: Header, values: readonly Value[] = []): void {
    writeMessage(this.#outgoing, header, values);
    if (this.#flushPlanned) return;
    this.#flushPlanned = true;
    queueMicrotask(() => this.#flush());
  }

  #flush(): void {
    this.#flushPlanned = false;
    const bytes = this.#outgoing.take();
    if (bytes.length > 0 && !this.#lost) this.#socket.write(bytes);
  }
}

function toHeader(serial: number, method: Method, signature: string, { canStart }: BusCallOptions): Header {
  const { destination, path, interface: name, member } = method;
  const flags = canStart ? 0 : noAutoStart;
  const header = { type: messageType.call, flags, serial, path, interface: name, member, signature };
  return destination === "" ? header : { ...header, destination };
}
