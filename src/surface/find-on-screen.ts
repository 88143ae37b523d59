import type { CaptureArea, Display, WindowInfo } from "../platform/backend.ts";
import { matchText, type TextMatch } from "../vision/ocr/match.ts";
import { chooseWindow, isEmptyQuery, needActive, type WindowQuery } from "./choose-window.ts";
import type { GuardedWindow } from "./guard/guarded.ts";
import { readScreen } from "./read-screen.ts";
import type { Surface } from "./surface.ts";

export interface OnScreenScope {
  readonly query: WindowQuery;
  /** Look at the whole display instead of a window. */
  readonly display?: Display | undefined;
}

export interface OnScreen {
  /** Boxes in screen units, best first. */
  readonly matches: readonly TextMatch<"screen">[];
  readonly window?: WindowInfo | undefined;
}

/** Where a text appears in the picture of a window: the named one, or the active one. */
export async function findOnScreen(
  surface: Surface,
  text: string,
  { query, display }: OnScreenScope,
  signal: AbortSignal,
): Promise<OnScreen> {
  const all = await surface.need("windows").list({ signal });
  const window = isEmptyQuery(query) ? activeOrDisplay(all, display) : chooseWindow(all, query);
  const area: CaptureArea =
    window && !display ? { kind: "window", windowId: window.id } : { kind: "display", displayId: display?.id ?? 0 };
  const picture = await surface.picture(area, { includeCursor: false, signal });
  const { lines } = await readScreen(surface, picture, { signal });
  return { matches: matchText(lines, text), window };
}

const activeOrDisplay = (all: readonly GuardedWindow[], display: Display | undefined): WindowInfo | undefined =>
  display
    ? all.find(({ isForeground, blocked }) => isForeground && !blocked)
    : needActive(all, "Name one with window_title, app_name or window_id.");
