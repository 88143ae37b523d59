import type { Socket } from "node:net";
import { cancelled } from "../../../base/async.ts";
import { ToolError } from "../../../base/errors.ts";
import { errorName, XError } from "./errors.ts";
import { decodeEvent, type XEvent } from "./events.ts";
import { Incoming, messageLength } from "./incoming.ts";
import { PendingRequests, type RequestOptions } from "./pending.ts";
import type { Setup } from "./setup.ts";
import { Reply, RequestWriter } from "./wire.ts";

export type { RequestOptions } from "./pending.ts";

export interface Extension {
  readonly name: string;
  readonly opcode: number;
  readonly firstEvent: number;
  readonly firstError: number;
}

/** A reply must be requested at least this often, or the 16-bit sequence numbers become ambiguous. */
const longestSilence = 0xf000;
const getInputFocus = 43;

/**
 * One connection to an X server. Get one from `openConnection` (open.ts), or from `XDisplay` (display.ts), which
 * reconnects. Typed requests are functions in requests.ts and extensions.ts; they build on these:
 *
 * - `request(name, writer)` sends and resolves with that request's reply. Requests made in the same turn leave in one
 *   write and need not wait for each other: `Promise.all` of a hundred costs one round trip.
 * - `send(name, writer)` sends a request that has no reply. If the server refuses it, the error goes to the `onError`
 *   listeners; it never becomes an unhandled rejection.
 * - `checked(name, writer)` is `send`, then resolves when the server has carried it out, or rejects with its XError.
 * - `sync()` resolves when the server has handled everything sent so far.
 * - `on(listener)` gets every event, decoded; it returns a function that stops it. The same goes for `onClose`.
 * - `atom(name)`, `extension(name)` and `memo(key, make)` are requested once per connection.
 *
 * Each reply has a deadline (2 s by default) and takes an AbortSignal. A refusal rejects exactly the promise of the
 * refused request, with an `XError`. When the connection is lost, everything pending and every later request rejects
 * with ToolError `not_connected`.
 *
 * The connection keeps the process alive only while a reply is awaited.
 */
export class Connection {
  readonly displayName: string;
  readonly setup: Setup;
  readonly #socket: Socket;
  readonly #incoming = new Incoming(32, messageLength);
  readonly #pending: PendingRequests;
  readonly #names = new Map<number, string>();
  readonly #listeners = new Set<(event: XEvent) => void>();
  readonly #errorListeners = new Set<(error: XError) => void>();
  readonly #closeListeners = new Set<() => void>();
  readonly #memo = new Map<string, Promise<unknown>>();
  readonly #extensions: Extension[] = [];
  #outgoing: Buffer[] = [];
  #flushPlanned = false;
  #sent = 0;
  #received = 0;
  #lastAsked = 0;
  #nextId = 0;
  #maxRequestBytes = 0xffff * 4;
  #lost: ToolError | undefined;

  /** The socket must have completed the setup handshake; its data goes to `receive`. */
  constructor(displayName: string, setup: Setup, socket: Socket) {
    this.displayName = displayName;
    this.setup = setup;
    this.#socket = socket;
    socket.unref();
    this.#pending = new PendingRequests(displayName, (isAnyAwaited) => (isAnyAwaited ? socket.ref() : socket.unref()));
  }

  get root(): number {
    return this.setup.root;
  }

  get isClosed(): boolean {
    return this.#lost !== undefined;
  }

  /** True when the server is reached through a local socket, so that memory can be shared with it. */
  get isLocal(): boolean {
    return this.#socket.remoteFamily === undefined;
  }

  request(name: string, writer: RequestWriter, options: RequestOptions = {}): Promise<Reply> {
    return this.#await(name, writer, true, options) as Promise<Reply>;
  }

  send(name: string, writer: RequestWriter): void {
    if (this.#lost) return;
    const bytes = writer.finish();
    const refusal = this.#tooLong(name, bytes);
    if (refusal) throw refusal;
    this.#write(name, bytes);
  }

  async checked(name: string, writer: RequestWriter, options: RequestOptions = {}): Promise<void> {
    const done = this.#await(name, writer, false, options);
    // The reply to this request proves that the previous one was carried out.
    const synced = this.sync(options);
    await Promise.all([done, synced]);
  }

  async sync(options: RequestOptions = {}): Promise<void> {
    await this.request("GetInputFocus", new RequestWriter(getInputFocus), options);
  }

  on(listener: (event: XEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Receives the errors of requests made with `send`. */
  onError(listener: (error: XError) => void): () => void {
    this.#errorListeners.add(listener);
    return () => this.#errorListeners.delete(listener);
  }

  onClose(listener: () => void): () => void {
    this.#closeListeners.add(listener);
    return () => this.#closeListeners.delete(listener);
  }

  /** A new resource id. Ids are not reused: a server grants two million per client. */
  newId(): number {
    const { idBase, idMask } = this.setup;
    const step = idMask & -idMask;
    const offset = this.#nextId * step;
    if (offset > idMask) throw new ToolError("internal", `Display ${this.displayName} has no resource ids left.`);
    this.#nextId += 1;
    return (idBase | offset) >>> 0;
  }

  /** Made once per connection and shared; a failure is not cached. */
  memo<T>(key: string, make: () => Promise<T>): Promise<T> {
    const known = this.#memo.get(key) as Promise<T> | undefined;
    if (known) return known;
    const made = make();
    this.#memo.set(key, made);
    made.catch(() => this.#memo.delete(key));
    return made;
  }

  atom(name: string): Promise<number> {
    return this.memo(`atom ${name}`, async () => {
      const text = Buffer.from(name, "latin1");
      const writer = new RequestWriter(16).u16(text.length).skip(2).bytes(text);
      return (await this.request("InternAtom", writer)).u32();
    });
  }

  /** The atoms of all the names, in one round trip. */
  async atoms<Name extends string>(...names: readonly Name[]): Promise<Record<Name, number>> {
    const values = await Promise.all(names.map((name) => this.atom(name)));
    return Object.fromEntries(names.map((name, index) => [name, values[index]])) as Record<Name, number>;
  }

  /** Undefined when the server does not support it. */
  extension(name: string): Promise<Extension | undefined> {
    return this.memo(`extension ${name}`, async () => {
      const text = Buffer.from(name, "latin1");
      const reply = await this.request("QueryExtension", new RequestWriter(98).u16(text.length).skip(2).bytes(text));
      if (reply.u8() === 0) return undefined;
      const extension = { name, opcode: reply.u8(), firstEvent: reply.u8(), firstError: reply.u8() };
      this.#extensions.push(extension);
      return extension;
    });
  }

  allowRequestBytes(count: number): void {
    this.#maxRequestBytes = count;
  }

  /**
   * Sends a request outside the stream, for one that carries a file descriptor: waits until all earlier bytes have
   * left, then calls `transmit` with the socket's descriptor in the same turn, so that nothing gets in between.
   */
  async checkedOutOfBand(
    name: string,
    writer: RequestWriter,
    transmit: (socketFd: number, bytes: Buffer) => void,
  ): Promise<void> {
    while (this.#outgoing.length > 0 || this.#socket.writableLength > 0) {
      await new Promise<void>((resolve) => {
        this.#flush();
        this.#socket.write(Buffer.alloc(0), () => resolve());
      });
      if (this.#lost) throw this.#lost;
    }
    const handle = (this.#socket as unknown as { _handle?: { fd?: number } })._handle;
    if (handle?.fd === undefined || handle.fd < 0)
      throw new ToolError("not_supported", "The socket has no descriptor.");
    transmit(handle.fd, writer.finish());
    this.#sent += 1;
    const done = this.#register(name, false, {});
    await Promise.all([done, this.sync()]);
  }

  /** Ends the connection; the server frees everything created through it. */
  close(): void {
    this.lose(`The connection to display ${this.displayName} was closed.`);
  }

  /** Rejects everything pending and refuses later requests. Called when the socket ends. */
  lose(message: string, cause?: unknown): void {
    if (this.#lost) return;
    const lost = new ToolError("not_connected", message, {
      hint: `Check that the X server of display ${this.displayName} is running; the next call connects again.`,
      ...(cause === undefined ? {} : { cause }),
    });
    this.#lost = lost;
    this.#outgoing = [];
    this.#pending.rejectAll(lost);
    this.#socket.destroy();
    for (const listener of this.#closeListeners) listener();
    this.#listeners.clear();
  }

  receive(chunk: Buffer): void {
    for (const message of this.#incoming.add(chunk)) {
      if (this.#lost) return;
      const code = message.readUInt8(0);
      if (code === 1) this.#onReply(message);
      else if (code === 0) this.#onError(message);
      else this.#onEvent(message);
    }
  }

  #onReply(message: Buffer): void {
    const sequence = this.#reach(message.readUInt16LE(2));
    const entry = this.#pending.take(sequence);
    this.#pass(sequence);
    entry?.settle?.({ reply: new Reply(message) });
  }

  #onError(message: Buffer): void {
    const sequence = this.#reach(message.readUInt16LE(2));
    const entry = this.#pending.take(sequence);
    this.#pass(sequence);
    const name = entry?.name ?? this.#names.get(sequence) ?? `request ${message.readUInt8(10)}`;
    this.#names.delete(sequence);
    const error = new XError(errorName(message.readUInt8(1), this.#extensions), name, message.readUInt32LE(4));
    if (entry) entry.settle?.({ error });
    else for (const listener of this.#errorListeners) listener(error);
  }

  #onEvent(message: Buffer): void {
    // KeymapNotify (11) is the only event without a sequence number.
    if ((message.readUInt8(0) & 0x7f) !== 11) this.#pass(this.#reach(message.readUInt16LE(2)));
    if (this.#listeners.size === 0) return;
    const event = decodeEvent(message, this.#extensions);
    for (const listener of this.#listeners) listener(event);
  }

  /** The full sequence number, of which the server sends only the low 16 bits. */
  #reach(low: number): number {
    const full = this.#received - (this.#received & 0xffff) + low;
    this.#received = full < this.#received ? full + 0x10000 : full;
    return this.#received;
  }

  #pass(sequence: number): void {
    this.#pending.resolveBefore(sequence);
    for (const number of this.#names.keys()) {
      if (number >= sequence) break;
      this.#names.delete(number);
    }
  }

  #await(name: string, writer: RequestWriter, hasReply: boolean, options: RequestOptions): Promise<Reply | undefined> {
    const { signal } = options;
    if (this.#lost) return Promise.reject(this.#lost);
    if (signal?.aborted) return Promise.reject(cancelled(signal));
    const bytes = writer.finish();
    const refusal = this.#tooLong(name, bytes);
    if (refusal) return Promise.reject(refusal);
    this.#write(undefined, bytes);
    return this.#register(name, hasReply, options);
  }

  #tooLong(name: string, { length }: Buffer): ToolError | undefined {
    if (length <= this.#maxRequestBytes) return undefined;
    return new ToolError(
      "not_supported",
      `${name} of ${length} bytes exceeds the ${this.#maxRequestBytes} that display ${this.displayName} takes.`,
    );
  }

  /** Registers the last request sent as awaited. */
  #register(name: string, hasReply: boolean, options: RequestOptions): Promise<Reply | undefined> {
    if (hasReply) this.#lastAsked = this.#sent;
    return this.#pending.add(this.#sent, { name, hasReply }, options);
  }

  #write(voidName: string | undefined, bytes: Buffer): void {
    if (this.#sent - this.#lastAsked >= longestSilence) {
      this.#lastAsked = this.#sent;
      this.sync().catch(() => {});
    }
    this.#sent += 1;
    if (voidName !== undefined) this.#names.set(this.#sent, voidName);
    this.#outgoing.push(bytes);
    if (this.#flushPlanned) return;
    this.#flushPlanned = true;
    queueMicrotask(() => this.#flush());
  }

  #flush(): void {
    this.#flushPlanned = false;
    if (this.#outgoing.length === 0 || this.#lost) return;
    const bytes = this.#outgoing.length === 1 ? this.#outgoing[0] : Buffer.concat(this.#outgoing);
    this.#outgoing = [];
    if (bytes) this.#socket.write(bytes);
  }
}
