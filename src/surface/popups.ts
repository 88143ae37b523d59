import type { WindowInfo, WindowKind } from "../platform/backend.ts";
import type { GuardedWindow } from "./guard/guarded.ts";

// Menus of older toolkits do not say what they are.
const popupKinds: ReadonlySet<WindowKind> = new Set(["menu", "tooltip", "unknown"]);

/** A menu, list or tip that another window has opened. It is above everything, and closes when another window gets the focus. */
export const isPopup = ({ kind, owners = [] }: WindowInfo): boolean => popupKinds.has(kind) && owners.length > 0;

/** The open menus, lists and tips of a window, topmost first, and what was opened from those. */
export function popupsOf(window: WindowInfo, all: readonly GuardedWindow[]): readonly GuardedWindow[] {
  const family = new Set([window.id]);
  const isOwned = ({ owners = [] }: GuardedWindow): boolean => {
    if (!owners.some((id) => family.has(id))) return false;
    // Any window of the app may have opened it; the one in use is the likeliest.
    const inUse = all.find(({ id, isForeground }) => isForeground && owners.includes(id));
    return owners.length === 1 || inUse === undefined || family.has(inUse.id);
  };
  const popups = all.filter((each) => isPopup(each) && each.isVisible && !each.isMinimized && !each.blocked);
  // A menu comes above the one it was opened from.
  for (const popup of popups.toReversed()) if (isOwned(popup)) family.add(popup.id);
  return popups.filter(({ id }) => id !== window.id && family.has(id));
}
