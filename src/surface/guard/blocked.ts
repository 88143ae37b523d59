import { contains, type ScreenPoint } from "../../base/geometry.ts";
import type { ToolError } from "../../base/errors.ts";
import type { CallOptions, WindowInfo, Windows } from "../../platform/backend.ts";
import { needOpen } from "../choose-window.ts";
import type { BlockedWindow, GuardedWindow } from "./guarded.ts";

/** Which of these windows may not be seen or used, and by which rule. */
export type FindBlocked = (windows: readonly WindowInfo[]) => ReadonlyMap<WindowInfo, string>;

/** Input that presses or drops, or what only passes: moves of the pointer, changes by the window manager. */
export type InputKind = "input" | "passing";

/** What must be left alone at this moment. */
export interface InputLimit {
  /** Set when nothing may be typed anywhere. */
  readonly keyboard: ToolError | undefined;
  /** Why a window may be seen but not used; undefined when it may be. */
  refuse(window: GuardedWindow, by: InputKind): ToolError | undefined;
}

/** Says anew before each input whether something must be left alone; undefined when all may be used. */
export type InputLimits = () => InputLimit | undefined;

/** What a blocked window is called instead of its title. */
const hidden = "[blocked]";

interface Reading {
  readonly at: number;
  /** What `Windows.changes` said before it. */
  readonly changes: number | undefined;
  readonly windows: readonly GuardedWindow[];
  readonly isAllOpen: boolean;
}

export interface Freshness extends CallOptions {
  /** A list read this recently will do. */
  readonly maxAgeMs?: number;
}

/** The windows with those marked that the policy blocks. All guards ask here. */
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

  /** Another number after any change to any window; undefined where changes are not told. */
  async changes(signal: AbortSignal | undefined): Promise<number | undefined> {
    return this.#windows.changes?.({ signal });
  }

  /** Read anew, unless they were read this recently, or nothing was blocked and nothing has changed since. */
  async list({ signal, maxAgeMs = 0 }: Freshness = {}): Promise<readonly GuardedWindow[]> {
    const last = this.#last;
    if (last && performance.now() - last.at < maxAgeMs) return last.windows;
    const changes = await this.changes(signal);
    // Where blocked windows are must be known to the pixel; some moves are not told.
    if (last?.isAllOpen === true && changes !== undefined && last.changes === changes) return last.windows;
    return this.read({ signal }, changes);
  }

  async read({ signal }: CallOptions = {}, changes?: number): Promise<readonly GuardedWindow[]> {
    const at = performance.now();
    const before = changes ?? (await this.changes(signal));
    const all = await this.#windows.list({ signal, isFresh: true });
    const blocked = this.#find(all);
    const isAllOpen = blocked.size === 0;
    const windows = isAllOpen ? all : all.map((window) => hide(window, blocked.get(window)));
    this.#last = { at, changes: before, windows, isAllOpen };
    return windows;
  }

  async blocked(options: Freshness = {}): Promise<readonly GuardedWindow[]> {
    return (await this.list(options)).filter(({ blocked }) => blocked !== undefined);
  }

  /** Throws `denied` when what is on top there is blocked. */
  async needOpenAt(point: { readonly x: number; readonly y: number }, options: Freshness) {
    const all = await this.list(options);
    if (!all.some(({ blocked }) => blocked)) return;
    const top = all.find(({ bounds, isVisible, isMinimized }) => isVisible && !isMinimized && contains(bounds, point));
    if (top) needOpen(top);
  }

  /** Throws `denied` when input there would reach a window that is blocked or must be left alone. */
  async needUsableAt(at: ScreenPoint | (() => Promise<ScreenPoint>), by: InputKind, options: Freshness): Promise<void> {
    const limit = this.#limits();
    const all = await this.list(options);
    if (!limit && !all.some(({ blocked }) => blocked)) return;
    const point = typeof at === "function" ? await at() : at;
    const top = all.find(({ bounds, isVisible, isMinimized }) => isVisible && !isMinimized && contains(bounds, point));
    if (top) needUsable(top, limit, by);
  }

  /** The same of the window that has the keyboard. */
  async needUsableFocus(options: Freshness): Promise<void> {
    const limit = this.#limits();
    if (limit?.keyboard) throw limit.keyboard;
    const focused = (await this.list(options)).find(({ isForeground }) => isForeground);
    if (focused) needUsable(focused, limit, "input");
  }

  /** Throws `denied` when a window with this id, or of this process, must be left alone. */
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

function needUsable(window: GuardedWindow, limit: InputLimit | undefined, by: InputKind): void {
  needOpen(window);
  const refusal = limit?.refuse(window, by);
  if (refusal) throw refusal;
}

function hide(window: WindowInfo, rule: string | undefined): GuardedWindow {
  if (rule === undefined) return window;
  const title = window.title.toLowerCase();
  const hasTitle: BlockedWindow["hasTitle"] = (text) => {
    const wanted = text.toLowerCase();
    return title === wanted ? "whole" : title.includes(wanted) ? "part" : undefined;
  };
  return { ...window, title: hidden, blocked: { rule, hasTitle } };
}
