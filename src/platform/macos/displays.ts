import { union, type Rect } from "../../base/geometry.ts";
import type { Display } from "../backend.ts";
import type { CGRect } from "./bindings/structs.ts";
import type { Mac } from "./mac.ts";

const mostDisplays = 16;

export const toRect = ({ origin, size }: CGRect): Rect => ({ ...origin, ...size });
export const toCGRect = ({ x, y, width, height }: Rect): CGRect => ({ origin: { x, y }, size: { width, height } });

/** In points; displays left of or above the main one have negative origins. */
export function listDisplays(mac: Mac): readonly Display[] {
  const { native } = mac;
  const [ids, count] = [new Uint32Array(mostDisplays), new Uint32Array(1)];
  native.CGGetActiveDisplayList(mostDisplays, ids, count);
  const main = native.CGMainDisplayID();
  return [...ids.subarray(0, count[0])].map((id) => ({
    id,
    name: `display ${id}`,
    bounds: toRect(native.CGDisplayBounds(id)),
    isPrimary: id === main,
    scale: scaleOf(mac, id),
  }));
}

function scaleOf({ native }: Mac, id: number): number {
  const mode = native.CGDisplayCopyDisplayMode(id);
  if (mode === null) return 1;
  try {
    return native.CGDisplayModeGetPixelWidth(mode) / native.CGDisplayModeGetWidth(mode);
  } finally {
    native.CGDisplayModeRelease(mode);
  }
}

export function screenBounds(mac: Mac): Rect {
  return union(listDisplays(mac).map(({ bounds }) => bounds)) ?? { x: 0, y: 0, width: 0, height: 0 };
}
