import { foldPath } from "../../base/command-path.ts";
import { ToolError } from "../../base/errors.ts";
import type { AppCommand, AppCommands, ClosedMenu, ElementOwner } from "../../platform/backend.ts";
import { chooseWindow, isEmptyQuery, needActive, type WindowQuery } from "../choose-window.ts";
import type { GuardedWindow } from "../guard/guarded.ts";
import type { Surface } from "../surface.ts";
import { showPath } from "./find-command.ts";

export interface WindowCommands extends AppCommands {
  readonly window: GuardedWindow;
  readonly owner: ElementOwner;
}

/** The window whose commands are meant: the one named, or the one in front. */
export async function commandWindow(surface: Surface, query: WindowQuery, signal: AbortSignal): Promise<GuardedWindow> {
  const all = await surface.need("windows").list({ signal });
  return isEmptyQuery(query) ? needActive(all, "Name an app: app_name, pid or window_id.") : chooseWindow(all, query);
}

/** All commands of a window, those of menus that were opened before included. */
export async function listCommands(
  surface: Surface,
  window: GuardedWindow,
  signal: AbortSignal,
): Promise<WindowCommands> {
  const { pid } = window;
  if (pid === undefined) {
    throw new ToolError("not_supported", `It is not known which process shows window ${window.id}.`, {
      hint: "Look at it with take_screenshot, and click or press keys.",
    });
  }
  const owner = { pid, windowId: window.id };
  const listed = await surface.need("commands").list(owner, { signal });
  const added = listed.closed.flatMap((menu) => surface.openedMenus.entriesOf(listed.version, menu) ?? []);
  const closed = listed.closed.filter((menu) => surface.openedMenus.entriesOf(listed.version, menu) === undefined);
  return { ...listed, commands: [...listed.commands, ...added], closed, window, owner };
}

/** An entry that was seen while its menu was open. */
export interface OpenedEntry {
  /** Below the menu. */
  readonly path: readonly string[];
  readonly shortcut: string | undefined;
  readonly isEnabled: boolean;
  readonly isChecked: boolean | undefined;
}

const mostVersions = 50;

/** What was in menus that have entries only while open, by the version of their app. */
export class OpenedMenus {
  readonly #versions = new Map<string, Map<string, readonly OpenedEntry[]>>();

  remember(version: string, { path }: ClosedMenu, entries: readonly OpenedEntry[]): void {
    const menus = this.#versions.get(version) ?? new Map<string, readonly OpenedEntry[]>();
    this.#versions.delete(version);
    this.#versions.set(version, menus.set(foldPath(path), entries));
    const [oldest] = this.#versions.keys();
    if (this.#versions.size > mostVersions && oldest !== undefined) this.#versions.delete(oldest);
  }

  /** The menu was found to be different. */
  forget(version: string): void {
    this.#versions.delete(version);
  }

  /** Undefined when the menu has not been opened. */
  entriesOf(version: string, { path, elements }: ClosedMenu): readonly AppCommand[] | undefined {
    const entries = this.#versions.get(version)?.get(foldPath(path));
    return entries?.map((entry) => {
      const full = [...path, ...entry.path];
      return {
        id: `menu:${showPath({ path: full })}`,
        path: full,
        shortcut: entry.shortcut,
        isEnabled: entry.isEnabled,
        isChecked: entry.isChecked,
        source: "menu",
        isNative: false,
        elements,
      };
    });
  }
}
