import { ToolError } from "../base/errors.ts";
import { chooseWindow, isEmptyQuery, matchWindows, type WindowQuery } from "./choose-window.ts";
import type { GuardedWindow } from "./guard/guarded.ts";
import { belongsTo } from "./guard/owners.ts";
import { systemKinds } from "./list-windows.ts";
import type { Surface } from "./surface.ts";

/** Where a target was found. */
interface Owner {
  readonly windowId?: number | undefined;
  readonly pid?: number | undefined;
}

/**
 * Refuses a target in another window than the one named with it. Acting on it would touch a window that the caller
 * did not mean and that the policy decision did not cover.
 */
export async function needInWindow(
  surface: Surface,
  query: WindowQuery | undefined,
  found: Owner,
  signal: AbortSignal,
): Promise<void> {
  if (!query || isEmptyQuery(query)) return;
  const all = await surface.need("windows").list({ signal });
  const named = matchWindows(all, query);
  if (named.length === 0) chooseWindow(all, query);
  if (named.some((window) => isIn(found, window, all))) return;
  throw new ToolError("invalid_argument", "The target is in another window than the one named.", {
    hint: "Leave out the window, or name the one that the target is in.",
  });
}

function isIn({ windowId, pid }: Owner, named: GuardedWindow, all: readonly GuardedWindow[]): boolean {
  if (windowId === named.id) return true;
  const isSameApp = named.pid !== undefined && (pid ?? all.find(({ id }) => id === windowId)?.pid) === named.pid;
  const own = all.find(({ id }) => id === windowId);
  // A menu belongs to the window that opened it, and an element may not say which window it is in.
  return isSameApp && (own === undefined || (systemKinds.has(own.kind) && belongsTo(own, named)));
}
