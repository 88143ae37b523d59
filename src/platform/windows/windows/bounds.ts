import { intersect, type Rect } from "../../../base/geometry.ts";
import { win32, type Handle } from "../win32.ts";

const extendedFrame = 9;
const nearestMonitor = 2;

/** The window with the invisible border by which a mouse can resize it; undefined when it is gone. */
export function outerOf(hwnd: Handle): Rect | undefined {
  const out = Buffer.alloc(16);
  return win32().rectOf(hwnd, out) === 0 ? undefined : toRect(out);
}

/** What a person sees as the window: of a maximised one, not the borders that lie beyond its monitor. */
export function frameOf(hwnd: Handle): Rect | undefined {
  const frame = drawnFrame(hwnd);
  if (!frame || win32().isZoomed(hwnd) === 0) return frame;
  const info = Buffer.alloc(40);
  info.writeUInt32LE(info.length, 0);
  win32().monitorInfo(win32().monitorOf(hwnd, nearestMonitor), info);
  return intersect(frame, toRect(info, 4)) ?? frame;
}

function drawnFrame(hwnd: Handle): Rect | undefined {
  const out = Buffer.alloc(16);
  if (win32().isWindow(hwnd) !== 0 && win32().frameOf(hwnd, extendedFrame, out, 16) === 0) {
    const frame = toRect(out);
    if (frame.width > 0 && frame.height > 0) return frame;
  }
  return outerOf(hwnd);
}

/** RECT: left, top, right, bottom. */
export function toRect(bytes: Buffer, at = 0): Rect {
  const [left, top] = [bytes.readInt32LE(at), bytes.readInt32LE(at + 4)];
  return { x: left, y: top, width: bytes.readInt32LE(at + 8) - left, height: bytes.readInt32LE(at + 12) - top };
}
