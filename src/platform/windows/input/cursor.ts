import { screenPoint, type ScreenPoint } from "../../../base/geometry.ts";
import { win32, type Handle } from "../win32.ts";

export function cursorAt(): ScreenPoint {
  const out = Buffer.alloc(8);
  win32().cursorAt(out);
  return screenPoint(out.readInt32LE(0), out.readInt32LE(4));
}

/** What gets the input at a point: the innermost control that does not let it through. */
export function windowAt({ x, y }: ScreenPoint): Handle {
  // A POINT that is passed by value.
  return win32().windowAt((BigInt(Math.floor(y)) << 32n) | (BigInt(Math.floor(x)) & 0xffffffffn));
}
