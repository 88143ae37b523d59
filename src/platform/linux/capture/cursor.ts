import type { Rect } from "../../../base/geometry.ts";
import type { CursorImage } from "../x11/extensions.ts";

/** Paints the pointer onto BGRX pixels that show `bounds` of the screen. */
export function drawCursor(pixels: Uint8Array, bounds: Rect, cursor: CursorImage): void {
  const left = cursor.x - cursor.hotX - bounds.x;
  const top = cursor.y - cursor.hotY - bounds.y;
  for (let row = Math.max(0, -top); row < cursor.height && top + row < bounds.height; row++) {
    for (let column = Math.max(0, -left); column < cursor.width && left + column < bounds.width; column++) {
      const from = (row * cursor.width + column) * 4;
      const to = ((top + row) * bounds.width + left + column) * 4;
      const opacity = cursor.pixels[from + 3] ?? 0;
      if (opacity === 0) continue;
      // The cursor's colours are already multiplied by its opacity.
      for (let channel = 0; channel < 3; channel++) {
        const below = pixels[to + channel] ?? 0;
        const above = cursor.pixels[from + channel] ?? 0;
        pixels[to + channel] = Math.min(255, above + Math.round((below * (255 - opacity)) / 255));
      }
    }
  }
}
