import { throwIfCancelled } from "../../base/async.ts";
import { ToolError } from "../../base/errors.ts";
import { intersect, showRect, type Rect } from "../../base/geometry.ts";
import type { CallOptions, Capture, CaptureArea, CaptureOptions, Display, Screen } from "../backend.ts";
import { drawCursor } from "./capture/cursor.ts";
import { listMonitors, screenBounds } from "./capture/monitors.ts";
import { captureScreen, captureWindow, type Picture } from "./capture/window-picture.ts";
import { frameOf } from "./windows/bounds.ts";

/** Runs a capture while nothing of handsight's own is drawn on the screen. */
export type WithoutOverlay = <T>(work: () => Promise<T>) => Promise<T>;

export class GdiScreen implements Screen {
  readonly units = "screen pixels";
  readonly #withoutOverlay: WithoutOverlay;

  constructor(withoutOverlay: WithoutOverlay) {
    this.#withoutOverlay = withoutOverlay;
  }

  async displays({ signal }: CallOptions = {}): Promise<readonly Display[]> {
    throwIfCancelled(signal);
    return listMonitors().map(({ display }) => display);
  }

  async bounds({ signal }: CallOptions = {}): Promise<Rect> {
    throwIfCancelled(signal);
    return screenBounds();
  }

  async capture(area: CaptureArea, options: CaptureOptions = {}): Promise<Capture> {
    const { signal, includeCursor = false, locate = [] } = options;
    throwIfCancelled(signal);
    return this.#withoutOverlay(async () => {
      throwIfCancelled(signal);
      const { canvas, bounds } = captureArea(area);
      if (includeCursor) drawCursor(canvas, bounds);
      const { data, width, height } = canvas;
      return {
        pixels: { data, width, height, stride: width * 4, format: "bgrx" as const },
        bounds,
        // Taken in the same breath: no other program ran on this thread in between, and windows move in steps.
        ...(locate.length > 0 ? { located: locate.map(frameOf).filter((rect) => rect !== undefined) } : {}),
        [Symbol.dispose]: () => canvas[Symbol.dispose](),
      };
    });
  }
}

function captureArea(area: CaptureArea): Picture {
  switch (area.kind) {
    case "window":
      return captureWindow(area.windowId);
    case "screen":
      return captureScreen(screenBounds());
    case "region":
      return captureScreen(clip(area.rect, "The region"));
    case "display": {
      const monitors = listMonitors();
      const found = monitors.find(({ display }) => display.id === area.displayId);
      if (found) return captureScreen(clip(found.display.bounds, `Display ${area.displayId}`));
      throw new ToolError("not_found", `There is no monitor ${area.displayId}.`, {
        candidates: monitors.map(({ display }) => `${display.id} (${display.name}, ${showRect(display.bounds)})`),
      });
    }
  }
}

/** Rounded outwards to whole pixels. */
function clip(rect: Rect, what: string): Rect {
  const x = Math.floor(rect.x);
  const y = Math.floor(rect.y);
  const width = Math.ceil(rect.x + rect.width) - x;
  const height = Math.ceil(rect.y + rect.height) - y;
  const screen = screenBounds();
  const shown = intersect({ x, y, width, height }, screen);
  if (shown) return shown;
  throw new ToolError("out_of_bounds", `${what} (${showRect(rect)}) is outside the screen (${showRect(screen)}).`, {
    hint: "Ask for a part of the screen, or for the window itself.",
  });
}
