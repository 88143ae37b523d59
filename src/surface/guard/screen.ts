import { ToolError } from "../../base/errors.ts";
import { intersect, type Rect } from "../../base/geometry.ts";
import type { Capture, CaptureArea, CaptureOptions, Screen, WindowInfo } from "../../platform/backend.ts";
import { needOpen } from "../choose-window.ts";
import type { BlockedWindows } from "./blocked.ts";
import { paintOver } from "./paint.ts";
import type { SecretFields } from "./secret-fields.ts";

/** Pictures without a pixel of a blocked window or a password field. */
export function guardScreen(screen: Screen, windows: BlockedWindows, fields: SecretFields | undefined): Screen {
  return {
    displays: (options) => screen.displays(options),
    bounds: (options) => screen.bounds(options),
    async capture(area, options = {}) {
      const { signal } = options;
      const before = await windows.list({ signal });
      if (area.kind === "window") needListed(before, area.windowId);
      const finding = options.isEvidence ? undefined : fields?.find(inArea(before, area), signal);
      // Fields that cannot be found are a reason to wait for, not to leave the picture's memory leased.
      finding?.catch(() => {});
      const capture =
        area.kind === "window"
          ? await captureWindow(screen, windows, area, options)
          : await captureScreen(screen, windows, { area, options, before });
      try {
        const secret = await finding;
        return secret ? paintOver(capture, onlyOf(secret, area), secret.length) : capture;
      } catch (error) {
        capture[Symbol.dispose]();
        throw error;
      }
    },
  };
}

/** An id that is no window of the list may be a part of a blocked one. */
function needListed(windows: readonly WindowInfo[], id: number): void {
  const window = windows.find((each) => each.id === id);
  if (window) return void needOpen(window);
  throw new ToolError("window_gone", `There is no window ${id}.`, {
    hint: "It was closed, or the id is wrong: call list_windows.",
  });
}

async function captureWindow(
  screen: Screen,
  windows: BlockedWindows,
  area: Extract<CaptureArea, { kind: "window" }>,
  options: CaptureOptions,
): Promise<Capture> {
  const capture = await screen.capture(area, options);
  // A tab may have changed the title, and with it what the window shows, between looking and taking the picture.
  const now = (await windows.list(options)).find(({ id }) => id === area.windowId);
  if (now?.blocked) capture[Symbol.dispose]();
  if (now) needOpen(now);
  return capture;
}

interface ScreenRequest {
  readonly area: CaptureArea;
  readonly options: CaptureOptions;
  readonly before: readonly WindowInfo[];
}

async function captureScreen(
  screen: Screen,
  windows: BlockedWindows,
  { area, options, before }: ScreenRequest,
): Promise<Capture> {
  const known = before.filter(isShownBlocked);
  const locate = known.map(({ id }) => id);
  const capture = await screen.capture(area, locate.length > 0 ? { ...options, locate } : options);
  try {
    const after = (await windows.list(options)).filter(isShownBlocked);
    const parts = [...known, ...after].map(({ bounds }) => bounds);
    const count = new Set(
      [...known, ...after].filter(({ bounds }) => intersect(bounds, capture.bounds)).map(({ id }) => id),
    );
    return paintOver(capture, [...parts, ...(capture.located ?? [])], count.size);
  } catch (error) {
    capture[Symbol.dispose]();
    throw error;
  }
}

const isShownBlocked = ({ blocked, isVisible, isMinimized }: WindowInfo): boolean =>
  blocked !== undefined && isVisible && !isMinimized;

function inArea(windows: readonly WindowInfo[], area: CaptureArea): readonly WindowInfo[] {
  return windows.filter(({ id, isVisible, isMinimized, bounds }) => {
    if (area.kind === "window") return id === area.windowId;
    if (!isVisible || isMinimized) return false;
    return area.kind !== "region" || intersect(bounds, area.rect) !== undefined;
  });
}

const onlyOf = (
  fields: readonly { readonly bounds: Rect; readonly windowId: number | undefined }[],
  area: CaptureArea,
) =>
  fields
    .filter(({ windowId }) => area.kind !== "window" || windowId === undefined || windowId === area.windowId)
    .map(({ bounds }) => bounds);
