import type { ImageRect } from "../base/geometry.ts";
import type { Difference } from "./compare.ts";

/** The box around each group of touching changed tiles, including diagonally, in pixels of the picture. */
export function changedParts({ side, columns, rows, tiles }: Difference): readonly ImageRect[] {
  const seen = new Uint8Array(tiles.length);
  const parts: ImageRect[] = [];
  for (let start = 0; start < tiles.length; start++) {
    if (tiles[start] === 0 || seen[start] === 1) continue;
    seen[start] = 1;
    let [left, top, right, bottom] = [columns, rows, -1, -1];
    const open = [start];
    for (let index = open.pop(); index !== undefined; index = open.pop()) {
      const column = index % columns;
      const row = Math.floor(index / columns);
      left = Math.min(left, column);
      right = Math.max(right, column);
      top = Math.min(top, row);
      bottom = Math.max(bottom, row);
      for (let y = Math.max(0, row - 1); y <= Math.min(rows - 1, row + 1); y++) {
        for (let x = Math.max(0, column - 1); x <= Math.min(columns - 1, column + 1); x++) {
          const next = y * columns + x;
          if (tiles[next] === 0 || seen[next] === 1) continue;
          seen[next] = 1;
          open.push(next);
        }
      }
    }
    parts.push({
      x: left * side,
      y: top * side,
      width: (right - left + 1) * side,
      height: (bottom - top + 1) * side,
    });
  }
  return parts;
}
