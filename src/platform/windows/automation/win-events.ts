import type { ElementEvent, ElementEventKind } from "../../backend.ts";
import { controlId } from "./controls.ts";
import type { Win32 } from "./win32.ts";
import type { WindowFacts } from "./window.ts";

interface Meaning {
  readonly kind: ElementEventKind;
  readonly detail: string;
}

/** winuser.h: EVENT_SYSTEM_* and EVENT_OBJECT_*. */
const meanings: ReadonlyMap<number, Meaning> = new Map([
  [0x0003, { kind: "window", detail: "activate" }],
  [0x0006, { kind: "window", detail: "create" }],
  [0x0007, { kind: "window", detail: "destroy" }],
  [0x0016, { kind: "window", detail: "minimize" }],
  [0x0017, { kind: "window", detail: "restore" }],
  [0x8000, { kind: "children", detail: "add" }],
  [0x8001, { kind: "children", detail: "remove" }],
  [0x8002, { kind: "children", detail: "add" }],
  [0x8003, { kind: "children", detail: "remove" }],
  [0x8004, { kind: "children", detail: "reorder" }],
  [0x8005, { kind: "focus", detail: "focused" }],
  [0x8006, { kind: "state", detail: "selected" }],
  [0x8007, { kind: "state", detail: "selected" }],
  [0x8008, { kind: "state", detail: "!selected" }],
  [0x8009, { kind: "state", detail: "selection" }],
  [0x800a, { kind: "state", detail: "changed" }],
  [0x800b, { kind: "property", detail: "bounds" }],
  [0x800c, { kind: "property", detail: "name" }],
  [0x800d, { kind: "property", detail: "description" }],
  [0x800e, { kind: "text", detail: "value" }],
] satisfies readonly (readonly [number, Meaning])[]);

/** The mouse pointer and the text cursor report every movement as if they were windows. */
const unwanted: ReadonlySet<number> = new Set([-8, -9]);
const ranges = [
  [0x0003, 0x0003],
  [0x0006, 0x0007],
  [0x0016, 0x0017],
  [0x8000, 0x800e],
] as const;
const [outOfContext, skipOwnProcess] = [0, 2];
const remove = 1;
const messageSize = 48;

/** What apps report to everybody, delivered to this thread whenever it looks into its queue. */
export class WinEvents {
  readonly #win32: Win32;
  readonly #facts: WindowFacts;
  readonly #report: (event: ElementEvent) => void;
  readonly #callback: bigint;
  readonly #hooks: readonly number[];
  /** A destroyed window says no more whose it was, or whether it was a window of the desktop. */
  readonly #pids = new Map<number, number>();
  readonly #tops = new Set<number>();

  constructor(win32: Win32, facts: WindowFacts, report: (event: ElementEvent) => void) {
    this.#win32 = win32;
    this.#facts = facts;
    this.#report = report;
    for (const hwnd of facts.topLevels(undefined)) this.#tops.add(hwnd);
    const hear = (_hook: number, event: number, hwnd: number, object: number, _child: number, thread: number): void =>
      this.#hear(event, hwnd, object, thread);
    this.#callback = win32.callback(
      hear,
      "void __stdcall WinEventProc(uintptr_t hook, uint32 event, uintptr_t hwnd, int32 object, int32 child, uint32 thread, uint32 time)",
    );
    this.#hooks = ranges.map(([first, last]) =>
      win32.hook(first, last, 0, this.#callback, 0, 0, outOfContext | skipOwnProcess),
    );
  }

  /** Delivers everything that has arrived. */
  pump(): void {
    const message = Buffer.alloc(messageSize);
    while (this.#win32.peek(message, 0, 0, 0, remove) !== 0) this.#win32.dispatch(message);
  }

  release(): void {
    for (const hook of this.#hooks) this.#win32.unhook(hook);
    this.#win32.forget(this.#callback);
  }

  #hear(event: number, hwnd: number, object: number, thread: number): void {
    const meaning = meanings.get(event);
    if (!meaning || hwnd === 0 || unwanted.has(object)) return;
    const pid = this.#facts.pidOf(hwnd) ?? this.#pids.get(thread);
    if (pid !== undefined) this.#pids.set(thread, pid);
    const { kind, detail } = this.#ofWindow(hwnd, meaning);
    this.#report({ kind, detail, runtimeId: controlId(hwnd), pid, at: Date.now() });
  }

  /** Windows of the desktop open and close; windows inside them are children. */
  #ofWindow(hwnd: number, meaning: Meaning): Meaning {
    if (meaning.kind !== "children" || meaning.detail === "reorder") return meaning;
    const isTop = this.#tops.has(hwnd) || (this.#facts.exists(hwnd) && this.#facts.rootOf(hwnd) === hwnd);
    if (!isTop) return meaning;
    if (meaning.detail === "add") {
      this.#tops.add(hwnd);
      return { kind: "window", detail: "create" };
    }
    this.#tops.delete(hwnd);
    return { kind: "window", detail: "destroy" };
  }
}
