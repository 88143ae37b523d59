import { contains, type ScreenPoint } from "../../base/geometry.ts";
import type { ToolError } from "../../base/errors.ts";
import type { CallOptions, WindowInfo, WindowKind, Windows } from "../../platform/backend.ts";
import { needOpen } from "../choose-window.ts";
import type { GuardedWindow } from "./guarded.ts";
import { withOwners } from "./owners.ts";

/** Which of these windows may not be seen or used, and by which rule. */
export type FindBlocked = (windows: readonly WindowInfo[]) => ReadonlyMap<WindowInfo, string>;

/** "input" presses or drops something; "passing" is a pointer move or a change by the window manager. */
export type InputKind = "input" | "passing";

/** What must not be used now. */
export interface InputLimit {
  /** Set when nothing may be typed anywhere. */
  readonly keyboard: ToolError | undefined;
  /** Why a window may be seen but not used; undefined when it may be used. */
  refuse(window: GuardedWindow, by: InputKind): ToolError | undefined;
}

/** Asked before each input; undefined when everything may be used. */
export type InputLimits = () => InputLimit | undefined;

interface Reading {
  readonly at: number;
  /** The value of `Windows.changes` before the list was read. */
  readonly changes: number | undefined;
  readonly windows: readonly GuardedWindow[];
  readonly isAllOpen: boolean;
}

export interface Freshness extends CallOptions {
  /** Accept a list that is at most this old. */
  readonly maxAgeMs?: number;
}

/**
 * The windows with those marked that the policy blocks. All guards ask here. Nothing above them may see these as they are: what
 * the guards hand up goes through `hide`.
 */
export class BlockedWindows {
  readonly #windows: Windows;
  readonly #find: FindBlocked;
  readonly #limits: InputLimits;
  #last: Reading | undefined;

  constructor(windows: Windows, find: FindBlocked, limits: InputLimits = () => undefined) {
    this.#windows = windows;
    this.#find = find;
    this.#limits = limits;
  }

  /** A number that differs after any change to any window; undefined if the platform does not report changes. */
  async changes(signal: AbortSignal | undefined): Promise<number | undefined> {
    return this.#windows.changes?.({ signal });
  }

  /**
   * Reads the windows again, unless the last list is recent enough, or nothing was blocked and nothing has changed
   * since.
   */
  async list({ signal, maxAgeMs = 0 }: Freshness = {}): Promise<readonly GuardedWindow[]> {
    const last = this.#last;
    if (last && performance.now() - last.at < maxAgeMs) return last.windows;
    const changes = await this.changes(signal);
    // Blocked windows must be located to the pixel, and some moves are not reported.
    if (last?.isAllOpen === true && changes !== undefined && last.changes === changes) return last.windows;
    return this.read({ signal }, changes);
  }

  async read({ signal }: CallOptions = {}, changes?: number): Promise<readonly GuardedWindow[]> {
    const at = performance.now();
    const before = changes ?? (await this.changes(signal));
    const all = await this.#windows.list({ signal, isFresh: true });
    const blocked = this.#find(all);
    const isAllOpen = blocked.size === 0;
    const windows = withOwners(
      all.map((window) => {
        const rule = blocked.get(window);
        return rule === undefined ? window : { ...window, blocked: { rule } };
      }),
    );
    this.#last = { at, changes: before, windows, isAllOpen };
    return windows;
  }

  async blocked(options: Freshness = {}): Promise<readonly GuardedWindow[]> {
    return (await this.list(options)).filter(({ blocked }) => blocked !== undefined);
  }

  /** Throws `denied` when the topmost window at the point is blocked. */
  async needOpenAt(point: { readonly x: number; readonly y: number }, options: Freshness) {
    const all = await this.list(options);
    if (!all.some(({ blocked }) => blocked)) return;
    const top = all.find(({ bounds, isVisible, isMinimized }) => isVisible && !isMinimized && contains(bounds, point));
    if (top) needOpen(top);
  }

  /** Throws `denied` when input there would reach a window that is blocked or must not be used. */
  async needUsableAt(at: ScreenPoint | (() => Promise<ScreenPoint>), by: InputKind, options: Freshness): Promise<void> {
    const limit = this.#limits();
    const all = await this.list(options);
    if (!limit && !all.some(({ blocked }) => blocked)) return;
    const point = typeof at === "function" ? await at() : at;
    const top = all.find(({ bounds, isVisible, isMinimized }) => isVisible && !isMinimized && contains(bounds, point));
    if (top) needUsable(top, limit, by);
  }

  /** The same of what has the keyboard: the window in front, and an open menu, which takes the keys from every window. */
  async needUsableFocus(options: Freshness): Promise<void> {
    const limit = this.#limits();
    if (limit?.keyboard) throw limit.keyboard;
    const all = await this.list(options);
    const menu = all.find((window) => window.blocked && isMenu(window));
    if (menu) needOpen(menu);
    const focused = all.find(({ isForeground }) => isForeground);
    if (focused) needUsable(focused, limit, "input");
  }

  /** Throws `denied` when what has, or had when last asked, the keyboard is blocked: a key is heard of after it was pressed. */
  async needOpenFocus(options: Freshness): Promise<void> {
    const before = this.#last?.windows ?? [];
    for (const all of [before, await this.list(options)]) {
      const blocked = all.find((window) => window.blocked && (window.isForeground || isMenu(window)));
      if (blocked) needOpen(blocked);
    }
  }

  /** Throws `denied` when a window with this id, or of this process, must not be used. */
  async needUsableOwner(
    { id, pid }: { readonly id?: number | undefined; readonly pid?: number | undefined },
    by: InputKind,
    options: Freshness,
  ): Promise<void> {
    const limit = this.#limits();
    if (!limit) return;
    for (const window of await this.list(options)) {
      const isMeant = id === undefined ? pid !== undefined && window.pid === pid : window.id === id;
      if (isMeant) needUsable(window, limit, by);
    }
  }

  get hasLimits(): boolean {
    return this.#limits() !== undefined;
  }
}

const withoutKeys: ReadonlySet<WindowKind> = new Set(["dialog", "utility", "tooltip", "notification", "splash"]);

/** Some toolkits do not say that a menu is one, but no window manager lets it be minimised. */
const isMenu = ({ kind, owners, isVisible, canMinimize }: GuardedWindow): boolean =>
  owners !== undefined && isVisible && !canMinimize && !withoutKeys.has(kind);

function needUsable(window: GuardedWindow, limit: InputLimit | undefined, by: InputKind): void {
  needOpen(window);
  const refusal = limit?.refuse(window, by);
  if (refusal) throw refusal;
}

export const blockedTitle = "[blocked]";

/** Of a blocked window the place alone: by its title, app or process it cannot be named, nor can one be guessed. */
export function hide(window: GuardedWindow): GuardedWindow {
  if (!window.blocked) return window;
  const { id, kind, bounds, isVisible, isMinimized, isMaximized, isFullscreen, isForeground, displayId } = window;
  return {
    id,
    kind,
    bounds,
    isVisible,
    isMinimized,
    isMaximized,
    isFullscreen,
    isForeground,
    displayId,
    title: blockedTitle,
    appName: "",
    className: "",
    pid: undefined,
    processName: "",
    canMinimize: false,
    canMaximize: false,
    blocked: window.blocked,
  };
}
