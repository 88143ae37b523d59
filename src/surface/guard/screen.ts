import { intersect } from "../../base/geometry.ts";
import type {
  CaptureArea,
  CaptureOptions,
  FollowedFields,
  Screen,
  SecretField,
  Windows,
} from "../../platform/backend.ts";
import { noSuchWindow } from "../choose-window.ts";
import type { BlockedWindows } from "./blocked.ts";
import type { GuardedCapture, GuardedScreen, GuardedWindow } from "./guarded.ts";
import { paintOver } from "./paint.ts";
import type { SecretFields } from "./secret-fields.ts";

/** Pictures without any pixel of a blocked window or a password field. */
export function guardScreen(screen: Screen, windows: BlockedWindows, fields: SecretFields | undefined): GuardedScreen {
  const partial = screen.partial?.bind(screen);
  return {
    units: screen.units,
    ...(partial ? { partial } : {}),
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
      const shown = inArea(before, area);
      return withoutFields(area, () => fields.follow(shown, options.signal), {
        capture,
        around: async () => (area.kind === "window" ? undefined : [...shown, ...(await windows.list(options))]),
      });
    },
  };
}

/** Pictures of a page, which has no windows that could be blocked, without a pixel of a password field or blocked frame. */
export function guardPageScreen(
  screen: Screen,
  windows: Windows | undefined,
  fields: Pick<SecretFields, "follow">,
): GuardedScreen {
  return {
    units: screen.units,
    displays: (options) => screen.displays(options),
    bounds: (options) => screen.bounds(options),
    async capture(area, options = {}) {
      const { signal } = options;
      const capture = () => screen.capture(area, options);
      if (options.isEvidence) return capture();
      const all = (await windows?.list({ signal })) ?? [];
      return withoutFields(area, () => fields.follow(all, signal), { capture, around: async () => undefined });
    },
  };
}

interface Taking {
  readonly capture: () => Promise<GuardedCapture>;
  /**
   * The windows that can contain a field, including where they were before; undefined when it can be anywhere in the
   * picture.
   */
  readonly around: () => Promise<readonly GuardedWindow[] | undefined>;
}

const mostTries = 3;
const longestMs = 800;

/**
 * If a field moves during a capture, the picture is taken again; if a field keeps moving, everything around it is
 * covered.
 */
async function withoutFields(
  area: CaptureArea,
  follow: () => Promise<FollowedFields>,
  { capture: take, around }: Taking,
): Promise<GuardedCapture> {
  const started = performance.now();
  for (let tries = 1; ; tries++) {
    const followed = await follow();
    const capture = await take();
    try {
      const { fields, count, isStill } = await followed.end();
      const own = fields.filter(isOf(area));
      if (own.length === 0) return capture;
      const parts = own.map(({ bounds }) => bounds);
      if (isStill) return paintOver(capture, parts, Math.min(count, own.length));
      if (tries === mostTries || (tries > 1 && performance.now() - started > longestMs)) {
        const ids = new Set(own.map(({ windowId }) => windowId));
        const windows = ids.has(undefined) ? undefined : (await around())?.filter(({ id }) => ids.has(id));
        const covers = windows ? windows.map(({ bounds }) => bounds) : [capture.bounds];
        return { ...paintOver(capture, [...parts, ...covers], Math.min(count, own.length)), isCovered: true };
      }
    } catch (error) {
      capture[Symbol.dispose]();
      throw error;
    }
    capture[Symbol.dispose]();
  }
}

/** An id that is not in the list may be a child window of a blocked one. */
function needListed(windows: readonly GuardedWindow[], id: number): void {
  if (!windows.some((each) => each.id === id && !each.blocked)) throw noSuchWindow(id);
}

async function captureWindow(
  screen: Screen,
  windows: BlockedWindows,
  area: Extract<CaptureArea, { kind: "window" }>,
  options: CaptureOptions,
): Promise<GuardedCapture> {
  const capture = await screen.capture(area, options);
  // A tab switch may have changed the title, and what the window shows, before the picture was taken.
  const now = (await windows.list(options)).find(({ id }) => id === area.windowId);
  if (!now?.blocked) return capture;
  capture[Symbol.dispose]();
  throw noSuchWindow(area.windowId);
}

interface ScreenRequest {
  readonly area: CaptureArea;
  readonly options: CaptureOptions;
  readonly before: readonly GuardedWindow[];
}

/**
 * A blocked window that was first seen after the picture may have moved in between, as a drag icon does: its place in the
 * picture is not known, so the picture is taken again. Where such windows keep coming, nothing is shown.
 */
async function captureScreen(
  screen: Screen,
  windows: BlockedWindows,
  { area, options, before }: ScreenRequest,
): Promise<GuardedCapture> {
  let known = before.filter(isShownBlocked);
  for (let tries = 1; ; tries++) {
    const locate = known.map(({ id }) => id);
    const capture = await screen.capture(area, locate.length > 0 ? { ...options, locate } : options);
    try {
      const after = (await windows.list(options)).filter(isShownBlocked);
      const blocked = [...known, ...after];
      const count = new Set(blocked.filter(({ bounds }) => intersect(bounds, capture.bounds)).map(({ id }) => id)).size;
      const parts = [...blocked.map(({ bounds }) => bounds), ...(capture.located ?? [])];
      if (after.every(({ id }) => locate.includes(id))) return paintOver(capture, parts, count);
      if (tries === mostTries) return { ...paintOver(capture, [capture.bounds], count), isCovered: true };
      known = after;
    } catch (error) {
      capture[Symbol.dispose]();
      throw error;
    }
    capture[Symbol.dispose]();
  }
}

const isShownBlocked = ({ blocked, isVisible, isMinimized }: GuardedWindow): boolean =>
  blocked !== undefined && isVisible && !isMinimized;

function inArea(windows: readonly GuardedWindow[], area: CaptureArea): readonly GuardedWindow[] {
  return windows.filter(({ id, isVisible, isMinimized, bounds }) => {
    if (area.kind === "window") return id === area.windowId;
    if (!isVisible || isMinimized) return false;
    return area.kind !== "region" || intersect(bounds, area.rect) !== undefined;
  });
}

const isOf =
  (area: CaptureArea) =>
  ({ windowId }: SecretField): boolean =>
    area.kind !== "window" || windowId === undefined || windowId === area.windowId;
