import { ToolError } from "../base/errors.ts";
import {
  contains,
  imagePoint,
  screenPoint,
  showRect,
  type ImagePoint,
  type ScreenPoint,
  type WindowPoint,
} from "../base/geometry.ts";
import type { WindowInfo } from "../platform/backend.ts";
import type { Surface } from "./surface.ts";
import { insideImage, insideScreen, remap, screenFromOrigin, toScreen, type View } from "./view.ts";

/** Where to act, in the words of the caller. Exactly one form. */
export type Target =
  | { readonly form: "screen point"; readonly point: ScreenPoint }
  | { readonly form: "window pixel"; readonly windowId: number; readonly pixel: ImagePoint }
  | { readonly form: "window point"; readonly windowId: number; readonly point: WindowPoint }
  | { readonly form: "frame pixel"; readonly frameId: string; readonly pixel: ImagePoint }
  | { readonly form: "placed pixel"; readonly origin: ScreenPoint; readonly scale: number; readonly pixel: ImagePoint };

/** Where to act, found. */
export interface Aim {
  readonly point: ScreenPoint;
  readonly form: Target["form"] | "element" | "region" | "text in the picture";
  /** The window the caller named; input goes to it alone. */
  readonly window?: WindowInfo;
  /** Set when the window has moved since the picture the pixel was read from. */
  readonly moved?: { readonly x: number; readonly y: number };
}

export interface AimOptions {
  readonly clamp: boolean;
  readonly signal: AbortSignal;
}

export async function aim(surface: Surface, target: Target, { clamp, signal }: AimOptions): Promise<Aim> {
  switch (target.form) {
    case "screen point":
      return { form: target.form, point: insideScreen(await surface.screenBounds(signal), target.point, clamp) };
    case "placed pixel": {
      const point = screenFromOrigin(target.origin, target.scale, target.pixel);
      return { form: target.form, point: insideScreen(await surface.screenBounds(signal), point, clamp) };
    }
    case "window point": {
      const window = await surface.needWindow(target.windowId, signal);
      const view: View = { bounds: window.bounds, image: window.bounds };
      const inside = insideImage(view, imagePoint(target.point.x, target.point.y), clamp, `window ${window.id}`);
      return onWindow(
        surface,
        window,
        screenPoint(window.bounds.x + inside.x, window.bounds.y + inside.y),
        target.form,
        signal,
      );
    }
    case "window pixel": {
      const window = await surface.needWindow(target.windowId, signal);
      const frame = surface.frames.latestOfWindow(window.id);
      // Without a screenshot of it, a window's pixels are its screen units.
      const { view, moved } = frame
        ? remap(frame, window.bounds)
        : { view: { bounds: window.bounds, image: window.bounds }, moved: undefined };
      const what = frame ? `screenshot ${frame.id} of window ${window.id}` : `window ${window.id}`;
      const pixel = insideImage(view, target.pixel, clamp, what);
      return {
        ...(await onWindow(surface, window, toScreen(view, pixel), target.form, signal)),
        ...(moved ? { moved } : {}),
      };
    }
    case "frame pixel": {
      const frame = surface.frames.get(target.frameId);
      if (frame.source.kind !== "window") {
        const pixel = insideImage(frame, target.pixel, clamp, `screenshot ${frame.id}`);
        return {
          form: target.form,
          point: insideScreen(await surface.screenBounds(signal), toScreen(frame, pixel), clamp),
        };
      }
      const window = await surface.needWindow(frame.source.windowId, signal);
      const { view, moved } = remap(frame, window.bounds);
      const pixel = insideImage(view, target.pixel, clamp, `screenshot ${frame.id}`);
      return {
        ...(await onWindow(surface, window, toScreen(view, pixel), target.form, signal)),
        ...(moved ? { moved } : {}),
      };
    }
  }
}

/** Checks that the point can be reached: on the window, on the screen, and the window there to receive it. */
async function onWindow(
  surface: Surface,
  window: WindowInfo,
  point: ScreenPoint,
  form: Target["form"],
  signal: AbortSignal,
): Promise<Aim> {
  if (window.isMinimized || !window.isVisible) {
    throw new ToolError("not_dispatchable", `Window ${window.id} "${window.title}" is minimised or hidden.`, {
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
