import type { WindowKind } from "../platform/backend.ts";
import type { GuardedWindow } from "./guard/guarded.ts";

export interface Listed {
  readonly windows: readonly GuardedWindow[];
  /** How many were left out, by reason. */
  readonly filtered: {
    readonly tiny: number;
    readonly unowned: number;
    readonly system: number;
    readonly hidden: number;
  };
}

const smallest = 50;
/** Windows that a person would not call windows. */
export const systemKinds: ReadonlySet<WindowKind> = new Set([
  "dock",
  "desktop",
  "tooltip",
  "menu",
  "notification",
  "splash",
]);

/** What a person would call the open windows. A minimised window is one of them; an unmapped one is not. */
export function filterWindows(
  all: readonly GuardedWindow[],
  include: { readonly hidden: boolean; readonly system: boolean },
): Listed {
  const filtered = { tiny: 0, unowned: 0, system: 0, hidden: 0 };
  const windows = all.filter((window) => {
    const reason = reasonToDrop(window, include);
    // How many menus a blocked window has open is nobody's business.
    if (reason && !window.blocked) filtered[reason]++;
    return reason === undefined;
  });
  return { windows, filtered };
}

function reasonToDrop(
  window: GuardedWindow,
  include: { readonly hidden: boolean; readonly system: boolean },
): keyof Listed["filtered"] | undefined {
  if (!include.hidden && !window.isVisible && !window.isMinimized) return "hidden";
  if (include.system) return undefined;
  if (systemKinds.has(window.kind)) return "system";
  if (window.appName === "" && window.pid === undefined && !window.blocked) return "unowned";
  const shown = !window.isMinimized;
  if (shown && (window.bounds.width < smallest || window.bounds.height < smallest)) return "tiny";
  return undefined;
}
