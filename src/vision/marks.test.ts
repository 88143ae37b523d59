import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Pixels } from "../base/frame.ts";
import { overlapArea, type ImageRect } from "../base/geometry.ts";
import { digitHeight, digitRows, digitWidth } from "./digits.ts";
import { drawMarks, placeLabels } from "./marks.ts";

const blank = (width: number, height: number, format: Pixels["format"] = "rgb"): Pixels => {
  const step = format === "bgrx" ? 4 : 3;
  return { data: new Uint8Array(width * height * step).fill(128), width, height, stride: width * step, format };
};

const colourAt = ({ data, stride, format }: Pixels, x: number, y: number): readonly number[] => {
  const at = y * stride + x * (format === "bgrx" ? 4 : 3);
  const three = [...data.subarray(at, at + 3)];
  return format === "bgrx" ? three.toReversed() : three;
};

describe("marks on a picture", () => {
  test.each(["rgb", "bgrx"] as const)("leave what they name as it was, and can be read (%s)", (format) => {
    const picture = blank(200, 100, format);
    const rect = { x: 60, y: 40, width: 50, height: 20 };
    const [label] = drawMarks(picture, [{ number: 41, rect }]);
    for (let y = rect.y; y < rect.y + rect.height; y++) {
      for (let x = rect.x; x < rect.x + rect.width; x++) expect(colourAt(picture, x, y)).toEqual([128, 128, 128]);
    }
    expect(colourAt(picture, rect.x - 1, rect.y - 1)).toEqual([211, 33, 45]);
    expect(label && readDigits(picture, label, 2)).toBe("41");
  });

  test("doubled, they can be read in a picture seen at half its size", () => {
    const picture = blank(200, 100);
    const [label] = drawMarks(picture, [{ number: 97, rect: { x: 80, y: 50, width: 50, height: 20 } }], { scale: 2 });
    expect(label?.height).toBe((digitHeight + 4) * 2);
  });

  test("labels stay inside the picture, and cover nothing while there is room", () => {
    const picture = { width: 400, height: 300 };
    const size = { width: 20, height: 14 };
    const rects = fc.array(
      fc.record({
        x: fc.integer({ min: -10, max: 395 }),
        y: fc.integer({ min: -10, max: 295 }),
        width: fc.integer({ min: 1, max: 120 }),
        height: fc.integer({ min: 1, max: 60 }),
      }),
      { maxLength: 40 },
    );
    fc.assert(
      fc.property(rects, (all) => {
        const labels = placeLabels(
          all.map((rect) => ({ rect, size })),
          picture,
        );
        expect(labels).toHaveLength(all.length);
        for (const { x, y, width, height } of labels) {
          expect(x >= 0 && y >= 0 && x + width <= picture.width && y + height <= picture.height).toBe(true);
        }
      }),
    );
    const grid: readonly ImageRect[] = Array.from({ length: 30 }, (_, index) => ({
      x: 10 + (index % 5) * 75,
      y: 20 + Math.floor(index / 5) * 45,
      width: 50,
      height: 22,
    }));
    const labels = placeLabels(
      grid.map((rect) => ({ rect, size })),
      picture,
    );
    for (const [index, label] of labels.entries()) {
      for (const rect of grid) expect(overlapArea(label, rect)).toBe(0);
      for (const other of labels.slice(index + 1)) expect(overlapArea(label, other)).toBe(0);
    }
  });
});

function readDigits(picture: Pixels, label: ImageRect, count: number): string {
  return Array.from({ length: count }, (_, index) => {
    const left = label.x + 2 + index * (digitWidth + 1);
    const rows = Array.from({ length: digitHeight }, (_row, row) =>
      Array.from({ length: digitWidth }, (_column, column) =>
        colourAt(picture, left + column, label.y + 2 + row)[1] === 255 ? 1 : 0,
      ).reduce<number>((bits, bit) => bits * 2 + bit, 0),
    );
    return digitRows.findIndex((digit) => digit.every((bits, row) => bits === rows[row]));
  }).join("");
}
