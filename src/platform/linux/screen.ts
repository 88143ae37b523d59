import { ToolError } from "../../base/errors.ts";
import { intersect, showRect, type Rect } from "../../base/geometry.ts";
import type { CallOptions, Capture, CaptureArea, CaptureOptions, Display, Screen } from "../backend.ts";
import { drawCursor } from "./capture/cursor.ts";
import type { XDisplay } from "./display.ts";
import { getRootBounds, listDisplays } from "./capture/monitors.ts";
import { captureBelow } from "./overlay/capture-below.ts";
import { knownOverlays } from "./overlay/known-overlays.ts";
import { screenCache } from "./capture/screen-cache.ts";
import { standingStill } from "./capture/standing-still.ts";
import { shmPool, type Grab } from "./capture/transfer.ts";
import { needBgrx } from "./capture/pixel-layout.ts";
import { captureWindow, type Picture } from "./capture/window-picture.ts";
import { needX11Screen, onlyX11 } from "./wayland.ts";
import type { Connection, RequestOptions } from "./x11/connection.ts";
import { XError } from "./x11/errors.ts";
import { getCursorImage } from "./x11/extensions.ts";

export class XScreen implements Screen {
  readonly units = "screen pixels";
  readonly #display: XDisplay;
  readonly #hidesOverlays: boolean;

  /** Without `hidesOverlays` what handsight draws on the screen is in its captures, as the leak probe must notice. */
  constructor(display: XDisplay, { hidesOverlays = true } = {}) {
    this.#display = display;
    this.#hidesOverlays = hidesOverlays;
  }

  async displays(options: CallOptions = {}): Promise<readonly Display[]> {
    return listDisplays(await this.#display.connect(options), options);
  }

  async partial(options: CallOptions = {}): Promise<string | undefined> {
    return (await this.#display.isPartial(options)) ? onlyX11 : undefined;
  }

  async bounds(options: CallOptions = {}): Promise<Rect> {
    return getRootBounds(await this.#display.connect(options), options);
  }

  async capture(area: CaptureArea, options: CaptureOptions = {}): Promise<Capture> {
    const { signal, includeCursor = false, locate = [] } = options;
    const c = await this.#display.connect({ signal });
    if (area.kind !== "window") {
      needX11Screen(await this.#display.isPartial({ signal }), "The screen cannot be captured.");
    }
    if (locate.length > 0) {
      const { located, value } = await standingStill(c, locate, { signal }, () =>
        this.capture(area, { signal, includeCursor }),
      );
      return { ...value, located };
    }
    const cursor = includeCursor ? getCursorImage(c, { signal }) : undefined;
    // If both fail, the caller needs the error of the capture, not this one.
    cursor?.catch(() => {});
    const request = { area, signal, isDrawnOn: includeCursor, hidesOverlays: this.#hidesOverlays };
    const { grab, bounds } = await captureArea(c, request).catch((error: unknown) => {
      // The screen became smaller between the two requests, for its size and for its pixels.
      if (error instanceof XError && error.codeName === "BadMatch") return captureArea(c, request);
      throw error;
    });
    try {
      if (cursor) drawCursor(grab.data, bounds, await cursor);
    } catch (error) {
      grab[Symbol.dispose]();
      throw error;
    }
    return toCapture(grab, bounds);
  }
}

type ScreenArea = Exclude<CaptureArea, { kind: "window" }>;

interface Request {
  readonly area: CaptureArea;
  readonly signal: AbortSignal | undefined;
  /** The pixels will be modified, so they must not come from the cache. */
  readonly isDrawnOn: boolean;
  readonly hidesOverlays: boolean;
}

async function captureArea(c: Connection, request: Request): Promise<Picture> {
  const { area, signal, hidesOverlays } = request;
  if (area.kind === "window") return captureWindow(c, area.windowId, signal);
  needBgrx(c, c.setup.rootDepth);
  const options = { signal, timeoutMs: 10_000 };
  const overlays = await knownOverlays(c);
  const { version } = overlays;
  if (overlays.windows.size === 0 || !hidesOverlays) {
    const picture = await captureShown(c, { ...request, area }, options);
    if (overlays.version === version || !hidesOverlays) return picture;
    // An overlay appeared meanwhile and may be in it.
    picture.grab[Symbol.dispose]();
  }
  const root = await getRootBounds(c, { signal });
  const rect = area.kind === "screen" ? root : await findRect(c, area, root, signal);
  return captureBelow(c, rect, overlays.windows, options);
}

/** What the screen shows, with everything on it. */
async function captureShown(
  c: Connection,
  { area, signal, isDrawnOn }: Request & { readonly area: ScreenArea },
  options: RequestOptions,
): Promise<Picture> {
  if (area.kind === "screen") {
    const cache = isDrawnOn ? undefined : await screenCache(c);
    return (await cache?.capture(options)) ?? captureRoot(c, options);
  }
  const bounds = await findRect(c, area, await getRootBounds(c, { signal }), signal);
  const pool = await shmPool(c);
  return { grab: await pool.grab(c.root, bounds, options), bounds };
}

const lastRoots = new WeakMap<Connection, Rect>();

/**
 * Requests the size and the picture together, assuming the previous size: waiting for the size first would take a
 * seventh of the total time. If the screen has changed since, it is captured again.
 */
async function captureRoot(c: Connection, options: RequestOptions): Promise<Picture> {
  const pool = await shmPool(c);
  const { width, height } = lastRoots.get(c) ?? c.setup;
  const asking = getRootBounds(c, options);
  const guessing = pool.grab(c.root, { x: 0, y: 0, width, height }, options);
  const [asked, guessed] = await Promise.allSettled([asking, guessing]);
  if (asked.status === "fulfilled" && guessed.status === "fulfilled") {
    const bounds = asked.value;
    if (bounds.width === width && bounds.height === height) return { grab: guessed.value, bounds };
  }
  if (guessed.status === "fulfilled") guessed.value[Symbol.dispose]();
  const bounds = await asking;
  // A smaller screen refuses the picture; any other failure would just happen again.
  if (guessed.status === "rejected" && !(guessed.reason instanceof XError)) throw guessed.reason;
  lastRoots.set(c, bounds);
  return { grab: await pool.grab(c.root, bounds, options), bounds };
}

async function findRect(
  c: Connection,
  area: Exclude<ScreenArea, { kind: "screen" }>,
  root: Rect,
  signal: AbortSignal | undefined,
): Promise<Rect> {
  switch (area.kind) {
    case "region":
      return clip(area.rect, root, "The region");
    case "display": {
      const displays = await listDisplays(c, { signal });
      const found = displays.find(({ id }) => id === area.displayId);
      if (!found) throw noSuchDisplay(c, area.displayId, displays);
      return clip(found.bounds, root, `Display ${area.displayId}`);
    }
  }
}

/** Rounded outwards to whole pixels. */
function clip(rect: Rect, root: Rect, what: string): Rect {
  const x = Math.floor(rect.x);
  const y = Math.floor(rect.y);
  const width = Math.ceil(rect.x + rect.width) - x;
  const height = Math.ceil(rect.y + rect.height) - y;
  const shown = intersect({ x, y, width, height }, root);
  if (shown) return shown;
  throw new ToolError("out_of_bounds", `${what} (${showRect(rect)}) is outside the screen (${showRect(root)}).`, {
    hint: "Ask for a part of the screen, or for the window itself.",
  });
}

function noSuchDisplay(c: Connection, id: number, displays: readonly Display[]): ToolError {
  return new ToolError("not_found", `Display ${c.displayName} has no monitor ${id}.`, {
    candidates: displays.map((display) => `${display.id} (${display.name}, ${showRect(display.bounds)})`),
  });
}

function toCapture(grab: Grab, bounds: Rect): Capture {
  const { width, height } = bounds;
  return {
    pixels: { data: grab.data, width, height, stride: width * 4, format: "bgrx" },
    bounds,
    [Symbol.dispose]: () => grab[Symbol.dispose](),
  };
}
