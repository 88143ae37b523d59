import { ToolError } from "../../base/errors.ts";
import { contains, imagePoint, screenPoint, showRect, type ScreenPoint } from "../../base/geometry.ts";
import { quote } from "../../base/quote.ts";
import type { WindowInfo } from "../../platform/backend.ts";
import { fromDisplay } from "../display-space.ts";
import type { Surface } from "../surface.ts";
import type { PointTarget } from "../target.ts";
import { insideImage, insideScreen, remap, screenFromOrigin, toScreen, type View } from "../view.ts";

/** A point to act on, resolved from a target. */
export interface Aim {
  readonly point: ScreenPoint;
  readonly form: PointTarget["form"] | "element" | "region" | "text in the picture";
  /** The window the caller named; input must go to it alone. */
  readonly window?: WindowInfo;
  /** The display that the caller named. */
  readonly displayId?: number | undefined;
  /** Set when the window has moved since the picture that the pixel refers to. */
  readonly moved?: { readonly x: number; readonly y: number };
}

/** The screen point that a target names, in any of its forms. */
export async function aim(surface: Surface, target: PointTarget, signal: AbortSignal): Promise<Aim> {
  const clamp = "clamp" in target && target.clamp === true;
  if (isBare(surface, target)) await needWholeScreen(surface, signal);
  switch (target.form) {
    case "display point": {
      const { x, y } = target.point;
      if (target.displayId === undefined || target.displayId === 0)
        return { form: "screen point", point: screenPoint(x, y) };
      const point = await fromDisplay(surface, target.point, target.displayId, signal);
      return { form: "screen point", point, displayId: target.displayId };
    }
    case "screen point": {
      const point = screenPoint(target.point.x, target.point.y);
      return { form: target.form, point: insideScreen(await surface.screenBounds(signal), point, clamp) };
    }
    case "placed pixel": {
      const origin = screenPoint(target.origin.x, target.origin.y);
      const point = screenFromOrigin(origin, target.scale, imagePoint(target.pixel.x, target.pixel.y));
      return { form: target.form, point: insideScreen(await surface.screenBounds(signal), point, clamp) };
    }
    case "window point": {
      const window = await surface.needWindow(target.windowId, signal);
      const view: View = { bounds: window.bounds, image: window.bounds };
      const inside = insideImage(view, imagePoint(target.point.x, target.point.y), clamp, `window ${window.id}`);
      const at = screenPoint(window.bounds.x + inside.x, window.bounds.y + inside.y);
      return onWindow(surface, window, at, target.form, signal);
    }
    case "window pixel": {
      const window = await surface.needWindow(target.windowId, signal);
      const frame = surface.frames.latestOfWindow(window.id);
      // Without a screenshot, pixels of a window are its screen units.
      const { view, moved } = frame
        ? remap(frame, window.bounds)
        : { view: { bounds: window.bounds, image: window.bounds }, moved: undefined };
      const what = frame ? `screenshot ${frame.id} of window ${window.id}` : `window ${window.id}`;
      const pixel = insideImage(view, imagePoint(target.pixel.x, target.pixel.y), clamp, what);
      return {
        ...(await onWindow(surface, window, toScreen(view, pixel), target.form, signal)),
        ...(moved ? { moved } : {}),
      };
    }
    case "frame pixel": {
      const frame = surface.frames.get(target.frameId);
      const wanted = imagePoint(target.pixel.x, target.pixel.y);
      if (frame.source.kind !== "window") {
        const pixel = insideImage(frame, wanted, clamp, `screenshot ${frame.id}`);
        return {
          form: target.form,
          point: insideScreen(await surface.screenBounds(signal), toScreen(frame, pixel), clamp),
          ...(frame.source.kind === "display" ? { displayId: frame.source.displayId } : {}),
        };
      }
      const window = await surface.needWindow(frame.source.windowId, signal);
      const { view, moved } = remap(frame, window.bounds);
      const pixel = insideImage(view, wanted, clamp, `screenshot ${frame.id}`);
      return {
        ...(await onWindow(surface, window, toScreen(view, pixel), target.form, signal)),
        ...(moved ? { moved } : {}),
      };
    }
  }
}

/** A point of the screen, whatever is there. */
const isBare = (surface: Surface, target: PointTarget): boolean =>
  target.form === "frame pixel"
    ? surface.frames.get(target.frameId).source.kind !== "window"
    : target.form !== "window point" && target.form !== "window pixel";

/** Where only some of the windows are known, another one may be at the point. */
async function needWholeScreen(surface: Surface, signal: AbortSignal): Promise<void> {
  const reason = await surface.backend.screen?.partial?.({ signal });
  if (reason === undefined) return;
  throw new ToolError("not_supported", `Nobody knows what is at this point of the screen. ${reason}`, {
    hint: 'Name an X11 window (window_id) with the point, or an element in one; "--desktop virtual" has no such limits.',
  });
}

/** Checks that the point can be reached: inside the window, on the screen, and the window can receive input. */
async function onWindow(
  surface: Surface,
  window: WindowInfo,
  point: ScreenPoint,
  form: PointTarget["form"],
  signal: AbortSignal,
): Promise<Aim> {
  if (window.isMinimized || !window.isVisible) {
    throw new ToolError("not_dispatchable", `Window ${window.id} ${quote(window.title)} is minimised or hidden.`, {
      hint: 'Bring it back with focus_window or set_window {action: "restore"}.',
    });
  }
  if (window.bounds.width < 1 || window.bounds.height < 1 || !contains(window.bounds, point)) {
    throw new ToolError(
      "out_of_bounds",
      `Point ${point.x},${point.y} is outside window ${window.id} (${showRect(window.bounds)}).`,
    );
  }
  const screen = await surface.screenBounds(signal);
  if (!contains(screen, point)) {
    throw new ToolError(
      "out_of_bounds",
      `Point ${point.x},${point.y} of window ${window.id} is off the screen (${showRect(screen)}).`,
      {
        hint: 'Move the window onto the screen with set_window {action: "move"} first.',
      },
    );
  }
  return { form, point, window };
}
