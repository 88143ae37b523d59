import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Pixels } from "../base/frame.ts";
import type { ImageRect } from "../base/geometry.ts";
import { findChanges } from "./changes.ts";

const picture = (width: number, height: number, format: Pixels["format"] = "bgrx"): Pixels => {
  const step = format === "bgrx" ? 4 : 3;
  return { data: new Uint8Array(width * height * step).fill(90), width, height, stride: width * step, format };
};

function fill(target: Pixels, { x, y, width, height }: ImageRect, value: number): Pixels {
  const step = target.format === "bgrx" ? 4 : 3;
  for (let row = y; row < y + height; row++) {
    target.data.fill(value, row * target.stride + x * step, row * target.stride + (x + width) * step);
  }
  return target;
}

describe("what changed between two pictures [S1-120]", () => {
  test.each(["bgrx", "rgb"] as const)("is boxed to the pixel, with its share of the picture (%s)", (format) => {
    const rects = fc.record({
      x: fc.nat(60),
      y: fc.nat(40),
      width: fc.integer({ min: 1, max: 40 }),
      height: fc.integer({ min: 1, max: 20 }),
    });
    fc.assert(
      fc.property(rects, (rect) => {
        const after = fill(picture(101, 61, format), rect, 200);
        const { boxes, ratio } = findChanges(picture(101, 61, format), after);
        expect(boxes).toEqual([rect]);
        expect(ratio).toBeCloseTo((rect.width * rect.height) / (101 * 61), 10);
      }),
    );
  });

  test("is the same whether all of it counts or parts that are not there are ignored", () => {
    const spot = fc.record({ x: fc.nat(92), y: fc.nat(52), width: fc.nat(8), height: fc.nat(8) });
    const nowhere = [{ x: 0, y: 0, width: 0, height: 0 }];
    fc.assert(
      fc.property(fc.array(spot, { maxLength: 12 }), (spots) => {
        const after = spots.reduce((target, rect, i) => fill(target, rect, 100 + i), picture(101, 61));
        const before = picture(101, 61);
        expect(findChanges(before, after)).toEqual(findChanges(before, after, { ignore: nowhere }));
      }),
    );
  });

  test("is two changes when far apart, the larger first, and one when close together", () => {
    const small = { x: 2, y: 2, width: 3, height: 3 };
    const large = { x: 50, y: 40, width: 20, height: 9 };
    const both = fill(fill(picture(101, 61), small, 200), large, 10);
    expect(findChanges(picture(101, 61), both).boxes).toEqual([large, small]);
    const near = fill(fill(picture(101, 61), small, 200), { x: 9, y: 2, width: 3, height: 3 }, 200);
    expect(findChanges(picture(101, 61), near).boxes).toEqual([{ x: 2, y: 2, width: 10, height: 3 }]);
  });

  test("is nothing between equal pictures, within the tolerance, in the unused byte, and in ignored parts", () => {
    const nothing = { ratio: 0, boxes: [] };
    const before = picture(64, 64);
    expect(findChanges(before, picture(64, 64))).toEqual(nothing);
    const unused = picture(64, 64);
    unused.data[3] = 7;
    expect(findChanges(before, unused)).toEqual(nothing);
    const faint = fill(picture(64, 64), { x: 5, y: 5, width: 9, height: 9 }, 98);
    expect(findChanges(before, faint, { tolerance: 8 })).toEqual(nothing);
    expect(findChanges(before, faint, { tolerance: 7 }).boxes).toHaveLength(1);
    const clock = { x: 5, y: 5, width: 9, height: 9 };
    expect(findChanges(before, fill(picture(64, 64), clock, 255), { ignore: [clock] })).toEqual(nothing);
    const larger = fill(picture(64, 64), { ...clock, width: 10 }, 255);
    expect(findChanges(before, larger, { ignore: [clock] }).boxes).toEqual([{ x: 14, y: 5, width: 1, height: 9 }]);
  });

  test("an edge drawn half a pixel further is no change if that is requested; a moved shape is", () => {
    const shape = { x: 10, y: 10, width: 20, height: 20 };
    const sharp = fill(picture(64, 64), shape, 250);
    const soft = fill(fill(picture(64, 64), shape, 250), { x: 30, y: 10, width: 1, height: 20 }, 170);
    expect(findChanges(sharp, soft).boxes).toEqual([{ x: 30, y: 10, width: 1, height: 20 }]);
    expect(findChanges(sharp, soft, { ignoreAntialiasing: true }).boxes).toEqual([]);
    const moved = fill(picture(64, 64), { ...shape, x: 14 }, 250);
    expect(findChanges(sharp, moved, { ignoreAntialiasing: true }).ratio).toBeGreaterThan(0);
  });

  test("pictures of different sizes are refused", () => {
    expect(() => findChanges(picture(10, 10), picture(10, 11))).toThrow("10×10 cannot be compared with one of 10×11");
  });
});
