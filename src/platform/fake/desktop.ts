import { poll } from "../../base/async.ts";
import { ToolError } from "../../base/errors.ts";
import { isModifier } from "../../base/keys.ts";
import { contains, screenPoint, type Rect, type ScreenPoint } from "../../base/geometry.ts";
import type {
  Button,
  Display,
  GrabbedEvent,
  HastyOptions,
  HeardEvent,
  InstalledApp,
  OverlayShape,
  WindowInfo,
} from "../backend.ts";
import { FakeElements, type FakeNode } from "./elements.ts";

export interface FakeOptions {
  readonly width?: number;
  readonly height?: number;
  /** Pixels of a picture per unit of the screen. */
  readonly scale?: number;
  readonly displays?: readonly Display[];
  readonly windows?: readonly FakeWindow[];
  /** The elements of its apps; without them the desktop has no accessibility interface. */
  readonly elements?: readonly FakeNode[];
  /** Apps that can be launched, with the windows they open. */
  readonly apps?: readonly FakeApp[];
}

export type FakeWindow = Pick<WindowInfo, "id"> & Partial<WindowInfo>;

export interface FakeApp extends InstalledApp {
  readonly window?: FakeWindow;
}

/** A part of a window in one colour, 0xRRGGBB. */
export interface Patch {
  readonly windowId: number;
  readonly rect: Rect;
  readonly colour: number;
}

type Unheard<Event> = Event extends { readonly ms: number } ? Omit<Event, "ms"> : never;

type WindowEvent = "create" | "destroy" | "activate" | "minimize" | "restore";

/** An app that has not answered by then counts as frozen. */
const silenceMs = 1500;

/**
 * A desktop in memory: the state that the parts of the fake backend share and that tests inspect. Every input is
 * logged to `events` in plain words ("move 10,20", "down left"), in order.
 */
export class FakeDesktop {
  readonly events: string[] = [];
  readonly displays: readonly Display[];
  readonly bounds: Rect;
  readonly scale: number;
  readonly apps: readonly FakeApp[];
  readonly elements: FakeElements | undefined;
  /** Topmost first. */
  windows: WindowInfo[];
  activeWindow: number | undefined;
  pointer: ScreenPoint = screenPoint(0, 0);
  readonly pointerListeners = new Set<() => void>();
  /** Whoever has taken the pointer from all apps. */
  grab: ((event: GrabbedEvent) => void) | undefined;
  /** Whoever listens to buttons, wheel and keys. */
  readonly heard = new Set<(event: HeardEvent) => void>();
  clipboard: string | undefined;
  typed = "";
  readonly buttonsDown = new Set<Button>();
  readonly keysDown = new Set<string>();
  /** Processes that do not respond. */
  readonly frozen = new Set<number>();
  /** What lies over everything, by layer. */
  readonly overlay = new Map<string, readonly OverlayShape[]>();
  /** As if the platform could not keep the overlay out of captures. */
  leaksOverlay = false;
  /** Called before every operation; a test can make it throw, wait or change the desktop. */
  beforeEach: ((operation: string) => void | Promise<void>) | undefined;
  #patches: readonly Patch[] = [];
  readonly #paintListeners = new Set<(windowId: number, part: Rect) => void>();
  readonly #windowListeners = new Set<(event: WindowEvent, window: WindowInfo) => void>();

  constructor({ width = 1280, height = 800, scale = 1, displays, windows = [], elements, apps }: FakeOptions = {}) {
    this.bounds = { x: 0, y: 0, width, height };
    this.scale = scale;
    this.displays = displays ?? [{ id: 1, name: "fake", bounds: this.bounds, isPrimary: true, scale }];
    this.windows = windows.map(completeWindow);
    this.activeWindow = this.windows.find((window) => window.isVisible)?.id;
    this.apps = apps ?? [{ id: "fake-app", name: "FakeApp", executable: "fake-app" }];
    this.elements = elements && new FakeElements(elements, this);
  }

  async enter(operation: string, signal?: AbortSignal): Promise<void> {
    await this.beforeEach?.(operation);
    if (signal?.aborted) throw new ToolError("cancelled", "The call was cancelled.");
  }

  /** Resolves once the process responds; a frozen one fails after the deadline. */
  async answer(pid: number | undefined, { timeoutMs = silenceMs, signal }: HastyOptions): Promise<void> {
    await this.enter("elements", signal);
    if (pid === undefined) return;
    const answers = async (): Promise<true | undefined> => (this.frozen.has(pid) ? undefined : true);
    if (await poll(answers, { timeoutMs, everyMs: 10, signal })) return;
    throw new ToolError("timeout", `Process ${pid} did not answer within ${timeoutMs} ms.`);
  }

  /** Reports input to whoever listens. */
  hear(event: Unheard<HeardEvent>): void {
    for (const listener of this.heard) listener({ ...event, ms: performance.now() });
  }

  get heldModifiers(): readonly string[] {
    return [...this.keysDown].filter(isModifier);
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

  open(window: FakeWindow): void {
    this.windows = [completeWindow(window), ...this.windows];
    this.#tell("create", window.id);
    this.activate(window.id);
  }

  close(id: number): void {
    const closed = this.find(id);
    this.windows = this.windows.filter((window) => window.id !== id);
    if (this.elements) this.elements.nodes = this.elements.nodes.filter(({ windowId }) => windowId !== id);
    for (const listener of closed ? this.#windowListeners : []) listener("destroy", closed as WindowInfo);
    if (this.activeWindow === id) this.activateTop();
  }

  raise(id: number): void {
    const window = this.need(id);
    this.windows = [window, ...this.windows.filter((each) => each.id !== id)];
  }

  activate(id: number): void {
    this.raise(id);
    this.activeWindow = id;
    this.#tell("activate", id);
  }

  /** Chooses the next active window when the one in front goes away. */
  activateTop(): void {
    this.activeWindow = this.windows.find((window) => window.isVisible)?.id;
  }

  topmostAt(point: { readonly x: number; readonly y: number }): WindowInfo | undefined {
    return this.windows.find((window) => window.isVisible && contains(window.bounds, point));
  }

  get patches(): readonly Patch[] {
    return this.#patches;
  }

  /** Replaces what was painted at exactly this place. */
  paint(patch: Patch): void {
    const isOther = ({ windowId, rect }: Patch) =>
      windowId !== patch.windowId || rect.x !== patch.rect.x || rect.y !== patch.rect.y;
    this.#patches = [...this.#patches.filter(isOther), patch];
    for (const listener of this.#paintListeners) listener(patch.windowId, patch.rect);
  }

  onPaint(listener: (windowId: number, part: Rect) => void): Disposable {
    this.#paintListeners.add(listener);
    return { [Symbol.dispose]: () => void this.#paintListeners.delete(listener) };
  }

  onWindow(listener: (event: WindowEvent, window: WindowInfo) => void): Disposable {
    this.#windowListeners.add(listener);
    return { [Symbol.dispose]: () => void this.#windowListeners.delete(listener) };
  }

  #tell(event: WindowEvent, id: number): void {
    const window = this.find(id);
    for (const listener of window ? this.#windowListeners : []) listener(event, window as WindowInfo);
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
