import { ToolError } from "../../base/errors.ts";
import { intersect, sameRect, union, type Rect } from "../../base/geometry.ts";
import type {
  Capture,
  CaptureArea,
  CaptureOptions,
  Screen,
  SecretField,
  WindowInfo,
  Windows,
} from "../../platform/backend.ts";
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
      const before = await windows.list({ signal: options.signal });
      if (area.kind === "window") needListed(before, area.windowId);
      const capture = () =>
        area.kind === "window"
          ? captureWindow(screen, windows, area, options)
          : captureScreen(screen, windows, { area, options, before });
      if (!fields || options.isEvidence) return capture();
      const { signal } = options;
      const changes = await windows.changes(signal);
      return withoutFields(area, () => fields.find(inArea(before, area), signal), {
        capture,
        isStill: async () => changes !== undefined && (await windows.changes(signal)) === changes,
      });
    },
  };
}

/** Pictures of a page, which has no windows that could be blocked, without a pixel of a password field. */
export function guardPageScreen(screen: Screen, windows: Windows | undefined, fields: SecretFields): Screen {
  return {
    displays: (options) => screen.displays(options),
    bounds: (options) => screen.bounds(options),
    async capture(area, options = {}) {
      const { signal } = options;
      const capture = () => screen.capture(area, options);
      if (options.isEvidence) return capture();
      const all = (await windows?.list({ signal })) ?? [];
      const find = () => fields.find(all, signal);
      const before = await find();
      return withoutFields(area, find, { before, capture, isStill: async () => false });
    },
  };
}

interface Taking {
  /** Where they were before, if that is known. */
  readonly before?: readonly SecretField[];
  readonly capture: () => Promise<Capture>;
  /** Whether no window has changed since just before the picture. */
  readonly isStill: () => Promise<boolean>;
}

type FindFields = () => Promise<readonly SecretField[]>;

/** Looked for again after a picture during which something moved: a field may be in it at either place. */
async function withoutFields(
  area: CaptureArea,
  find: FindFields,
  { before: known, capture: take, isStill }: Taking,
): Promise<Capture> {
  const finding = known ? Promise.resolve(known) : find();
  // Fields that cannot be found are a reason to wait for, not to leave the picture's memory leased.
  finding.catch(() => {});
  const capture = await take();
  try {
    const before = onlyOf(await finding, area);
    const after = (await isStill()) ? before : onlyOf(await find(), area);
    return paintOver(capture, [...before, ...after, ...ways(before, after)], Math.max(before.length, after.length));
  } catch (error) {
    capture[Symbol.dispose]();
    throw error;
  }
}

/**
 * Scrolled meanwhile, a field may be anywhere between its two places, and as much again beyond them: a picture shows a
 * frame that is a little older or newer than what was asked before and after it.
 */
function ways(before: readonly Rect[], after: readonly Rect[]): readonly Rect[] {
  if (before.length !== after.length) return [];
  return before.flatMap((from, index) => {
    const to = after[index];
    const both = to && !sameRect(from, to) ? union([from, to]) : undefined;
    if (!to || !both) return [];
    const [across, down] = [Math.abs(to.x - from.x), Math.abs(to.y - from.y)];
    return {
      x: both.x - across,
      y: both.y - down,
      width: both.width + 2 * across,
      height: both.height + 2 * down,
    };
  });
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

const onlyOf = (fields: readonly SecretField[], area: CaptureArea): readonly Rect[] =>
  fields
    .filter(({ windowId }) => area.kind !== "window" || windowId === undefined || windowId === area.windowId)
    .map(({ bounds }) => bounds);
