import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Pixels } from "../base/frame.ts";
import { changedBox, changedRatio, compare, without } from "./compare.ts";

const picture = (width: number, height: number, format: Pixels["format"] = "bgrx"): Pixels & { data: Uint8Array } => {
  const step = format === "bgrx" ? 4 : 3;
  return { data: new Uint8Array(width * height * step), width, height, stride: width * step, format };
};

const paint = (target: Pixels, x: number, y: number, value: number) => {
  const step = target.format === "bgrx" ? 4 : 3;
  target.data[y * target.stride + x * step] = value;
};

describe("comparing pictures [S1-120]", () => {
  test.each(["bgrx", "rgb"] as const)("finds the one square that differs (%s)", (format) => {
    fc.assert(
      fc.property(fc.nat(50), fc.nat(30), (x, y) => {
        const before = picture(51, 31, format);
        const after = picture(51, 31, format);
        paint(after, x, y, 200);
        expect(changedBox(compare(before, after, 8))).toEqual({ x: x - (x % 8), y: y - (y % 8), width: 8, height: 8 });
      }),
    );
  });

  test("the squares are as large as asked for", () => {
    const [before, after] = [picture(50, 30), picture(50, 30)];
    paint(after, 25, 13, 200);
    expect(changedBox(compare(before, after, 12))).toEqual({ x: 24, y: 12, width: 12, height: 12 });
  });

  test("equal pictures have no box, whatever the unused byte contains", () => {
    const before = picture(40, 40);
    const after = picture(40, 40);
    after.data[3] = 255;
    expect(changedBox(compare(before, after, 8))).toBeUndefined();
    expect(changedRatio(compare(before, after, 8))).toBe(0);
  });

  test("what moves by itself is taken out, with a margin", () => {
    const [still, noisy, acted] = [picture(80, 80), picture(80, 80), picture(80, 80)];
    paint(noisy, 4, 4, 9);
    paint(acted, 12, 4, 9);
    paint(acted, 60, 60, 9);
    expect(changedBox(without(compare(still, acted, 8), compare(still, noisy, 8)))).toEqual({
      x: 56,
      y: 56,
      width: 8,
      height: 8,
    });
  });
});
