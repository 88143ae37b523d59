import type { Size } from "../base/geometry.ts";
import { digitHeight, digitRows, digitWidth } from "./digits.ts";
import type { Rgba } from "./find-image/needle.ts";

/** Red, green, blue. */
export type Colour = readonly [red: number, green: number, blue: number];

const border = 1;
const padding = 2;
const white: Colour = [255, 255, 255];

/** How large a number is when it is drawn. */
export const chipSize = (number: number, scale: number): Size => ({
  width: Math.round((String(number).length * (digitWidth + 1) - 1 + 2 * (padding + border)) * scale),
  height: Math.round((digitHeight + 2 * (padding + border)) * scale),
});

/** A number in white on a colour, with a white edge, so that it can be read on anything. */
export function drawChip(number: number, colour: Colour, scale: number): Rgba {
  const { width: columns, height: rows } = chipSize(number, 1);
  const digits = [...String(number)].map((digit) => digitRows[Number(digit)] ?? []);
  const isDigit = (x: number, y: number): boolean => {
    const [column, row] = [x - border - padding, y - border - padding];
    const bits = digits[Math.floor(column / (digitWidth + 1))]?.[row] ?? 0;
    const bit = column % (digitWidth + 1);
    return column >= 0 && bit < digitWidth && ((bits >> (digitWidth - 1 - bit)) & 1) === 1;
  };
  const isWhite = (x: number, y: number): boolean =>
    x < border || y < border || x >= columns - border || y >= rows - border || isDigit(x, y);
  return scaled({ width: columns, height: rows }, chipSize(number, scale), (x, y) => (isWhite(x, y) ? white : colour));
}

/** A picture of whole squares at another size; a pixel that several squares share gets the mean of their colours. */
function scaled(from: Size, to: Size, colourAt: (x: number, y: number) => Colour): Rgba {
  const [columns, rows] = [shares(from.width, to.width), shares(from.height, to.height)];
  const data = new Uint8Array(to.width * to.height * 4);
  for (const [y, row] of rows.entries()) {
    for (const [x, column] of columns.entries()) {
      const sum = [0, 0, 0];
      for (const vertical of row) {
        for (const horizontal of column) {
          const colour = colourAt(horizontal.of, vertical.of);
          const share = vertical.share * horizontal.share;
          for (let channel = 0; channel < 3; channel++) {
            sum[channel] = (sum[channel] ?? 0) + share * (colour[channel] ?? 0);
          }
        }
      }
      data.set([...sum.map((value) => Math.round(value)), 255], (y * to.width + x) * 4);
    }
  }
  return { data, ...to };
}

interface Share {
  readonly of: number;
  readonly share: number;
}

/** Which squares each pixel shows, and how much of each. */
function shares(squares: number, pixels: number): readonly (readonly Share[])[] {
  const side = squares / pixels;
  return Array.from({ length: pixels }, (_, pixel) => {
    const [start, end] = [pixel * side, (pixel + 1) * side];
    const found: Share[] = [];
    for (let of = Math.floor(start); of < Math.min(squares, Math.ceil(end)); of++) {
      found.push({ of, share: (Math.min(end, of + 1) - Math.max(start, of)) / side });
    }
    return found;
  });
}
