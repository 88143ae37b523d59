import type { z } from "zod";
import { ToolError } from "../../base/errors.ts";
import type { Rect } from "../../base/geometry.ts";
import type { UiNode } from "../../base/node.ts";
import type { CaptureArea, WindowInfo } from "../../platform/backend.ts";
import { isEmptyQuery, matchWindows, type WindowQuery } from "../../surface/choose-window.ts";
import { readTree } from "../../surface/find-element.ts";
import type { Surface } from "../../surface/surface.ts";
import { fingerprint } from "../../vision/fingerprint.ts";
import type { ReaderStatus } from "../../vision/ocr/reader.ts";
import { toRecord } from "../desktop/windows.ts";
import type { toElementRecord } from "../elements/elements.ts";
import { findShown, type textMatch } from "../elements/find-text.ts";
import { partArea } from "../vision/capture-area.ts";
import type { Asking, Look } from "./wait-until.ts";

/** What was found, for the answer of whoever waited. */
export interface Met {
  readonly window: ReturnType<typeof toRecord> | null;
  readonly element?: ReturnType<typeof toElementRecord>;
  readonly match?: z.input<typeof textMatch>;
  /** All that fit, when there are several. */
  readonly candidates?: string[];
}

export function lookForWindow(
  surface: Surface,
  query: WindowQuery,
  wanted: "open" | "active" | "closed",
  { signal, sees }: Asking,
): Look<Met> {
  return async () => {
    const all = await surface.need("windows").list({ signal });
    const shown = all.filter((each) => each.isVisible || each.isMinimized);
    const matching = matchWindows(shown, query);
    if (wanted === "closed") return matching.length === 0 ? { window: null } : undefined;
    const found = wanted === "active" ? matching.find(({ isForeground }) => isForeground) : matching[0];
    if (found) return { window: toRecord(found) };
    const titles = shown.filter(({ blocked, title }) => !blocked && title !== "").map(({ title }) => title);
    sees(matching.length > 0 ? "it is open but not active" : "no open window has this title", titles.slice(0, 10));
    return undefined;
  };
}

/** Unlike an element, a text may be in any window of the screen: a menu, a notification. */
export function lookForText(
  surface: Surface,
  text: string,
  query: WindowQuery,
  isGone: boolean,
  { signal, note, sees, timeoutMs }: Asking,
): Look<Met> {
  const pace = readingPace(Math.min(readAfterMs, timeoutMs));
  const look = async (): Promise<z.input<typeof textMatch> | "nowhere" | undefined> => {
    try {
      const reads = isGone || pace.mayRead();
      const { matches, near } = await findShown(
        surface,
        text,
        // A text that differs in a letter does not prove that it has come, but that it may still be there.
        { query, isAnywhere: true, reads, others: isGone },
        signal,
      );
      if (reads) pace.hasRead();
      sees(matches.length > 0 ? "it is still there" : "it is nowhere to be seen", near);
      // That no element has it proves nothing about the pixels.
      if (matches.length === 0 && reads) needReading((await surface.reader()).status());
      return matches[0] ?? "nowhere";
    } catch (error) {
      if (!(error instanceof ToolError)) throw error;
      if (absent.has(error.code)) return "nowhere";
      if (!silent.has(error.code)) throw error;
      note(error);
      return undefined;
    }
  };
  return async () => {
    const match = await look();
    if (match === undefined) return undefined;
    if (isGone) return match === "nowhere" ? { window: null } : undefined;
    return match === "nowhere" ? undefined : { window: null, match };
  };
}

// Most texts are on elements, and reading the picture takes much longer than they take to appear there.
const readAfterMs = 300;

/** Reads the picture at most half of the time, so that elements are looked at in between. */
function readingPace(afterMs: number): { readonly mayRead: () => boolean; readonly hasRead: () => void } {
  let [from, started] = [performance.now() + afterMs, 0];
  return {
    mayRead() {
      started = performance.now();
      return started >= from;
    },
    hasRead: () => (from = 2 * performance.now() - started),
  };
}

function needReading({ available, reason = "" }: ReaderStatus): void {
  if (!available) throw new ToolError("not_supported", `Text in pictures cannot be read here: ${reason}.`);
}

const absent: ReadonlySet<string> = new Set(["not_found", "window_gone", "process_not_running"]);
const silent: ReadonlySet<string> = new Set(["timeout", "not_supported", "ax_error"]);

/**
 * Empty while the window is not there. Undefined while it is unknown: a frozen app has not lost its elements, an app
 * that has just opened its window may not have joined the accessibility bus yet, and a phone has no elements between
 * two screens.
 */
export async function nodesNow(
  surface: Surface,
  within: { readonly window: WindowQuery; readonly ref?: string | undefined },
  { signal, note }: Asking,
): Promise<{ readonly nodes: readonly UiNode[]; readonly window?: WindowInfo } | undefined> {
  try {
    return await readTree(surface, within, 20_000, signal);
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    if (absent.has(error.code)) return { nodes: [] };
    if (!silent.has(error.code)) throw error;
    note(error);
    return undefined;
  }
}

/** Whether the picture of a window, a region or the screen changes, or stays the same for a while. */
export function lookAtPixels(
  surface: Surface,
  {
    query,
    part,
    quietMs,
  }: {
    readonly query: WindowQuery;
    readonly part: Rect | number | string | undefined;
    readonly quietMs: number | undefined;
  },
  signal: AbortSignal,
): Look<Met> {
  // Keep watching the place found at the start, even if its element disappears or regions are marked again.
  let place: Promise<CaptureArea> | undefined;
  const look = async (): Promise<string> => {
    const windows = surface.need("windows");
    const window = isEmptyQuery(query) ? undefined : matchWindows(await windows.list({ signal }), query)[0];
    if (!window && !isEmptyQuery(query)) throw new ToolError("window_gone", "The window to watch does not exist.");
    const area = window
      ? ({ kind: "window", windowId: window.id } as const)
      : part === undefined
        ? ({ kind: "screen" } as const)
        : await (place ??= partArea(surface, part, signal));
    const capture = await surface.need("screen").capture(area, { signal, isEvidence: true });
    try {
      return fingerprint(capture.pixels);
    } finally {
      capture[Symbol.dispose]();
    }
  };
  let last: string | undefined;
  let since = performance.now();
  return async () => {
    const now = await look();
    const same = last === undefined || now === last;
    const first = last === undefined;
    if (!same || first) since = performance.now();
    last = now;
    if (quietMs === undefined) return same ? undefined : { window: null };
    return !first && performance.now() - since >= quietMs ? { window: null } : undefined;
  };
}
