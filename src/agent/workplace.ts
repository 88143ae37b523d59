import { ToolError } from "../base/errors.ts";
import { union, type Size } from "../base/geometry.ts";
import type { Arguments, Caller } from "../tools/caller.ts";
import type { ToolOutput } from "../tools/registry.ts";

/** Where to work. Default: the active window. */
export interface Where {
  /** Part of a window's title, or its id. */
  readonly window?: string | undefined;
  /** Started if it is not running. */
  readonly app?: string | undefined;
  readonly pid?: number | undefined;
  /** A page that is open in this session, e.g. "page:1". */
  readonly surface?: string | undefined;
  /** Opened in a separate browser. */
  readonly url?: string | undefined;
}

/** A window as recorded in the run folder. */
export type WindowRecord = ToolOutput<"list_windows">["windows"][number];

/** Where the agent is now: a window of the desktop, the bare desktop, or a page. */
export interface Workplace {
  readonly surface: string;
  readonly window: WindowRecord | undefined;
  readonly title: string;
}

export const onDesktop = ({ surface }: Workplace): boolean => surface === "desktop";

/** Tell a tool which surface, window or process to use. */
export const surfaceArguments = (place: Workplace): Arguments => (onDesktop(place) ? {} : { surface: place.surface });
export const windowArguments = (place: Workplace): Arguments =>
  onDesktop(place) ? { window_id: place.window?.window_id } : { surface: place.surface };
/** The whole app: a menu or a dialog may be a window of its own. */
export const appArguments = (place: Workplace): Arguments =>
  onDesktop(place) ? (place.window?.pid ? { pid: place.window.pid } : {}) : { surface: place.surface };

/**
 * What to look at: the window, or, while a menu of its app is open, the part of the screen that shows both. A menu is
 * a separate window and not in the window's picture.
 */
export async function areaOf(
  call: Caller,
  place: Workplace,
): Promise<{ readonly area: Arguments; readonly size: Size | undefined }> {
  const { window } = place;
  if (!onDesktop(place)) return { area: surfaceArguments(place), size: undefined };
  if (!window) return { area: { mode: "screen" }, size: undefined };
  const all = window.pid === null ? [] : await listWindows(call, { pid: window.pid, include_system: true });
  const menus = all.filter(({ kind }) => kind === "menu").map(({ bounds }) => bounds);
  const both = window.is_foreground && menus.length > 0 ? union([window.bounds, ...menus]) : undefined;
  if (!both) return { area: { window_id: window.window_id }, size: window.bounds };
  const [x, y] = [Math.max(0, Math.floor(both.x)), Math.max(0, Math.floor(both.y))];
  const [width, height] = [Math.ceil(both.x + both.width) - x, Math.ceil(both.y + both.height) - y];
  return { area: { mode: "region", x, y, width, height }, size: { width, height } };
}

/** Finds the place to work in; starts what was named if it is not running. */
export async function choosePlace(call: Caller, where: Where): Promise<Workplace> {
  const found = await findPlace(call, where);
  if (found) return found;
  return where.url === undefined ? onWindow(await launch(call, where.app ?? "")) : openPage(call, where.url);
}

/** The same without starting anything: undefined for an app that is not running and a page that is not open yet. */
export async function findPlace(call: Caller, where: Where): Promise<Workplace | undefined> {
  const { window, app, pid, surface, url } = where;
  if ([window, app, pid, surface, url].filter((given) => given !== undefined).length > 1) {
    throw new ToolError("invalid_argument", "Several places to work in are given.", {
      hint: "Use one of window, app, pid, surface and url.",
    });
  }
  if (url !== undefined) return undefined;
  if (surface !== undefined && surface !== "desktop") return { surface, window: undefined, title: surface };
  const windows = await listWindows(call);
  if (window !== undefined) return onWindow(oneOf(windows, window));
  if (pid !== undefined)
    return onWindow(
      need(
        windows.find((each) => each.pid === pid),
        `of process ${pid}`,
        windows,
      ),
    );
  if (app !== undefined) {
    const [topmost] = await listWindows(call, { app_name: app });
    return topmost && onWindow(topmost);
  }
  const active = windows.find(({ is_foreground }) => is_foreground);
  return active ? onWindow(active) : { surface: "desktop", window: undefined, title: "the desktop" };
}

/**
 * Where the agent is after an action: the same window, or another one of the same app that came to the front, such as
 * a dialog. Without a named place, the agent follows the active window.
 */
export async function followPlace(call: Caller, place: Workplace, isFree: boolean): Promise<Workplace> {
  if (!onDesktop(place)) return place;
  const windows = await listWindows(call);
  const active = windows.find(({ is_foreground }) => is_foreground);
  const { window } = place;
  if (isFree || !window) return active ? onWindow(active) : { ...place, window: undefined, title: "the desktop" };
  if (active && active.pid !== null && active.pid === window.pid) return onWindow(active);
  const same = windows.find(({ window_id }) => window_id === window.window_id);
  const next = same ?? windows.find(({ pid }) => pid !== null && pid === window.pid);
  if (next) return onWindow(next);
  throw new ToolError("window_gone", `The window "${window.title}" is closed, and its app has no other.`);
}

export async function listWindows(call: Caller, filter: Arguments = {}): Promise<readonly WindowRecord[]> {
  return (await call("list_windows", filter)).data.windows;
}

const onWindow = (window: WindowRecord): Workplace => ({
  surface: "desktop",
  window,
  title: `window "${window.title}" of ${window.app_name}`,
});

async function openPage(call: Caller, url: string): Promise<Workplace> {
  const { pages } = (await call("cdp_launch", { url })).data;
  const page = pages.find(({ selected }) => selected) ?? pages[0];
  if (!page) throw new ToolError("not_found", "The browser opened no page.");
  return { surface: page.surface, window: undefined, title: `page ${url}` };
}

async function launch(call: Caller, app: string): Promise<WindowRecord> {
  const { window } = (await call("launch_app", { app_name: app })).data;
  if (window) return window;
  throw new ToolError("not_found", `${app} was started but has opened no window.`, {
    hint: "Name its window, or leave the place out to work with the active one.",
  });
}

function oneOf(windows: readonly WindowRecord[], wanted: string): WindowRecord {
  const part = wanted.toLowerCase();
  const byId = windows.filter(({ window_id }) => String(window_id) === wanted);
  const exact = windows.filter(({ title }) => title.toLowerCase() === part);
  const partly = windows.filter(({ title }) => title.toLowerCase().includes(part));
  const [first, ...rest] = [byId, exact, partly].find((found) => found.length > 0) ?? [];
  if (rest.length > 0) {
    throw new ToolError("ambiguous_target", `${rest.length + 1} windows match "${wanted}".`, {
      hint: "Name one by its id.",
      candidates: [first, ...rest].flatMap((each) => (each ? [describe(each)] : [])),
    });
  }
  return need(first, `called "${wanted}"`, windows);
}

function need(window: WindowRecord | undefined, what: string, windows: readonly WindowRecord[]): WindowRecord {
  if (window) return window;
  throw new ToolError("not_found", `There is no window ${what}.`, {
    hint: windows.length === 0 ? "No window is open." : "Name one of the open ones.",
    candidates: windows.slice(0, 10).map(describe),
  });
}

const describe = ({ window_id, title, app_name }: WindowRecord): string => `${window_id} "${title}" (${app_name})`;
