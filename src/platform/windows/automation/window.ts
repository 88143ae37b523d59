import type { Rect } from "../../../base/geometry.ts";
import type { Deadline } from "./deadline.ts";
import type { GuiThread, Win32 } from "./win32.ts";

const which = { next: 2, owner: 4, child: 5 } as const;
const rootAncestor = 2;
const styleIndex = -16;
const idIndex = -12;
const abortIfHung = 2;

/** Plain facts about windows, from another process's point of view. None of them waits for the app. */
export class WindowFacts {
  readonly win32: Win32;

  constructor(win32: Win32) {
    this.win32 = win32;
  }

  /** The windows of the desktop, or of a window, topmost first. */
  childrenOf(hwnd: number): readonly number[] {
    const found: number[] = [];
    // A window that moves in the order while we follow it could lead in circles.
    const seen = new Set<number>();
    let child = this.win32.relative(hwnd, which.child);
    while (child !== 0 && !seen.has(child)) {
      seen.add(child);
      found.push(child);
      child = this.win32.relative(child, which.next);
    }
    return found;
  }

  /** Visible windows of the desktop, of one process if one is given. */
  topLevels(pid: number | undefined): readonly number[] {
    return this.childrenOf(this.win32.desktop()).filter(
      (hwnd) =>
        this.win32.isVisible(hwnd) !== 0 &&
        this.win32.isMinimized(hwnd) === 0 &&
        (pid === undefined || this.pidOf(hwnd) === pid),
    );
  }

  exists(hwnd: number): boolean {
    return this.win32.isWindow(hwnd) !== 0;
  }

  rootOf(hwnd: number): number {
    return this.win32.ancestor(hwnd, rootAncestor);
  }

  pidOf(hwnd: number): number | undefined {
    const pid: [number] = [0];
    return this.win32.threadOf(hwnd, pid) === 0 ? undefined : pid[0];
  }

  threadOf(hwnd: number): number {
    return this.win32.threadOf(hwnd, [0]);
  }

  boundsOf(hwnd: number): Rect | undefined {
    const edges = new Int32Array(4);
    return this.win32.rectOf(hwnd, edges) === 0 ? undefined : fromEdges(edges);
  }

  /** A rectangle in the window's own coordinates, on the screen. */
  toScreen(hwnd: number, edges: Int32Array): Rect | undefined {
    this.win32.mapPoints(hwnd, 0, edges, 2);
    return fromEdges(edges);
  }

  classOf(hwnd: number): string {
    const text = new Uint16Array(256);
    const length = this.win32.className(hwnd, text, text.length);
    return String.fromCharCode(...text.subarray(0, length));
  }

  styleOf(hwnd: number): number {
    return this.win32.long(hwnd, styleIndex) >>> 0;
  }

  idOf(hwnd: number): number {
    return this.win32.long(hwnd, idIndex);
  }

  isEnabled(hwnd: number): boolean {
    return this.win32.isEnabled(hwnd) !== 0;
  }

  /** What has the focus in the thread of a window. */
  guiThread(hwnd: number): GuiThread {
    const info = Buffer.alloc(72);
    info.writeUInt32LE(info.length, 0);
    if (this.win32.guiThread(this.threadOf(hwnd), info) === 0) return { focus: 0, active: 0 };
    return { active: Number(info.readBigUInt64LE(8)), focus: Number(info.readBigUInt64LE(16)) };
  }

  at(x: number, y: number): number {
    const packed = (BigInt.asUintN(32, BigInt(Math.round(y))) << 32n) | BigInt.asUintN(32, BigInt(Math.round(x)));
    return this.win32.windowFromPoint(packed);
  }

  /** Sends a message and waits for its result as long as the deadline allows. */
  send(hwnd: number, message: number, options: SendOptions): number {
    const { w = 0, l = null, deadline, atMostMs } = options;
    const result: [number | bigint] = [0];
    const ms = Math.max(1, Math.ceil(Math.min(deadline.left, atMostMs ?? deadline.left)));
    const isSent = this.win32.send(hwnd, message, w, l, abortIfHung, ms, result) !== 0;
    if (isSent) {
      deadline.heard();
      // A result is as wide as an address; "none" is -1, which reads as the largest of them.
      return Number(BigInt.asIntN(64, BigInt(result[0])));
    }
    if (!this.exists(hwnd)) return 0;
    throw deadline.passed();
  }

  /** Fails when the app does not take messages, before anything is asked that has no deadline of its own. */
  ping(hwnd: number, deadline: Deadline): void {
    this.send(hwnd, 0, { deadline });
  }

  textOf(hwnd: number, deadline: Deadline): string {
    const getLength = 0x0e;
    const getText = 0x0d;
    const length = this.send(hwnd, getLength, { deadline });
    if (length === 0) return "";
    const text = Buffer.alloc(Math.min(length + 1, 1 << 20) * 2);
    const copied = this.send(hwnd, getText, { w: text.length / 2, l: text, deadline });
    return text.toString("utf16le", 0, copied * 2);
  }
}

export interface SendOptions {
  readonly w?: number | bigint;
  readonly l?: Buffer | bigint | null;
  readonly deadline: Deadline;
  readonly atMostMs?: number;
}

export function fromEdges(edges: Int32Array): Rect | undefined {
  const [left = 0, top = 0, right = 0, bottom = 0] = edges;
  return right > left && bottom > top ? { x: left, y: top, width: right - left, height: bottom - top } : undefined;
}
