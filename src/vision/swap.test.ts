import fc from "fast-check";
import { expect, test } from "vitest";
import { toRgb } from "./swap.ts";

test("every pixel keeps its colour, whatever the width and row padding", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 13 }),
      fc.integer({ min: 1, max: 5 }),
      fc.integer({ min: 0, max: 2 }),
      (width, height, pad) => {
        const stride = (width + pad) * 4;
        const data = Uint8Array.from({ length: stride * height }, (_, index) => (index * 37 + 11) % 256);
        const rgb = toRgb({ data, width, height, stride, format: "bgrx" });
        for (let y = 0; y < height; y++) {
          for (let x = 0; x < width; x++) {
            const from = y * stride + x * 4;
            const to = (y * width + x) * 3;
            expect([rgb[to], rgb[to + 1], rgb[to + 2]]).toEqual([data[from + 2], data[from + 1], data[from]]);
          }
        }
      },
    ),
  );
});
