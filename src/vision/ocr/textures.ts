import { intersect, union, type ImageRect } from "../../base/geometry.ts";
import { cellSide, type Edges } from "./edges.ts";
import { explore, type Island } from "./islands.ts";

// Measured on rendered screens: the densest text leaves 0.4 of a square flat, photographs and textures less than
// 0.15.
const flatShare = 0.28;
// Anything smaller is an icon or an avatar.
const fewestCells = 6;

/** Rectangles so busy that edges cannot separate letters from their background: photographs, textures. */
export function findTextures(map: Edges): ImageRect[] {
  const columns = Math.floor(map.width / cellSide);
  const rows = Math.floor(map.height / cellSide);
  const isBusy = new Uint8Array(columns * rows);
  const sums = new Uint16Array(columns);
  for (let row = 0; row < rows; row++) {
    sums.fill(0);
    for (let y = row * cellSide; y < (row + 1) * cellSide; y++) {
      const from = y * map.cellColumns;
      for (let column = 0; column < columns; column++)
        sums[column] = (sums[column] as number) + (map.flats[from + column] as number);
    }
    for (let column = 0; column < columns; column++)
      if ((sums[column] as number) < flatShare * cellSide * cellSide) isBusy[row * columns + column] = 1;
  }
  const found: ImageRect[] = [];
  for (let at = 0; at < isBusy.length; at++) {
    if (isBusy[at] === 0) continue;
    const area = explore(at, columns, isBusy.length, (cell) => {
      const isNew = isBusy[cell] === 1;
      isBusy[cell] = 0;
      return isNew;
    });
    if (area.squares >= fewestCells) found.push(toPixels(area, map));
  }
  return joined(found);
}

/** A photograph extends to the edge of the picture, where no whole square fits. */
function toPixels({ left, top, right, bottom }: Island, map: Edges): ImageRect {
  const reach = (end: number, size: number) => (size - end * cellSide < cellSide ? size : end * cellSide);
  const x = left * cellSide;
  const y = top * cellSide;
  return { x, y, width: reach(right, map.width) - x, height: reach(bottom, map.height) - y };
}

function joined(rects: readonly ImageRect[]): ImageRect[] {
  const apart: ImageRect[] = [];
  for (const rect of rects) {
    let whole = rect;
    for (let other = apart.findIndex((one) => intersect(one, whole)); other >= 0;) {
      whole = union([whole, apart.splice(other, 1)[0] ?? whole]) ?? whole;
      other = apart.findIndex((one) => intersect(one, whole));
    }
    apart.push(whole);
  }
  return apart;
}
