import { centre, contains, type ScreenPoint } from "../base/geometry.ts";
import type { CaptureArea, Display, WindowInfo } from "../platform/backend.ts";
import { matchText, type TextMatch } from "../vision/ocr/match.ts";
import { chooseWindow, isEmptyQuery, needActive, type WindowQuery } from "./choose-window.ts";
import type { GuardedWindow } from "./guard/guarded.ts";
import { readScreen } from "./read-screen.ts";
import type { Surface } from "./surface.ts";
import { pictureWithPopups } from "./window-picture.ts";

export interface OnScreenScope {
  readonly query: WindowQuery;
  /** Look at the whole display instead of a window. */
  readonly display?: Display | undefined;
  /** Without a named window, look at the whole screen instead of the active window. */
  readonly isAnywhere?: boolean | undefined;
  /** Also texts that differ in a letter, if no other is found. Nothing may be pressed or proven by those. */
  readonly others?: boolean | undefined;
}

/** A text in the picture, in screen units. */
export interface SeenMatch extends TextMatch<"screen"> {
  readonly point: ScreenPoint;
  /** The window it is in: the one asked for, or a menu of that. */
  readonly window?: WindowInfo | undefined;
}

/** Where a text appears in the picture of a window (the named one, or the active one) and its open menus; best first. */
export async function findOnScreen(
  surface: Surface,
  text: string,
  { query, display, isAnywhere = false, others = false }: OnScreenScope,
  signal: AbortSignal,
): Promise<readonly SeenMatch[]> {
  const all = await surface.need("windows").list({ signal });
  const isScreen = isAnywhere && isEmptyQuery(query);
  const window = isScreen ? undefined : isEmptyQuery(query) ? activeOrDisplay(all, display) : chooseWindow(all, query);
  const area: CaptureArea = isScreen
    ? { kind: "screen" }
    : window && !display
      ? { kind: "window", windowId: window.id }
      : { kind: "display", displayId: display?.id ?? 0 };
  const picture = await pictureWithPopups(surface, area, signal);
  const { lines } = await readScreen(surface, picture, { signal });
  const matches = matchText(lines, text).filter(({ isOther }) => others || !isOther);
  return matches.map((match) => {
    const point = centre(match.box);
    return { ...match, point, window: picture.windows?.find(({ bounds }) => contains(bounds, point)) ?? window };
  });
}

const activeOrDisplay = (all: readonly GuardedWindow[], display: Display | undefined): WindowInfo | undefined =>
  display
    ? all.find(({ isForeground, blocked }) => isForeground && !blocked)
    : needActive(all, "Name one with window_title, app_name or window_id.");
