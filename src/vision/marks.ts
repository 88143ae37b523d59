import type { Pixels } from "../base/frame.ts";
import { overlapArea, type ImageRect, type Size } from "../base/geometry.ts";
import { digitHeight, digitRows, digitWidth } from "./digits.ts";

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
    pixels,
    avoid,
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

/**
 * Puts a label beside what it names, where it hides least: outside the rectangle if there is room free of other
 * rectangles and labels, otherwise on its corner.
 */
export function placeLabels(
  wanted: readonly { readonly rect: ImageRect; readonly size: Size }[],
  picture: Size,
  avoid: readonly ImageRect[] = [],
): readonly ImageRect[] {
  const placed: ImageRect[] = [];
  const all = [...wanted.map(({ rect }) => rect), ...avoid];
  for (const { rect, size } of wanted) {
    const reach = around(rect, size);
    const rects = all.filter((other) => overlaps(reach, other));
    const labels = placed.filter((other) => overlaps(reach, other));
    let best: { readonly spot: ImageRect; readonly cost: number } | undefined;
    for (const spot of spots(rect, size, picture)) {
      const cost =
        labels.reduce((sum, other) => sum + 4 * overlapArea(spot, other), 0) +
        rects.reduce((sum, other) => sum + overlapArea(spot, other) * (other === rect ? 2 : 1), 0);
      if (!best || cost < best.cost) best = { spot, cost };
      if (cost === 0) break;
    }
    if (best) placed.push(best.spot);
  }
  return placed;
}

/** The area in which the label of a rectangle may be, even if the edge of the picture pushes it inwards. */
const around = ({ x, y, width, height }: ImageRect, size: Size): ImageRect => ({
  x: x - 2 * size.width,
  y: y - 2 * size.height,
  width: width + 4 * size.width,
  height: height + 4 * size.height,
});

const overlaps = (a: ImageRect, b: ImageRect): boolean =>
  a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;

/** In the order in which a reader looks for them. */
function spots({ x, y, width, height }: ImageRect, size: Size, picture: Size): readonly ImageRect[] {
  const corners: readonly Pick<ImageRect, "x" | "y">[] = [
    { x, y: y - size.height },
    { x: x - size.width, y },
    { x: x + width, y },
    { x: x + width - size.width, y: y - size.height },
    { x, y: y + height },
    { x: x + width - size.width, y: y + height },
    { x: x - size.width, y: y - size.height },
    { x, y },
    { x: x + width - size.width, y },
    { x: x + width - size.width, y: y + height - size.height },
  ];
  return corners.map((corner) => ({
    x: Math.max(0, Math.min(picture.width - size.width, Math.round(corner.x))),
    y: Math.max(0, Math.min(picture.height - size.height, Math.round(corner.y))),
    ...size,
  }));
}

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
