import { isDeepStrictEqual } from "node:util";
import { poll, throwIfCancelled } from "../../base/async.ts";
import { ToolError } from "../../base/errors.ts";
import { overlapArea, sameRect, type Rect } from "../../base/geometry.ts";
import type { CallOptions, Display, WindowChange, WindowInfo, WindowKind, Windows } from "../backend.ts";
import { appElement, attribute, attributes, booleanValue, newPair, pairOf, performAction, pidOf } from "./ax.ts";
import { plain, setAttribute, silenceMs, windowIdOf } from "./ax.ts";
import { constants } from "./bindings/constants.ts";
import type { Pointer } from "./bindings/native.ts";
import { itemsOf, numberOf, textOf } from "./cf.ts";
import { listDisplays, toRect } from "./displays.ts";
import type { Mac, Own } from "./mac.ts";
import { hasPermission, needPermission, needUnlocked } from "./permissions.ts";

const { kCGWindowListOptionAll, kCGWindowListExcludeDesktopElements, kAXValueTypeCGPoint, kAXValueTypeCGSize } =
  constants;

/** One app that hangs must not make every list of windows wait for long. */
const lookMs = 250;
const changeMs = 3000;
/** An app that has not answered by then is busy or hangs. */
const drainMs = 1000;
const lookEveryMs = 30;
/** A zoomed window leaves room for the menu bar and the Dock. */
const roomForBars = 140;

/** What the window server lists of a window. */
interface Listed {
  readonly id: number;
  readonly pid: number;
  readonly owner: string;
  readonly title: string;
  readonly layer: number;
  readonly bounds: Rect;
  readonly isOnScreen: boolean;
}

/** What only the app itself says about it. */
interface Told {
  readonly subrole: string;
  readonly isMinimized: boolean;
  readonly isModal: boolean;
  readonly isFullscreen: boolean;
  readonly canMinimize: boolean;
  readonly canZoom: boolean;
}

export class MacWindows implements Windows {
  readonly #mac: Mac;
  #seen: readonly Listed[] = [];
  #changes = 0;

  constructor(mac: Mac) {
    this.#mac = mac;
  }

  /** Nothing announces changes to a process without an event loop, so the lists are compared. */
  async changes({ signal }: CallOptions = {}): Promise<number> {
    throwIfCancelled(signal);
    const now = listed(this.#mac);
    if (!isDeepStrictEqual(now, this.#seen)) this.#changes++;
    this.#seen = now;
    return this.#changes;
  }

  /** An app answers on the thread that handles its input, so an answer comes after what was sent before. */
  async drained(id: number, { signal }: CallOptions = {}): Promise<boolean> {
    throwIfCancelled(signal);
    const pid = listed(this.#mac).find((window) => window.id === id)?.pid;
    if (pid === undefined) return false;
    this.#mac.setPatience(drainMs);
    try {
      this.#mac.burst((own) => attribute(this.#mac, own, appElement(this.#mac, own, pid), "AXFocusedWindow"));
      return true;
    } catch (error) {
      if (error instanceof ToolError && error.code === "timeout") return false;
      throw error;
    }
  }

  async list({ signal }: CallOptions = {}): Promise<readonly WindowInfo[]> {
    throwIfCancelled(signal);
    return describe(this.#mac, listed(this.#mac));
  }

  async get(id: number, { signal }: CallOptions = {}): Promise<WindowInfo | undefined> {
    throwIfCancelled(signal);
    return describe(this.#mac, listed(this.#mac)).find((window) => window.id === id);
  }

  async active({ signal }: CallOptions = {}): Promise<number | undefined> {
    throwIfCancelled(signal);
    return findActive(this.#mac, listed(this.#mac));
  }

  async change(id: number, change: WindowChange, { signal }: CallOptions = {}): Promise<void> {
    throwIfCancelled(signal);
    needPermission(this.#mac, "Accessibility");
    needUnlocked(this.#mac);
    const before = await this.get(id);
    if (!before) throw windowGone(id);
    this.#mac.setPatience(silenceMs);
    request(this.#mac, before, change);
    const isDone = async (): Promise<true | undefined> =>
      hasHappened(await this.get(id), before, change) ? true : undefined;
    if (await poll(isDone, { timeoutMs: changeMs, everyMs: lookEveryMs, signal })) return;
    if (change.to !== "close" && !(await this.get(id))) throw windowGone(id);
    throw new ToolError("timeout", `Window ${id} of ${before.appName} did not ${change.to} within ${changeMs} ms.`, {
      hint: "The app may refuse it, or show a dialog; look at its windows.",
    });
  }
}

export function windowGone(id: number): ToolError {
  return new ToolError("window_gone", `Window ${id} has been closed.`, { hint: "List the windows again." });
}

/** Front to back, in one pass. Without Screen Recording there are no titles. */
export function listed({ native, burst, name }: Mac): readonly Listed[] {
  return burst((own) => {
    const option = kCGWindowListOptionAll | kCGWindowListExcludeDesktopElements;
    const list = own(native.CGWindowListCopyWindowInfo(option, 0));
    return itemsOf(native, list).map((entry) => {
      const get = (key: string): Pointer => native.CFDictionaryGetValue(entry, name(key));
      const rect = new Float64Array(4);
      const isPlaced = native.CGRectMakeWithDictionaryRepresentation(get("kCGWindowBounds"), rect);
      const [x = 0, y = 0, width = 0, height = 0] = isPlaced ? rect : [];
      const onScreen = get("kCGWindowIsOnscreen");
      return {
        id: numberOf(native, get("kCGWindowNumber")) ?? 0,
        pid: numberOf(native, get("kCGWindowOwnerPID")) ?? 0,
        owner: textOf(native, get("kCGWindowOwnerName")),
        title: textOf(native, get("kCGWindowName")),
        layer: numberOf(native, get("kCGWindowLayer")) ?? 0,
        bounds: toRect({ origin: { x, y }, size: { width, height } }),
        isOnScreen: onScreen !== null && native.CFBooleanGetValue(onScreen) !== 0,
      };
    });
  });
}

function describe(mac: Mac, windows: readonly Listed[]): readonly WindowInfo[] {
  const told = tell(mac, windows);
  const front = findActive(mac, windows);
  const displays = listDisplays(mac);
  return windows
    .filter(({ isOnScreen, id }) => isOnScreen || told.has(id))
    .map(({ id, pid, owner, title, layer, bounds, isOnScreen }) => {
      const facts = told.get(id);
      const isMinimized = facts?.isMinimized ?? false;
      const display = displayOf(displays, bounds);
      const isFullscreen = facts?.isFullscreen ?? false;
      return {
        id,
        title,
        appName: owner,
        className: owner,
        pid,
        processName: owner,
        kind: kindOf(layer, facts?.subrole),
        bounds,
        isVisible: isOnScreen && !isMinimized,
        isMinimized,
        isMaximized: !isFullscreen && display !== undefined && fills(bounds, display.bounds),
        isFullscreen,
        isForeground: id === front,
        ...(facts?.isModal === true ? { isModal: true } : {}),
        canMinimize: facts?.canMinimize ?? false,
        canMaximize: facts?.canZoom ?? false,
        displayId: display?.id,
      };
    });
}

/** What the apps say about their windows; an app that hangs says nothing. */
function tell(mac: Mac, windows: readonly Listed[]): ReadonlyMap<number, Told> {
  const told = new Map<number, Told>();
  if (!hasPermission(mac, "Accessibility")) return told;
  mac.setPatience(lookMs);
  for (const pid of new Set(windows.filter(({ layer }) => layer === 0).map((window) => window.pid))) {
    mac.burst((own) => {
      try {
        for (const window of windowElements(mac, own, pid)) {
          const id = windowIdOf(mac, window) ?? matchByPlace(mac, own, window, pid, windows);
          if (id !== undefined) told.set(id, toldBy(mac, own, window));
        }
      } catch (error) {
        if (!(error instanceof ToolError)) throw error;
      }
    });
  }
  return told;
}

const windowAttributes = ["AXSubrole", "AXMinimized", "AXModal", "AXFullScreen", "AXMinimizeButton", "AXZoomButton"];

function toldBy(mac: Mac, own: Own, window: bigint): Told {
  const [subrole = null, minimized = null, modal = null, full = null, minimize = null, zoom = null] = attributes(
    mac,
    own,
    window,
    windowAttributes,
  );
  return {
    subrole: String(plain(mac, subrole) ?? ""),
    isMinimized: plain(mac, minimized) === true,
    isModal: plain(mac, modal) === true,
    isFullscreen: plain(mac, full) === true,
    canMinimize: minimize !== null,
    canZoom: zoom !== null,
  };
}

function windowElements(mac: Mac, own: Own, pid: number): readonly bigint[] {
  const app = appElement(mac, own, pid);
  return itemsOf(mac.native, attribute(mac, own, app, "AXWindows")).filter((window) => window !== null);
}

function matchByPlace(mac: Mac, own: Own, window: bigint, pid: number, windows: readonly Listed[]): number | undefined {
  const [at = null, size = null] = attributes(mac, own, window, ["AXPosition", "AXSize"]);
  const [x, y] = pairOf(mac, at, kAXValueTypeCGPoint) ?? [];
  const [width, height] = pairOf(mac, size, kAXValueTypeCGSize) ?? [];
  if (x === undefined || y === undefined || width === undefined || height === undefined) return undefined;
  const fitting = windows.filter((one) => one.pid === pid && sameRect(one.bounds, { x, y, width, height }));
  return fitting.length === 1 ? fitting[0]?.id : undefined;
}

/**
 * The window in front, as the accessibility interface says. NSWorkspace would never notice a change in a process that runs no
 * event loop (reported, unverified).
 */
function findActive(mac: Mac, windows: readonly Listed[]): number | undefined {
  const usable = windows.filter(({ layer, isOnScreen }) => layer === 0 && isOnScreen);
  if (!hasPermission(mac, "Accessibility")) return usable[0]?.id;
  try {
    return mac.burst((own) => focusedWindow(mac, own)) ?? usable[0]?.id;
  } catch (error) {
    if (error instanceof ToolError) return usable[0]?.id;
    throw error;
  }
}

function focusedWindow(mac: Mac, own: Own): number | undefined {
  mac.setPatience(lookMs);
  const app = attribute(mac, own, mac.everything, "AXFocusedApplication");
  const pid = app === null ? undefined : pidOf(mac, app);
  if (pid === undefined) return undefined;
  const window = attribute(mac, own, appElement(mac, own, pid), "AXFocusedWindow");
  return window === null ? undefined : windowIdOf(mac, window);
}

const layers: ReadonlyMap<number, WindowKind> = new Map([
  [3, "utility"],
  [8, "dialog"],
  [20, "dock"],
  [24, "dock"],
  [25, "dock"],
  [101, "menu"],
]);

function kindOf(layer: number, subrole = ""): WindowKind {
  if (subrole === "AXDialog" || subrole === "AXSystemDialog") return "dialog";
  if (subrole === "AXFloatingWindow" || subrole === "AXSystemFloatingWindow") return "utility";
  return layer === 0 ? "normal" : (layers.get(layer) ?? "unknown");
}

function displayOf(displays: readonly Display[], bounds: Rect): Display | undefined {
  const shares = displays.map((display) => ({ display, area: overlapArea(display.bounds, bounds) }));
  return shares.filter(({ area }) => area > 0).toSorted((a, b) => b.area - a.area)[0]?.display;
}

const fills = (bounds: Rect, display: Rect): boolean =>
  bounds.x === display.x && bounds.width === display.width && bounds.height >= display.height - roomForBars;

/** Asks for the change. What came of it is seen in the list of windows afterwards. */
function request(mac: Mac, { id, pid = 0, isMinimized, isMaximized }: WindowInfo, change: WindowChange): void {
  mac.burst((own) => {
    const window = windowElements(mac, own, pid).find((one) => windowIdOf(mac, one) === id);
    if (window === undefined) {
      throw new ToolError("not_supported", `Window ${id} is not one that its app lets others change.`, {
        hint: "Act on the window it belongs to.",
      });
    }
    switch (change.to) {
      case "focus":
      case "front":
        if (isMinimized) setAttribute(mac, window, "AXMinimized", booleanValue(mac, false));
        activate(mac, pid);
        return performAction(mac, window, "AXRaise");
      case "back":
        throw new ToolError("not_supported", "macOS lets nobody put the window of another app behind the others.", {
          hint: "Bring the other window to the front instead.",
        });
      case "minimize":
        return setAttribute(mac, window, "AXMinimized", booleanValue(mac, true));
      case "restore":
        if (isMinimized) return setAttribute(mac, window, "AXMinimized", booleanValue(mac, false));
        return isMaximized ? pressButton(mac, own, window, "AXZoomButton") : undefined;
      case "maximize":
        return isMaximized ? undefined : pressButton(mac, own, window, "AXZoomButton");
      case "close":
        return pressButton(mac, own, window, "AXCloseButton");
      case "move":
        return setAttribute(mac, window, "AXPosition", newPair(mac, own, kAXValueTypeCGPoint, [change.x, change.y]));
      case "resize":
        return setAttribute(
          mac,
          window,
          "AXSize",
          newPair(mac, own, kAXValueTypeCGSize, [change.width, change.height]),
        );
    }
  });
}

/** Since macOS 14 an app must be handed the front by another (reported, unverified); AXRaise alone stays in its app. */
function activate({ native }: Mac, pid: number): void {
  const app = native.send(null, "+[NSRunningApplication runningApplicationWithProcessIdentifier:]", pid);
  if (app === null) throw new ToolError("process_not_running", `No app with the process id ${pid} is running.`);
  const self = native.send(null, "+[NSRunningApplication currentApplication]");
  const everything = constants.NSApplicationActivateAllWindows;
  native.send(app, "-[NSRunningApplication activateFromApplication:options:]", self, everything);
}

function pressButton(mac: Mac, own: Own, window: bigint, name: string): void {
  const button = attribute(mac, own, window, name);
  if (button === null) {
    throw new ToolError(
      "not_supported",
      `The window has no ${name.slice(2).toLowerCase().replace("button", " button")}.`,
    );
  }
  performAction(mac, button, "AXPress");
}

function hasHappened(now: WindowInfo | undefined, before: WindowInfo, change: WindowChange): boolean {
  if (change.to === "close" || !now) return change.to === "close" && !now;
  switch (change.to) {
    case "focus":
    case "front":
      return now.isForeground && !now.isMinimized;
    case "minimize":
      return now.isMinimized && !now.isVisible;
    case "restore":
      return !now.isMinimized && now.isVisible && !(before.isMaximized && now.isMaximized && !before.isMinimized);
    case "maximize":
      return now.isMaximized;
    case "move":
      return now.bounds.x === change.x && now.bounds.y === change.y;
    case "resize":
      return now.bounds.width === change.width && now.bounds.height === change.height;
    case "back":
      return false;
  }
}
