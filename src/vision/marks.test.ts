import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Pixels } from "../base/frame.ts";
import type { ImageRect } from "../base/geometry.ts";
import { digitHeight, digitRows, digitWidth } from "./digits.ts";
import { drawMarks } from "./marks.ts";

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

  test("a picture too small for its labels still gets all of them, inside it", () => {
    const picture = blank(60, 40);
    const rect = fc.record({
      x: fc.integer({ min: -10, max: 55 }),
      y: fc.integer({ min: -10, max: 35 }),
      width: fc.integer({ min: 1, max: 120 }),
      height: fc.integer({ min: 1, max: 60 }),
    });
    fc.assert(
      fc.property(fc.array(rect, { maxLength: 20 }), (rects) => {
        const labels = drawMarks(
          picture,
          rects.map((each, index) => ({ number: index + 1, rect: each })),
        );
        expect(labels).toHaveLength(rects.length);
        for (const { x, y, width, height } of labels) {
          expect(x >= 0 && y >= 0 && x + width <= 60 && y + height <= 40).toBe(true);
        }
      }),
    );
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
