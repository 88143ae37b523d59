import { ToolError } from "../../../base/errors.ts";
import { intersect, type Rect } from "../../../base/geometry.ts";
import { wineVersion } from "../../native/wine.ts";
import { win32, type Handle } from "../win32.ts";
import { frameOf, outerOf } from "../windows/bounds.ts";
import { windowGone } from "../windows/change.ts";
import { listWindows } from "../windows/list.ts";
import { takeCanvas, type Canvas } from "./canvas.ts";
import { screenBounds } from "./monitors.ts";

const renderFullContent = 2;
const copy = 0x00cc0020;
const withLayered = 0x40000000;

export interface Picture {
  readonly canvas: Canvas;
  readonly bounds: Rect;
}

/** What the screen shows in this rectangle. */
export function captureScreen(bounds: Rect): Picture {
  const api = win32();
  const canvas = takeCanvas(bounds);
  const screen = api.getDc(0);
  const isDone =
    screen !== 0 &&
    api.bitBlt(canvas.dc, 0, 0, bounds.width, bounds.height, screen, bounds.x, bounds.y, copy | withLayered) !== 0;
  if (screen !== 0) api.releaseDc(0, screen);
  api.flush();
  if (isDone) return { canvas, bounds };
  canvas[Symbol.dispose]();
  throw new ToolError("not_connected", "Windows refused to capture the screen.", {
    hint: "The session is locked, disconnected or asking for permission; unlock it and try again.",
  });
}

/**
 * The window alone, as it draws itself, also while others cover it. Some windows draw nothing when asked to, and under Wine none
 * of another program does; then it is cut out of the screen, if nothing covers it there.
 */
export function captureWindow(id: Handle): Picture {
  const api = win32();
  const [frame, outer] = [frameOf(id), outerOf(id)];
  if (!frame || !outer || !api.isWindow(id)) throw windowGone(id);
  if (api.isIconic(id) !== 0) {
    throw new ToolError("not_supported", `Window ${id} is minimised, so there is nothing to see.`, {
      hint: "Restore it first.",
    });
  }
  if (api.isVisible(id) === 0) {
    throw new ToolError("not_supported", `Window ${id} is hidden, so there is nothing to see.`, {
      hint: "Ask its app to show it.",
    });
  }
  const drawn = printWindow(id, outer, frame);
  if (drawn && !isFlat(drawn.canvas.data)) return drawn;
  const shown = intersect(frame, screenBounds());
  const cover = shown && listWindows().find((other) => other.id === id || covers(other, shown));
  if (shown && (cover === undefined || cover.id === id)) {
    drawn?.canvas[Symbol.dispose]();
    return captureScreen(shown);
  }
  // Real Windows draws what a window has; one colour is then what it looks like.
  if (drawn && wineVersion() === undefined) return drawn;
  drawn?.canvas[Symbol.dispose]();
  throw new ToolError("not_supported", `Window ${id} is covered and does not draw itself for others.`, {
    hint: "Bring it to the front with focus_window, then capture it.",
  });
}

const covers = (
  other: { readonly bounds: Rect; readonly isVisible: boolean; readonly isMinimized: boolean },
  shown: Rect,
): boolean => other.isVisible && !other.isMinimized && intersect(other.bounds, shown) !== undefined;

function printWindow(id: Handle, outer: Rect, frame: Rect): Picture | undefined {
  const api = win32();
  const whole = takeCanvas(outer);
  try {
    whole.data.fill(0);
    if (api.printWindow(id, whole.dc, renderFullContent) === 0) return undefined;
    const canvas = takeCanvas(frame);
    const [x, y] = [frame.x - outer.x, frame.y - outer.y];
    api.bitBlt(canvas.dc, 0, 0, frame.width, frame.height, whole.dc, x, y, copy);
    api.flush();
    return { canvas, bounds: frame };
  } finally {
    whole[Symbol.dispose]();
  }
}

function isFlat(data: Uint8Array): boolean {
  const pixels = new Uint32Array(data.buffer, data.byteOffset, data.byteLength >> 2);
  const first = (pixels[0] ?? 0) & 0xffffff;
  return pixels.every((pixel) => (pixel & 0xffffff) === first);
}
