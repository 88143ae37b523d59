import { contains } from "../../base/geometry.ts";
import type { BlockedWindow, CallOptions, WindowInfo, Windows } from "../../platform/backend.ts";
import { needOpen } from "../choose-window.ts";

/** Which of these windows may not be seen or used, and by which rule. */
export type FindBlocked = (windows: readonly WindowInfo[]) => ReadonlyMap<WindowInfo, string>;

/** What a blocked window is called instead of its title. */
const hidden = "[blocked]";

interface Reading {
  readonly at: number;
  readonly windows: readonly WindowInfo[];
}

/** The windows with those marked that the policy blocks. All guards ask here. */
export class BlockedWindows {
  readonly #windows: Windows;
  readonly #find: FindBlocked;
  #last: Reading | undefined;

  constructor(windows: Windows, find: FindBlocked) {
    this.#windows = windows;
    this.#find = find;
  }

  /** Read anew unless they were read this recently. */
  async list({ signal, maxAgeMs = 0 }: CallOptions & { readonly maxAgeMs?: number } = {}): Promise<
    readonly WindowInfo[]
  > {
    if (this.#last && performance.now() - this.#last.at < maxAgeMs) return this.#last.windows;
    const at = performance.now();
    const all = await this.#windows.list({ signal });
    const blocked = this.#find(all);
    const windows = blocked.size === 0 ? all : all.map((window) => hide(window, blocked.get(window)));
    this.#last = { at, windows };
    return windows;
  }

  async blocked(options: CallOptions & { readonly maxAgeMs?: number } = {}): Promise<readonly WindowInfo[]> {
    return (await this.list(options)).filter(({ blocked }) => blocked !== undefined);
  }

  /** Throws `denied` when what is on top there is blocked. */
  async needOpenAt(
    point: { readonly x: number; readonly y: number },
    options: CallOptions & { readonly maxAgeMs?: number },
  ) {
    const all = await this.list(options);
    if (!all.some(({ blocked }) => blocked)) return;
    const top = all.find(({ bounds, isVisible, isMinimized }) => isVisible && !isMinimized && contains(bounds, point));
    if (top) needOpen(top);
  }

  /** Throws `denied` when the window that has the keyboard is blocked. */
  async needOpenFocus(options: CallOptions & { readonly maxAgeMs?: number }): Promise<void> {
    const focused = (await this.blocked(options)).find(({ isForeground }) => isForeground);
    if (focused) needOpen(focused);
  }
}

function hide(window: WindowInfo, rule: string | undefined): WindowInfo {
  if (rule === undefined) return window;
  const title = window.title.toLowerCase();
  const hasTitle: BlockedWindow["hasTitle"] = (text) => {
    const wanted = text.toLowerCase();
    return title === wanted ? "whole" : title.includes(wanted) ? "part" : undefined;
  };
  return { ...window, title: hidden, blocked: { rule, hasTitle } };
}
