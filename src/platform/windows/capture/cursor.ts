import type { Rect } from "../../../base/geometry.ts";
import { win32 } from "../win32.ts";
import type { Canvas } from "./canvas.ts";

const isShowing = 1;
const drawNormal = 3;
const arrow = 32512;

/** Draws the pointer where it is, if it is shown. */
export function drawCursor(canvas: Canvas, bounds: Rect): void {
  const api = win32();
  const info = Buffer.alloc(24);
  info.writeUInt32LE(24, 0);
  if (api.cursorInfo(info) === 0 || (info.readUInt32LE(4) & isShowing) === 0) return;
  const shown = Number(info.readBigUInt64LE(8));
  const icon = Buffer.alloc(32);
  // Under Wine the pointer of another program cannot be read; the arrow stands for it.
  const cursor = [shown, api.loadCursor(0, arrow)].find((each) => each !== 0 && api.iconInfo(each, icon) !== 0);
  if (cursor === undefined) return;
  for (const at of [16, 24]) {
    const bitmap = Number(icon.readBigUInt64LE(at));
    if (bitmap !== 0) api.deleteObject(bitmap);
  }
  const x = info.readInt32LE(16) - icon.readUInt32LE(4) - bounds.x;
  const y = info.readInt32LE(20) - icon.readUInt32LE(8) - bounds.y;
  api.drawIcon(canvas.dc, x, y, cursor, 0, 0, 0, 0, drawNormal);
  api.flush();
}
