import type { Size } from "./geometry.ts";

/** X11 coordinates are signed 16-bit, so no screen can be wider. */
const longestSide = 32_767;
// Eight monitors of 3840×2160, or one of 8192×8192: the X server takes 256 MB for them, a picture as much again and a
// screenshot three times that. Four times as many pixels would need gigabytes, and copying them would fail.
const mostPixels = 8_192 * 8_192;

/** Why a private desktop cannot have monitors of this size side by side; undefined when it can. */
export function tooLargeFor({ width, height }: Size, monitors: number): string | undefined {
  const all = `${monitors} of ${width}×${height}`;
  if (width * monitors > longestSide || height > longestSide)
    return `${all}: no side may be longer than ${longestSide}`;
  if (width * monitors * height <= mostPixels) return undefined;
  return `${all}: together they may have at most ${mostPixels} pixels, such as 8192×8192 or eight of 3840×2160`;
}
