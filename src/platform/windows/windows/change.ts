import { poll, throwIfCancelled } from "../../../base/async.ts";
import { ToolError } from "../../../base/errors.ts";
import { sameRect } from "../../../base/geometry.ts";
import type { CallOptions, WindowChange, WindowInfo } from "../../backend.ts";
import { needReach } from "../apps/elevation.ts";
import { win32, type Handle } from "../win32.ts";
import { frameOf, outerOf } from "./bounds.ts";
import { giveForeground } from "./foreground.ts";
import { listWindows, pidOf } from "./list.ts";

const timeoutMs = 3000;
const lookEveryMs = 10;
/** Every window is hidden before it goes; one that stays hidden is closed to a person. */
const hiddenMs = 500;
const show = { maximize: 3, minimize: 6, restore: 9 } as const;
const close = 0x10;
const keepSize = 0x1;
const keepPlace = 0x2;
const keepOrder = 0x4;
const keepFocus = 0x10;
/** Else a frozen app would freeze the caller. */
const later = 0x4000;
const bottom = 1;
const topmost = -1;
const notTopmost = -2;

export const windowGone = (id: number): ToolError =>
  new ToolError("window_gone", `Window ${id} was closed.`, { hint: "List the windows again." });

/** Asks Windows, and waits until the window is as it was asked to be. */
export async function changeWindow(id: Handle, change: WindowChange, options: CallOptions): Promise<void> {
  throwIfCancelled(options.signal);
  const api = win32();
  if (!api.isWindow(id)) throw windowGone(id);
  needReach(pidOf(id), `Window ${id} cannot be changed`);
  switch (change.to) {
    case "focus":
      return giveForeground(id, options);
    case "front":
      // Windows lets nobody raise a window over the one in front, unless it is made topmost first.
      api.place(id, topmost, 0, 0, 0, 0, keepSize | keepPlace | keepFocus | later);
      api.place(id, notTopmost, 0, 0, 0, 0, keepSize | keepPlace | keepFocus | later);
      return confirm(id, "come to the front", () => isFirst(id, listWindows()), options);
    case "back":
      api.place(id, bottom, 0, 0, 0, 0, keepSize | keepPlace | keepFocus | later);
      return confirm(id, "go to the back", () => isFirst(id, listWindows().toReversed()), options);
    case "minimize":
    case "maximize":
      api.showAsync(id, show[change.to]);
      return confirm(
        id,
        change.to,
        () => (change.to === "minimize" ? api.isIconic(id) : api.isZoomed(id)) !== 0,
        options,
      );
    case "restore":
      return restore(id, options);
    case "close":
      api.post(id, close, 0, 0);
      return waitForClose(id, options);
    case "move":
    case "resize":
      return moveOrResize(id, change, options);
  }
}

/** Before every other one of its kind that is shown. */
function isFirst(id: Handle, order: readonly WindowInfo[]): boolean {
  const own = order.find((window) => window.id === id);
  return order.find(({ kind, isVisible }) => isVisible && kind === own?.kind)?.id === id;
}

/** A window that was minimised while maximised is maximised again, as by a click on the taskbar. */
async function restore(id: Handle, options: CallOptions): Promise<void> {
  const api = win32();
  const wasMinimized = api.isIconic(id) !== 0;
  api.showAsync(id, show.restore);
  const isRestored = () => api.isIconic(id) === 0 && (wasMinimized || api.isZoomed(id) === 0);
  await confirm(id, "restore", isRestored, options);
}

async function moveOrResize(
  id: Handle,
  change: Extract<WindowChange, { to: "move" | "resize" }>,
  options: CallOptions,
): Promise<void> {
  const api = win32();
  const [frame, outer] = [frameOf(id), outerOf(id)];
  if (!frame || !outer) throw windowGone(id);
  if (api.isZoomed(id) !== 0 || api.isIconic(id) !== 0) {
    throw new ToolError("not_supported", `Window ${id} is ${api.isIconic(id) ? "minimised" : "maximised"}.`, {
      hint: "Restore it first.",
    });
  }
  const wanted =
    change.to === "move"
      ? { ...frame, x: Math.round(change.x), y: Math.round(change.y) }
      : { ...frame, width: Math.round(change.width), height: Math.round(change.height) };
  const flags = keepOrder | keepFocus | later | (change.to === "move" ? keepSize : keepPlace);
  api.place(
    id,
    0,
    wanted.x + outer.x - frame.x,
    wanted.y + outer.y - frame.y,
    wanted.width + outer.width - frame.width,
    wanted.height + outer.height - frame.height,
    flags,
  );
  const isThere = () => {
    const now = frameOf(id);
    return now !== undefined && sameRect(now, wanted);
  };
  if (await until(isThere, id, options)) return;
  const { x, y, width, height } = frameOf(id) ?? frame;
  throw new ToolError("timeout", `Window ${id} stayed at ${x},${y}, ${width}×${height}.`, {
    hint: "The app limits its size or place.",
  });
}

async function waitForClose(id: Handle, options: CallOptions): Promise<void> {
  let hiddenAt: number | undefined;
  const isClosed = () => {
    if (win32().isWindow(id) === 0) return true;
    hiddenAt = win32().isVisible(id) === 0 ? (hiddenAt ?? performance.now()) : undefined;
    return hiddenAt !== undefined && performance.now() - hiddenAt > hiddenMs;
  };
  if (await until(isClosed, id, options)) return;
  throw new ToolError("timeout", `Window ${id} was asked to close and is still open after ${timeoutMs} ms.`, {
    hint: "The app may be showing a dialog (unsaved work?): look at its windows, answer it, or quit the app by force.",
  });
}

async function confirm(id: Handle, what: string, isDone: () => boolean, options: CallOptions): Promise<void> {
  if (await until(isDone, id, options)) return;
  if (!win32().isWindow(id)) throw windowGone(id);
  throw new ToolError("timeout", `Window ${id} did not ${what} within ${timeoutMs} ms.`, {
    hint: "Its app may not respond, or does not allow it.",
  });
}

async function until(isDone: () => boolean, id: Handle, { signal }: CallOptions): Promise<boolean> {
  const done = await poll(async () => (isDone() || !win32().isWindow(id) ? true : undefined), {
    timeoutMs,
    everyMs: lookEveryMs,
    signal,
  });
  return done === true && isDone();
}
