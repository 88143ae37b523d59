import type { Pixels } from "../base/frame.ts";
import type { ImageRect, Size } from "../base/geometry.ts";
import { digitHeight, digitRows, digitWidth } from "./digits.ts";
import { placeLabels } from "./labels.ts";

/** A number to draw beside a rectangle; both in pixels of the picture. */
export interface Mark {
  readonly number: number;
  readonly rect: ImageRect;
}

export interface MarkOptions {
  /** 2 for a picture that will be seen at half its size. */
  readonly scale?: number;
  /** Other parts that labels should not cover, such as text. */
  readonly avoid?: readonly ImageRect[];
}

/** How large to draw in a picture that will be shrunk to this longest side. */
export const scaleToBeRead = ({ width, height }: Size, maxSide = Infinity): number =>
  Math.max(1, Math.ceil(Math.max(width, height) / maxSide - 0.5));

type Colour = readonly [red: number, green: number, blue: number];

// Dark enough for white digits, and different enough that neighbours can be distinguished.
const colours: readonly Colour[] = [
  [211, 33, 45],
  [0, 92, 197],
  [0, 117, 60],
  [140, 40, 160],
  [176, 82, 0],
  [0, 109, 119],
];
const white: Colour = [255, 255, 255];

/** Draws the marks directly into the pixels; pass a copy. Returns where each label was put. */
export function drawMarks(
  pixels: Pixels,
  marks: readonly Mark[],
  { scale = 1, avoid = [] }: MarkOptions = {},
): readonly ImageRect[] {
  const canvas = new Canvas(pixels);
  const labels = placeLabels(
    marks.map(({ rect, number }) => ({ rect, size: labelSize(number, scale) })),
    { within: { x: 0, y: 0, width: pixels.width, height: pixels.height }, avoid },
  );
  for (const [index, { rect }] of marks.entries()) canvas.outline(rect, scale, colourOf(index));
  for (const [index, { number }] of marks.entries()) {
    const label = labels[index];
    if (label) canvas.label(label, number, scale, colourOf(index));
  }
  return labels;
}

const colourOf = (index: number): Colour => colours[index % colours.length] ?? white;

const padding = 2;

const labelSize = (number: number, scale: number): Size => ({
  width: (String(number).length * (digitWidth + 1) - 1 + 2 * padding) * scale,
  height: (digitHeight + 2 * padding) * scale,
});

class Canvas {
  readonly #pixels: Pixels;
  readonly #step: number;

  constructor(pixels: Pixels) {
    this.#pixels = pixels;
    this.#step = pixels.format === "bgrx" ? 4 : 3;
  }

  /** Around the rectangle, not over it: often only its edge shows that a button is pressed. */
  outline({ x, y, width, height }: ImageRect, thickness: number, colour: Colour): void {
    const t = thickness;
    this.paint({ x: x - t, y: y - t, width: width + 2 * t, height: t }, colour);
    this.paint({ x: x - t, y: y + height, width: width + 2 * t, height: t }, colour);
    this.paint({ x: x - t, y, width: t, height }, colour);
    this.paint({ x: x + width, y, width: t, height }, colour);
  }

  label(spot: ImageRect, number: number, scale: number, colour: Colour): void {
    this.paint(spot, colour);
    let x = spot.x + padding * scale;
    for (const digit of String(number)) {
      this.#digit(Number(digit), x, spot.y + padding * scale, scale);
      x += (digitWidth + 1) * scale;
    }
  }

  #digit(digit: number, x: number, y: number, scale: number): void {
    for (const [row, bits] of (digitRows[digit] ?? []).entries()) {
      for (let column = 0; column < digitWidth; column++) {
        if (((bits >> (digitWidth - 1 - column)) & 1) === 0) continue;
        this.paint({ x: x + column * scale, y: y + row * scale, width: scale, height: scale }, white);
      }
    }
  }

  paint(rect: ImageRect, [red, green, blue]: Colour): void {
    const { data, stride, width, height, format } = this.#pixels;
    const [first, third] = format === "bgrx" ? [blue, red] : [red, blue];
    const left = Math.max(0, Math.round(rect.x));
    const right = Math.min(width, Math.round(rect.x + rect.width));
    const bottom = Math.min(height, Math.round(rect.y + rect.height));
    for (let y = Math.max(0, Math.round(rect.y)); y < bottom; y++) {
      for (let x = left, at = y * stride + left * this.#step; x < right; x++, at += this.#step) {
        data[at] = first;
        data[at + 1] = green;
        data[at + 2] = third;
      }
    }
  }
}
