import { throwIfCancelled } from "../../base/async.ts";
import { ToolError } from "../../base/errors.ts";
import type { CallOptions, ElementEvent, ElementEventKind } from "../backend.ts";
import { appElement, attribute, plain, pointerIn } from "./ax.ts";
import { constants } from "./bindings/constants.ts";
import { textOf } from "./cf.ts";
import type { MacElements } from "./elements.ts";
import { textRoles } from "./elements/roles.ts";
import type { Mac } from "./mac.ts";
import { needPermission } from "./permissions.ts";
import { listed } from "./windows.ts";

type Listener = (event: ElementEvent) => void;

interface Watch {
  readonly kinds: ReadonlySet<ElementEventKind>;
  readonly listener: Listener;
}

interface Observed {
  readonly observer: bigint;
  readonly source: bigint;
}

/** How often the run loop is given a turn while somebody watches; Node gives it none. */
const pumpMs = 20;
/** New apps and windows are looked for this often: nothing announces them to a process without an event loop. */
const lookMs = 100;

/** Notification → what it is about. A changed value depends on the element. */
const notifications: ReadonlyMap<string, readonly [ElementEventKind, string] | undefined> = new Map([
  ["AXFocusedUIElementChanged", ["focus", "focused"]],
  ["AXValueChanged", undefined],
  ["AXTitleChanged", ["property", "name"]],
  ["AXCreated", ["children", "add"]],
  ["AXUIElementDestroyed", ["children", "remove"]],
  ["AXLayoutChanged", ["children", "layout"]],
  ["AXRowCountChanged", ["children", "rows"]],
  ["AXRowExpanded", ["state", "expanded"]],
  ["AXRowCollapsed", ["state", "expanded"]],
  ["AXSelectedRowsChanged", ["state", "selected"]],
  ["AXSelectedChildrenChanged", ["state", "selected"]],
  ["AXMenuOpened", ["children", "menu"]],
  ["AXMenuClosed", ["children", "menu"]],
]);

const stateRoles: ReadonlySet<string> = new Set(["AXCheckBox", "AXRadioButton", "AXDisclosureTriangle"]);

/** Accessibility notifications and windows that come and go. Nothing is observed while nobody watches. */
export class MacEvents implements Disposable {
  readonly #mac: Mac;
  readonly #elements: MacElements;
  readonly #watches = new Set<Watch>();
  readonly #observed = new Map<number, Observed>();
  #callback: bigint | undefined;
  #windows = new Map<number, { readonly pid: number; readonly title: string }>();
  #timers: NodeJS.Timeout[] = [];

  constructor(mac: Mac, elements: MacElements) {
    this.#mac = mac;
    this.#elements = elements;
  }

  async watch(
    kinds: readonly ElementEventKind[],
    listener: Listener,
    { signal }: CallOptions = {},
  ): Promise<() => void> {
    throwIfCancelled(signal);
    needPermission(this.#mac, "Accessibility");
    const watch = { kinds: new Set(kinds), listener };
    this.#watches.add(watch);
    if (this.#watches.size === 1) this.#begin();
    else this.#look();
    return () => {
      this.#watches.delete(watch);
      if (this.#watches.size === 0) this.#end();
    };
  }

  /** Everything that was announced so far has been delivered. */
  async told(): Promise<number> {
    this.#pump();
    return 0;
  }

  [Symbol.dispose](): void {
    this.#watches.clear();
    this.#end();
  }

  #begin(): void {
    const { koffi } = this.#mac.native;
    const type = koffi.pointer(koffi.proto("void", ["void *", "void *", "void *", "void *"]));
    this.#callback = koffi.register(
      (_observer: bigint, element: bigint, name: bigint) => this.#hear(element, textOf(this.#mac.native, name)),
      type,
    );
    this.#windows = this.#list();
    this.#look();
    this.#timers = [setInterval(() => this.#pump(), pumpMs), setInterval(() => this.#look(), lookMs)];
  }

  #end(): void {
    for (const timer of this.#timers) clearInterval(timer);
    this.#timers = [];
    for (const pid of this.#observed.keys()) this.#unobserve(pid);
    if (this.#callback !== undefined) this.#mac.native.koffi.unregister(this.#callback);
    this.#callback = undefined;
  }

  #pump(): void {
    if (this.#observed.size === 0) return;
    const { native } = this.#mac;
    this.#mac.burst(() => {
      native.CFRunLoopRunInMode(native.variable("CoreFoundation", "kCFRunLoopDefaultMode"), 0, 0);
    });
  }

  /** Windows that came or went since the last look, and apps to observe. */
  #look(): void {
    const before = this.#windows;
    this.#windows = this.#list();
    for (const [id, { pid, title }] of this.#windows) {
      const was = before.get(id);
      if (!was) this.#tell({ kind: "window", detail: "create", pid });
      else if (was.title !== title) this.#tell({ kind: "property", detail: "name", pid });
    }
    for (const [id, { pid }] of before)
      if (!this.#windows.has(id)) this.#tell({ kind: "window", detail: "destroy", pid });
    const pids = new Set([...this.#windows.values()].map(({ pid }) => pid));
    for (const pid of pids) if (!this.#observed.has(pid)) this.#observe(pid);
    for (const pid of this.#observed.keys()) if (!pids.has(pid)) this.#unobserve(pid);
  }

  #list(): Map<number, { readonly pid: number; readonly title: string }> {
    const own = listed(this.#mac).filter(({ layer, isOnScreen }) => layer === 0 && isOnScreen);
    return new Map(own.map(({ id, pid, title }) => [id, { pid, title }]));
  }

  #observe(pid: number): void {
    const { native } = this.#mac;
    if (this.#callback === undefined) return;
    const made = new BigUint64Array(1);
    if (native.AXObserverCreate(pid, this.#callback, made) !== constants.kAXErrorSuccess) return;
    const observer = pointerIn(made);
    if (observer === null) return;
    this.#mac.burst((own) => {
      const app = appElement(this.#mac, own, pid);
      // An app need not know every notification.
      for (const name of notifications.keys())
        native.AXObserverAddNotification(observer, app, this.#mac.name(name), null);
    });
    const source = native.AXObserverGetRunLoopSource(observer);
    if (source === null) return native.CFRelease(observer);
    const mode = native.variable("CoreFoundation", "kCFRunLoopDefaultMode");
    native.CFRunLoopAddSource(native.CFRunLoopGetMain(), source, mode);
    this.#observed.set(pid, { observer, source });
  }

  /** The source first: the run loop may still call into an observer that is gone. */
  #unobserve(pid: number): void {
    const { native } = this.#mac;
    const observed = this.#observed.get(pid);
    if (!observed) return;
    this.#observed.delete(pid);
    const mode = native.variable("CoreFoundation", "kCFRunLoopDefaultMode");
    native.CFRunLoopRemoveSource(native.CFRunLoopGetMain(), observed.source, mode);
    native.CFRelease(observed.observer);
  }

  #hear(element: bigint, notification: string): void {
    try {
      this.#mac.burst((own) => {
        const pid = this.#elements.pidOf(element);
        const isGone = notification === "AXUIElementDestroyed";
        const role = isGone ? "" : String(plain(this.#mac, attribute(this.#mac, own, element, "AXRole")) ?? "");
        const [kind, detail] = notifications.get(notification) ?? ofValue(role);
        if (![...this.#watches].some(({ kinds }) => kinds.has(kind))) return;
        const runtimeId = isGone ? "" : (this.#elements.registry.resolve(own, element) ?? "");
        this.#tell({ kind, detail, pid, runtimeId });
      });
    } catch (error) {
      // The element or its app was gone before it could be named.
      if (!(error instanceof ToolError)) throw error;
    }
  }

  #tell(event: Pick<ElementEvent, "kind" | "detail" | "pid"> & { readonly runtimeId?: string }): void {
    const told = { runtimeId: "", ...event, at: Date.now() };
    for (const { kinds, listener } of this.#watches) if (kinds.has(event.kind)) listener(told);
  }
}

function ofValue(role: string): readonly [ElementEventKind, string] {
  if (textRoles.has(role)) return ["text", "changed"];
  return stateRoles.has(role) ? ["state", "checked"] : ["property", "value"];
}
