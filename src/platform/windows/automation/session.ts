import { ToolError } from "../../../base/errors.ts";
import { contains, type ScreenPoint } from "../../../base/geometry.ts";
import type { UiNode } from "../../../base/node.ts";
import type { Tree } from "../../backend.ts";
import { guid, references, type Address, ComObject } from "./com.ts";
import { ControlRung } from "./control-rung.ts";
import { Deadline } from "./deadline.ts";
import { gather, type Branch } from "./gather.ts";
import { MsaaRung } from "./msaa-rung.ts";
import { Msaa } from "./msaa.ts";
import type { Answers, Requests } from "./messages.ts";
import { gone } from "./refusals.ts";
import type { Rung, RungContext, RungText } from "./rung.ts";
import { UiaRung } from "./uia-rung.ts";
import { Uia } from "./uia.ts";
import type { Win32 } from "./win32.ts";
import { WindowFacts } from "./window.ts";

const classes = ["e22ad333-b25f-460c-83d0-0581107395c9", "ff48dba4-60ef-4201-aa87-54103eef594e"];
const iUiAutomation = "30cbe57d-d9d0-452a-ab13-7ac5ac4825ee";
const multithreaded = 0;
const inProcess = 1;
const mostAtPoint = 5000;
const mostTold = 10;
/** An app may start to offer its elements after its window has opened. */
const decidedForMs = 2000;

function openUia(win32: Win32): Uia | undefined {
  for (const each of classes) {
    const out: [Address | null] = [null];
    const result = win32.coCreate(guid(each), null, inProcess, guid(iUiAutomation), out);
    if (result >= 0 && out[0] !== null) return new Uia(new ComObject(out[0]), win32.memory, win32.desktop());
  }
  return undefined;
}

/** Answers requests about elements, in the one thread that calls COM. Every call blocks it. */
export class AutomationSession {
  readonly #facts: WindowFacts;
  readonly #rungs: readonly Rung[];
  readonly #decided = new Map<number, { readonly rung: Rung; readonly until: number }>();

  constructor(win32: Win32) {
    this.#facts = new WindowFacts(win32);
    win32.coInitialize(null, multithreaded);
    const uia = openUia(win32);
    this.#rungs = [
      ...(uia ? [new UiaRung(uia, this.#facts)] : []),
      new MsaaRung(new Msaa(win32.accessibleFromWindow, win32.memory), this.#facts),
      new ControlRung(this.#facts),
    ];
  }

  tree({ pid, windowId, root, maxNodes, timeoutMs }: Requests["tree"]): Tree {
    const deadline = new Deadline(timeoutMs);
    if (root !== undefined) {
      const branch = this.#withElement(root, deadline, (rung, context) => rung.branch(root, context));
      if (!branch) throw gone();
      return gather([branch], { maxNodes, deadline, includesHidden: true });
    }
    const windows = windowId === undefined ? this.#facts.topLevels(pid) : [windowId];
    const open = windows.filter((hwnd) => this.#facts.exists(hwnd) && this.#facts.pidOf(hwnd) === pid);
    if (open.length === 0) throw this.#nothing(pid, windowId);
    const branches = open.map((hwnd) => this.#open(hwnd, deadline));
    const tree = gather(
      branches.map(({ branch }) => branch),
      { maxNodes, deadline, includesHidden: false },
    );
    for (const { rung, hwnd } of branches) rung.finish?.(hwnd);
    return tree;
  }

  at({ x, y, pid, timeoutMs }: Requests["at"]): readonly UiNode[] {
    const deadline = new Deadline(timeoutMs);
    const point = { x, y } as ScreenPoint;
    const hwnd = this.#windowAt(point, pid);
    if (hwnd === undefined) return [];
    const { rung, branch } = this.#open(hwnd, deadline);
    const own = rung.at?.(hwnd, point, this.#context(hwnd, deadline));
    if (own) return own;
    const { nodes } = gather([branch], { maxNodes: mostAtPoint, deadline, includesHidden: false });
    return chainAt(nodes, point);
  }

  focused({ timeoutMs }: Requests["focused"]): UiNode | undefined {
    const deadline = new Deadline(timeoutMs);
    const hwnd = this.#facts.win32.foreground();
    if (hwnd === 0) return undefined;
    const { rung, branch } = this.#open(hwnd, deadline);
    const own = rung.focused?.(hwnd, this.#context(hwnd, deadline));
    if (own || rung.prefix === "h") return own;
    const { nodes } = gather([branch], { maxNodes: mostAtPoint, deadline, includesHidden: false });
    return nodes.findLast(({ states, parent }) => parent !== undefined && states.includes("focused"));
  }

  read({ ids, timeoutMs }: Requests["read"]): readonly (UiNode | undefined)[] {
    const deadline = new Deadline(timeoutMs);
    return ids.map((id) => {
      deadline.check();
      const node = this.#withElement(id, deadline, (rung, context) => rung.read(id, context));
      deadline.heard();
      return node;
    });
  }

  perform({ id, action, timeoutMs }: Requests["perform"], begin: (via: string) => void): Answers["perform"] {
    const deadline = new Deadline(timeoutMs);
    const via = this.#withElement(id, deadline, (rung, context) => rung.perform(id, action, context, begin));
    if (via === undefined) throw gone();
    return { via };
  }

  text({ id, maxChars, timeoutMs }: Requests["text"]): RungText | undefined {
    const deadline = new Deadline(timeoutMs);
    return this.#withElement(id, deadline, (rung, context) => rung.text(id, maxChars, context));
  }

  /** What this thread holds, and how it reads each window that can be seen. */
  state({ timeoutMs }: Requests["state"]): Answers["state"] {
    const windows = this.#facts.topLevels(undefined).filter((hwnd) => this.#facts.boundsOf(hwnd) !== undefined);
    return {
      references: references.live,
      rungs: this.#rungs.map(({ name }) => name),
      windows: windows.slice(0, mostTold).map((hwnd) => this.#rungOf(hwnd, timeoutMs)),
    };
  }

  release(): void {
    for (const rung of this.#rungs) rung.release();
  }

  #rungOf(hwnd: number, timeoutMs: number): string {
    try {
      return this.#open(hwnd, new Deadline(timeoutMs)).rung.name;
    } catch {
      return "no answer";
    }
  }

  #nothing(pid: number, windowId: number | undefined): ToolError {
    return windowId === undefined
      ? new ToolError("not_found", `Process ${pid} shows no window.`, { hint: "List the windows and use one of them." })
      : new ToolError("window_gone", `Window ${windowId} is gone.`, { hint: "List the windows and use one of them." });
  }

  #context(hwnd: number, deadline: Deadline): RungContext {
    return { deadline, clip: this.#facts.boundsOf(hwnd) };
  }

  /** The window on the highest rung that has something to say about it. */
  #open(hwnd: number, deadline: Deadline): { readonly rung: Rung; readonly branch: Branch; readonly hwnd: number } {
    // COM has no deadline: a window that takes no messages would keep the thread for ever.
    this.#facts.ping(hwnd, deadline);
    const context = this.#context(hwnd, deadline);
    const decided = this.#decided.get(hwnd);
    const isFresh = decided !== undefined && performance.now() < decided.until;
    const rungs = isFresh ? [decided.rung, ...this.#rungs] : this.#rungs;
    for (const rung of rungs) {
      const branch = rung.open(hwnd, context);
      deadline.heard();
      if (!branch) continue;
      if (!isFresh) this.#decided.set(hwnd, { rung, until: performance.now() + decidedForMs });
      return { rung, branch, hwnd };
    }
    this.#decided.delete(hwnd);
    throw new ToolError("window_gone", `Window ${hwnd} is gone.`, { hint: "List the windows and use one of them." });
  }

  #withElement<T>(id: string, deadline: Deadline, work: (rung: Rung, context: RungContext) => T): T | undefined {
    const rung = this.#rungs.find(({ prefix }) => id.startsWith(prefix));
    const hwnd = rung?.windowOf(id);
    if (!rung || hwnd === undefined || !this.#facts.exists(hwnd)) return undefined;
    this.#facts.ping(hwnd, deadline);
    return work(rung, this.#context(hwnd, deadline));
  }

  #windowAt(point: ScreenPoint, pid: number | undefined): number | undefined {
    const found = this.#facts.at(point.x, point.y);
    const top = found === 0 ? 0 : this.#facts.rootOf(found);
    if (top !== 0 && top !== this.#facts.win32.desktop() && (pid === undefined || this.#facts.pidOf(top) === pid)) {
      return top;
    }
    if (pid === undefined) return undefined;
    return this.#facts.topLevels(pid).find((hwnd) => {
      const bounds = this.#facts.boundsOf(hwnd);
      return bounds !== undefined && contains(bounds, point);
    });
  }
}

/** The last one drawn that contains the point, with its ancestors. */
function chainAt(nodes: readonly UiNode[], point: ScreenPoint): readonly UiNode[] {
  const byId = new Map(nodes.map((node) => [node.runtimeId, node]));
  const holds = ({ bounds }: UiNode): boolean => bounds !== undefined && contains(bounds, point);
  const depth = (node: UiNode): number => {
    const parent = node.parent === undefined ? undefined : byId.get(node.parent);
    return parent ? depth(parent) + 1 : 0;
  };
  let innermost: UiNode | undefined;
  let deepest = -1;
  for (const node of nodes.filter(holds)) {
    const level = depth(node);
    if (level < deepest) continue;
    [innermost, deepest] = [node, level];
  }
  const chain: UiNode[] = [];
  for (let node = innermost; node; node = node.parent === undefined ? undefined : byId.get(node.parent))
    chain.push(node);
  return chain;
}
