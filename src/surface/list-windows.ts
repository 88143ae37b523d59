import type { WindowInfo, WindowKind } from "../platform/backend.ts";

export interface Listed {
  readonly windows: readonly WindowInfo[];
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
  all: readonly WindowInfo[],
  include: { readonly hidden: boolean; readonly system: boolean },
): Listed {
  const filtered = { tiny: 0, unowned: 0, system: 0, hidden: 0 };
  const windows = all.filter((window) => {
    const reason = reasonToDrop(window, include);
    if (reason) filtered[reason]++;
    return reason === undefined;
  });
  return { windows, filtered };
}

function reasonToDrop(
  window: WindowInfo,
  include: { readonly hidden: boolean; readonly system: boolean },
): keyof Listed["filtered"] | undefined {
  if (!include.hidden && !window.isVisible && !window.isMinimized) return "hidden";
  if (include.system) return undefined;
  if (systemKinds.has(window.kind)) return "system";
  if (window.appName === "" && window.pid === undefined) return "unowned";
  const shown = !window.isMinimized;
  if (shown && (window.bounds.width < smallest || window.bounds.height < smallest)) return "tiny";
  return undefined;
}
