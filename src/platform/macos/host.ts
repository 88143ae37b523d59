import { ToolError } from "../../base/errors.ts";
import type { ElementEventKind } from "../backend.ts";
import { MacApps } from "./apps.ts";
import { libraryPath } from "./bindings/functions.ts";
import { openNative } from "./bindings/native.ts";
import { MacClipboard } from "./clipboard.ts";
import { diagnose } from "./diagnose.ts";
import { MacElements } from "./elements.ts";
import { MacEvents } from "./events.ts";
import { MacKeyboard } from "./keyboard.ts";
import { Mac } from "./mac.ts";
import { MacPointer } from "./pointer.ts";
import type { Call, Failure, Order, Places, Reply } from "./protocol.ts";
import { MacScreen } from "./screen.ts";
import { MacWindows } from "./windows.ts";

/**
 * The process that calls macOS, on its main thread: some calls end a process that makes them on another, and one that goes
 * wrong must not take the server with it.
 */
class Host implements AsyncDisposable {
  readonly #mac: Mac;
  readonly #parts: Readonly<Record<string, object>>;
  readonly #elements: MacElements;
  readonly #events: MacEvents;
  readonly #pointer: MacPointer;
  readonly #keyboard: MacKeyboard;
  readonly #running = new Map<number, AbortController>();
  readonly #watches = new Map<number, () => void>();

  constructor({ library, screencapture, applicationFolders }: Places) {
    this.#mac = new Mac(openNative(library === undefined ? libraryPath : () => library));
    this.#elements = new MacElements(this.#mac);
    this.#events = new MacEvents(this.#mac, this.#elements);
    this.#pointer = new MacPointer(this.#mac);
    this.#keyboard = new MacKeyboard(this.#mac, () => this.#elements.settle());
    const windows = new MacWindows(this.#mac);
    this.#parts = {
      windows,
      screen: new MacScreen(this.#mac, windows, screencapture),
      pointer: this.#pointer,
      keyboard: this.#keyboard,
      elements: this.#elements,
      apps: new MacApps(this.#mac, applicationFolders),
      clipboard: new MacClipboard(this.#mac),
      host: { diagnose: async () => diagnose(this.#mac), close: () => this[Symbol.asyncDispose]() },
    };
  }

  take(order: Order): void {
    if ("cancel" in order) return this.#running.get(order.cancel)?.abort();
    if ("unwatch" in order) {
      this.#watches.get(order.unwatch)?.();
      this.#watches.delete(order.unwatch);
      return;
    }
    void this.#answer(order);
  }

  async #answer(call: Call): Promise<void> {
    const { id } = call;
    const cancel = new AbortController();
    this.#running.set(id, cancel);
    try {
      tell({ id, value: await this.#perform(call, cancel.signal) });
    } catch (error) {
      tell({ id, failure: toFailure(error) });
    } finally {
      this.#running.delete(id);
    }
  }

  async #perform({ id, part, method, args }: Call, signal: AbortSignal): Promise<unknown> {
    if (part === "events") return this.#watch(id, method, args, signal);
    const target = this.#parts[part];
    const work: unknown = target && Reflect.get(target, method);
    if (typeof work !== "function") throw new Error(`the host has no ${part}.${method}`);
    const last = args.at(-1);
    const options = typeof last === "object" && last !== null && !Array.isArray(last) ? last : {};
    return await (Reflect.apply(work, target, [...args.slice(0, -1), { ...options, signal }]) as unknown);
  }

  async #watch(id: number, method: string, args: readonly unknown[], signal: AbortSignal): Promise<unknown> {
    if (method === "told") return this.#events.told();
    const kinds = args[0] as readonly ElementEventKind[];
    this.#watches.set(id, await this.#events.watch(kinds, (event) => tell({ watch: id, event }), { signal }));
    return undefined;
  }

  /** Nothing stays pressed, and nothing stays retained. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pointer[Symbol.asyncDispose]();
    await this.#keyboard[Symbol.asyncDispose]();
    this.#events[Symbol.dispose]();
    this.#elements[Symbol.dispose]();
    this.#mac[Symbol.dispose]();
  }
}

function tell(reply: Reply): void {
  process.send?.(reply);
}

function toFailure(error: unknown): Failure {
  if (!(error instanceof ToolError))
    return { message: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  const { cause: _, ...details } = error.details;
  return { code: error.code, message: error.message, details };
}

const host = new Host(JSON.parse(process.argv[2] ?? "") as Places);
process.on("message", (order: Order) => host.take(order));
// The server is gone: whatever is held is released.
process.on("disconnect", () => {
  void host[Symbol.asyncDispose]()
    .catch(() => {})
    .finally(() => process.exit(0));
});
