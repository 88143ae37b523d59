import type { WindowInfo, WindowKind } from "../platform/backend.ts";
import { shorten } from "./snapshot-text.ts";
import type { Subject } from "./state.ts";

const tips: ReadonlySet<WindowKind> = new Set(["tooltip"]);
/** Also the picture of what is dragged, which flies back when nobody takes it. GTK 4 does not say what it is. */
export const tipsAndDragged: ReadonlySet<WindowKind> = new Set([...tips, "unknown"]);

/** What happened to the windows of the app acted on, one line each. Windows of the kinds in `hides` do not count. */
export function windowChanges(
  subject: Subject,
  before: readonly WindowInfo[],
  after: readonly WindowInfo[],
  hides: ReadonlySet<WindowKind> = tips,
): readonly string[] {
  const own = [...before, ...after].find(({ id }) => id === subject.windowId);
  const ofApp = (window: WindowInfo): boolean => isOfApp(subject, own, window);
  const old = new Map(before.map((window) => [window.id, window]));
  const now = new Map(after.map((window) => [window.id, window]));
  const shown = (window: WindowInfo | undefined): boolean => window?.isVisible === true && !hides.has(window.kind);
  const lines: string[] = [];
  for (const window of after) {
    const was = old.get(window.id);
    if (!ofApp(window)) continue;
    if (shown(window) && !shown(was)) lines.push(`opened ${quoted(window.title)} (${window.id})`);
    else if (was && was.title !== window.title) lines.push(`renamed ${quoted(was.title)} → ${quoted(window.title)}`);
    else if (was && was.address !== window.address) lines.push(`went to ${window.address ?? "nowhere"}`);
    else if (was && was.isMinimized !== window.isMinimized)
      lines.push(`${window.isMinimized ? "minimised" : "restored"} ${quoted(window.title)}`);
  }
  for (const window of before) {
    if (ofApp(window) && shown(window) && !shown(now.get(window.id)) && !now.get(window.id)?.isMinimized) {
      lines.push(`closed ${quoted(window.title)} (${window.id})`);
    }
  }
  return lines;
}

// Longer than any title that fits a title bar.
const titleLength = 200;

/** A title can neither end its quotes nor begin a line. */
const quoted = (title: string): string => JSON.stringify(shorten(title, titleLength));

/** Old X11 programs (Tk, Xaw) name no process: their windows belong together by class. */
function isOfApp({ pid, windowId }: Subject, own: WindowInfo | undefined, window: WindowInfo): boolean {
  if (window.pid !== undefined) return window.pid === pid;
  if (window.id === windowId || (windowId !== undefined && window.owners?.includes(windowId))) return true;
  return pid === undefined && own !== undefined && own.className !== "" && own.className === window.className;
}
