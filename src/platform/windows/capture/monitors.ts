import type { Rect } from "../../../base/geometry.ts";
import type { Display } from "../../backend.ts";
import { win32, type Handle } from "../win32.ts";
import { toRect } from "../windows/bounds.ts";

/** A 100 % scale. */
const plainDpi = 96;
const virtualScreen = { x: 76, y: 77, width: 78, height: 79 } as const;
const infoSize = 104;
const isPrimaryFlag = 1;

export interface Monitor {
  readonly handle: Handle;
  readonly display: Display;
}

/** In the order of Windows, which is stable while no monitor is plugged in or out. */
export function listMonitors(): readonly Monitor[] {
  const api = win32();
  const handles: Handle[] = [];
  api.enumMonitors(0, null, (monitor) => handles.push(monitor), 0);
  return handles.flatMap((handle, id) => {
    const info = Buffer.alloc(infoSize);
    info.writeUInt32LE(infoSize, 0);
    if (api.monitorInfo(handle, info) === 0) return [];
    const name = info.toString("utf16le", 40, infoSize).replace(/\0.*$/s, "");
    const display = {
      id,
      name: name.replace(/^\\\\\.\\/, ""),
      bounds: toRect(info, 4),
      isPrimary: (info.readUInt32LE(36) & isPrimaryFlag) !== 0,
      scale: dpiOf(handle) / plainDpi,
    };
    return [{ handle, display }];
  });
}

function dpiOf(monitor: Handle): number {
  const [x, y] = [Buffer.alloc(4), Buffer.alloc(4)];
  const failed = win32().monitorDpi?.(monitor, 0, x, y) ?? 1;
  return failed === 0 ? x.readUInt32LE() : plainDpi;
}

/** All monitors; what is left of or above the primary one has negative coordinates. */
export function screenBounds(): Rect {
  const api = win32();
  const { x, y, width, height } = virtualScreen;
  return { x: api.metric(x), y: api.metric(y), width: api.metric(width), height: api.metric(height) };
}
