import { ToolError } from "../../base/errors.ts";
import { contains, screenPoint, type Rect, type ScreenPoint } from "../../base/geometry.ts";
import type { Display, WindowInfo } from "../backend.ts";

export interface FakeOptions {
  readonly width?: number;
  readonly height?: number;
  readonly displays?: readonly Display[];
  readonly windows?: readonly FakeWindow[];
  /** How many pixels of a picture, side by side, show one screen unit. */
  readonly pixelsPerUnit?: number;
}

/** Something drawn over what is in a picture. */
export interface Drawing {
  readonly rect: Rect;
  readonly colour: number;
}

export type FakeWindow = Pick<WindowInfo, "id"> & Partial<WindowInfo>;

/**
 * A desktop in memory: what the parts of the fake backend share, and what a test looks at. Every input is written
 * to `events` as a person would say it ("move 10,20", "down left"), in order.
 */
export class FakeDesktop {
  readonly events: string[] = [];
  readonly displays: readonly Display[];
  readonly bounds: Rect;
  readonly pixelsPerUnit: number;
  readonly drawings: Drawing[] = [];
  /** Topmost first. */
  windows: WindowInfo[];
  activeWindow: number | undefined;
  pointer: ScreenPoint = screenPoint(0, 0);
  clipboard: string | undefined;
  typed = "";
  readonly buttonsDown = new Set<string>();
  readonly keysDown = new Set<string>();
  /** Called before every operation; a test makes it throw, wait or change the desktop. */
  beforeEach: ((operation: string) => void | Promise<void>) | undefined;

  constructor({ width = 1280, height = 800, displays, windows = [], pixelsPerUnit = 1 }: FakeOptions = {}) {
    this.pixelsPerUnit = pixelsPerUnit;
    this.bounds = { x: 0, y: 0, width, height };
    this.displays = displays ?? [{ id: 1, name: "fake", bounds: this.bounds, isPrimary: true, scale: 1 }];
    this.windows = windows.map(completeWindow);
    this.activeWindow = this.windows.find((window) => window.isVisible)?.id;
  }

  async enter(operation: string, signal?: AbortSignal): Promise<void> {
    await this.beforeEach?.(operation);
    if (signal?.aborted) throw new ToolError("cancelled", "The call was cancelled.");
  }

  find(id: number): WindowInfo | undefined {
    const window = this.windows.find((each) => each.id === id);
    return window && { ...window, isForeground: id === this.activeWindow };
  }

  need(id: number): WindowInfo {
    const window = this.find(id);
    if (window) return window;
    throw new ToolError("window_gone", `There is no window ${id}.`);
  }

  update(id: number, change: Partial<WindowInfo>): void {
    this.windows = this.windows.map((window) => (window.id === id ? { ...window, ...change } : window));
  }

  close(id: number): void {
    this.windows = this.windows.filter((window) => window.id !== id);
    if (this.activeWindow === id) this.activeWindow = this.windows.find((window) => window.isVisible)?.id;
  }

  raise(id: number): void {
    const window = this.need(id);
    this.windows = [window, ...this.windows.filter((each) => each.id !== id)];
  }

  topmostAt(point: { readonly x: number; readonly y: number }): WindowInfo | undefined {
    return this.windows.find((window) => window.isVisible && contains(window.bounds, point));
  }
}

function completeWindow(window: FakeWindow): WindowInfo {
  return {
    title: `Window ${window.id}`,
    appName: "FakeApp",
    className: "fake-app",
    pid: 1000,
    processName: "fake-app",
    kind: "normal",
    bounds: { x: 100, y: 100, width: 400, height: 300 },
    isVisible: true,
    isMinimized: false,
    isMaximized: false,
    isFullscreen: false,
    isForeground: false,
    canMinimize: true,
    canMaximize: true,
    displayId: 1,
    ...window,
  };
}
