import { sameRect } from "../../base/geometry.ts";
import type { WindowInfo } from "../../platform/backend.ts";
import { isPopup } from "../popups.ts";

export const windowKinds = [
  "focus",
  "window_opened",
  "dialog_opened",
  "popup_opened",
  "window_closed",
  "window_renamed",
  "window_moved",
  "app_started",
  "app_ended",
] as const;

/** Something that happened to a window, or to the app it belongs to. `focus`: it is the active one now. */
export interface WindowHappening {
  readonly kind: (typeof windowKinds)[number];
  readonly window: WindowInfo;
  /** Its title before. */
  readonly was?: string | undefined;
}

/** What happened between two lists of windows. Apps are known by their windows. */
export function compareWindows(
  before: readonly WindowInfo[],
  after: readonly WindowInfo[],
): readonly WindowHappening[] {
  const old = new Map(before.map((window) => [window.id, window]));
  const now = new Map(after.map((window) => [window.id, window]));
  const [oldApps, nowApps] = [before, after].map((list) => new Set(list.map(appOf))) as [Set<string>, Set<string>];
  const opened = after.filter(({ id }) => !old.has(id));
  const closed = before.filter(({ id }) => !now.has(id));
  const kept = after.flatMap((window) => changesOf(old.get(window.id), window));
  const active = after.find(({ isForeground }) => isForeground);
  const wasActive = before.find(({ isForeground }) => isForeground);
  return [
    ...oncePerApp(opened, oldApps).map((window) => ({ kind: "app_started", window }) as const),
    ...opened.map((window) => ({ kind: openingOf(window), window })),
    ...kept,
    ...closed.map((window) => ({ kind: "window_closed", window }) as const),
    ...oncePerApp(closed, nowApps).map((window) => ({ kind: "app_ended", window }) as const),
    ...(active && active.id !== wasActive?.id ? [{ kind: "focus", window: active } as const] : []),
  ];
}

/** Old X11 programs name no process; their windows belong together by class. */
const appOf = ({ pid, className }: WindowInfo): string => (pid === undefined ? className : String(pid));

function oncePerApp(windows: readonly WindowInfo[], known: ReadonlySet<string>): readonly WindowInfo[] {
  const seen = new Set(known);
  return windows.filter((window) => !seen.has(appOf(window)) && seen.add(appOf(window)));
}

function openingOf(window: WindowInfo): WindowHappening["kind"] {
  if (isPopup(window)) return "popup_opened";
  return window.kind === "dialog" || window.isModal === true ? "dialog_opened" : "window_opened";
}

function changesOf(was: WindowInfo | undefined, window: WindowInfo): readonly WindowHappening[] {
  if (!was) return [];
  const isRenamed = was.title !== window.title || was.address !== window.address;
  return [
    ...(isRenamed ? [{ kind: "window_renamed", window, was: was.title } as const] : []),
    ...(sameRect(was.bounds, window.bounds) ? [] : [{ kind: "window_moved", window } as const]),
  ];
}
