import { ToolError } from "../base/errors.ts";
import { quote } from "../base/quote.ts";
import type { GuardedWindow } from "./guard/guarded.ts";
import { systemKinds } from "./list-windows.ts";

/** How a caller names a window. `windowId` and `title` name a window; `appName` and `pid` name an app. */
export interface WindowQuery {
  readonly windowId?: number | undefined;
  readonly title?: string | undefined;
  readonly appName?: string | undefined;
  readonly pid?: number | undefined;
}

export const isEmptyQuery = (query: WindowQuery): boolean => Object.values(query).every((value) => value === undefined);

/** A blocked window fits nothing: an answer to its name would let the name be guessed. */
export const fits = (window: GuardedWindow, query: WindowQuery): boolean =>
  !window.blocked &&
  (query.windowId === undefined || window.id === query.windowId) &&
  (query.pid === undefined || window.pid === query.pid) &&
  (query.appName === undefined || isApp(window, query.appName)) &&
  (query.title === undefined || fitOf(window, query.title) !== undefined);

/**
 * The windows that match the query, topmost first. An exact title or app name beats a partial one. A tooltip or menu counts only
 * when no other window matches: toolkits title them like their app, and they come and go.
 */
export function matchWindows(windows: readonly GuardedWindow[], query: WindowQuery): readonly GuardedWindow[] {
  const fitting = windows.filter((window) => fits(window, query));
  const ordinary = fitting.filter(({ kind }) => !systemKinds.has(kind));
  const wanted = ordinary.length > 0 ? ordinary : fitting;
  const named = wanted.filter((window) => query.appName !== undefined && isCalled(window, query.appName));
  const own = named.length > 0 ? named : wanted;
  const exact = own.filter((window) => query.title !== undefined && fitOf(window, query.title) === "whole");
  return exact.length > 0 ? exact : own;
}

/**
 * The one window that matches. If an app was named, its topmost window wins; several windows with a matching title,
 * or several apps, are an error that lists them. Never silently picks the first match.
 */
export function chooseWindow(windows: readonly GuardedWindow[], query: WindowQuery): GuardedWindow {
  const matches = matchWindows(windows, query);
  const [first, ...rest] = matches;
  if (!first) throw noWindow(windows, query);
  const oneApp =
    query.title === undefined && rest.every((window) => window.pid === first.pid && window.pid !== undefined);
  if (rest.length === 0 || oneApp) return first;
  throw new ToolError("ambiguous_target", `${matches.length} windows match ${describeQuery(query)}.`, {
    hint: "Pass window_id of one of the candidates.",
    candidates: matches.slice(0, 10).map(describeWindow),
  });
}

/** How a title fits: the whole of it, a part, or not at all. */
function fitOf({ title }: GuardedWindow, wanted: string): "whole" | "part" | undefined {
  return same(title, wanted) ? "whole" : includes(title, wanted) ? "part" : undefined;
}

/**
 * Throws `denied` for a window that the policy keeps from being used: one that is in the way or in front. Whoever names one is
 * told that there is none.
 */
export function needOpen<Window extends GuardedWindow>(window: Window): Window {
  if (!window.blocked) return window;
  throw new ToolError("denied", `The window there is blocked by ${window.blocked.rule}.`, {
    hint: "It can be neither seen nor used. Only a person can change that, in the rule file (--rules).",
  });
}

/** The window that has the keyboard, for a call that names none. */
export function needActive(windows: readonly GuardedWindow[], hint: string): GuardedWindow {
  const active = windows.find(({ isForeground }) => isForeground);
  if (active) return needOpen(active);
  throw new ToolError("not_found", "No window is active.", { hint });
}

/** What every call is told that names a window by an id which no window has that it may use. */
export const noSuchWindow = (id: number): ToolError =>
  new ToolError("window_gone", `There is no window ${id}.`, {
    hint: "It was closed, or the id is wrong: call list_windows.",
  });

const isCalled = (window: GuardedWindow, name: string): boolean =>
  [window.appName, window.className, window.processName].some((own) => same(own, name));

export function isApp(window: GuardedWindow, name: string): boolean {
  return [window.appName, window.className, window.processName].some((own) => same(own, name) || includes(own, name));
}

export function describeWindow(window: GuardedWindow): string {
  return `${window.id} ${quote(window.title)} (${window.appName ? quote(window.appName) : "no app"})`;
}

function noWindow(windows: readonly GuardedWindow[], query: WindowQuery): ToolError {
  const code = query.windowId === undefined ? "not_found" : "window_gone";
  return new ToolError(code, `No window matches ${describeQuery(query)}.`, {
    hint:
      code === "window_gone"
        ? "It was closed, or the id is wrong: call list_windows."
        : "Call list_windows, or wait_for it.",
    candidates: windows
      .filter((window) => window.isVisible && !window.blocked)
      .slice(0, 10)
      .map(describeWindow),
  });
}

function describeQuery({ windowId, title, appName, pid }: WindowQuery): string {
  const parts = [
    windowId === undefined ? undefined : `window_id ${windowId}`,
    title === undefined ? undefined : `window_title "${title}"`,
    appName === undefined ? undefined : `app_name "${appName}"`,
    pid === undefined ? undefined : `pid ${pid}`,
  ];
  return parts.filter((part) => part !== undefined).join(" and ");
}

const same = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();
const includes = (text: string, part: string): boolean => text.toLowerCase().includes(part.toLowerCase());
