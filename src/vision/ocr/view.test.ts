import fc from "fast-check";
import { expect, test } from "vitest";
import type { Pixels } from "../../base/frame.ts";
import { findLines } from "./lines.ts";
import { View } from "./view.ts";

const size = { width: 160, height: 96 };

const blank = (): Pixels => ({
  ...size,
  data: new Uint8Array(size.width * size.height * 4).fill(255),
  stride: size.width * 4,
  format: "bgrx",
});

const place = fc.record({
  x: fc.nat(size.width - 1),
  y: fc.nat(size.height - 1),
  width: fc.integer({ min: 1, max: size.width }),
  height: fc.integer({ min: 1, max: size.height }),
});

/** A caret, a dialog, letters, a photograph: plain and busy rectangles of all sizes. */
const change = fc.oneof(
  fc.record({ kind: fc.constant("fill" as const), place, grey: fc.nat(255) }),
  fc.record({ kind: fc.constant("strokes" as const), place, grey: fc.nat(255), pitch: fc.integer({ min: 3, max: 9 }) }),
  fc.record({ kind: fc.constant("noise" as const), place, seed: fc.nat() }),
  fc.record({ kind: fc.constant("scroll" as const), by: fc.integer({ min: 1, max: 40 }) }),
);

type Change = typeof change extends fc.Arbitrary<infer Value> ? Value : never;

function apply(pixels: Pixels, next: Change): void {
  if (next.kind === "scroll") return void pixels.data.copyWithin(0, next.by * pixels.stride);
  const { x, y, width, height } = next.place;
  for (let row = y; row < Math.min(size.height, y + height); row++) {
    for (let column = x; column < Math.min(size.width, x + width); column++) {
      if (next.kind === "strokes" && (column - x) % next.pitch > 1) continue;
      const grey = next.kind === "noise" ? Math.imul(next.seed ^ (row * 7919 + column), 0x9e3779b1) >>> 24 : next.grey;
      pixels.data.fill(grey, row * pixels.stride + column * 4, row * pixels.stride + column * 4 + 3);
    }
  }
}

test("whatever changes, reading only the changed rows finds the same as reading all", () => {
  fc.assert(
    fc.property(fc.array(change, { minLength: 1, maxLength: 8 }), fc.constantFrom(1, 2), (changes, factor) => {
      const pixels = blank();
      const view = new View(size, factor);
      for (const next of changes) {
        apply(pixels, next);
        view.update(pixels);
        const fresh = new View(size, factor);
        fresh.update(pixels);
        expect(Buffer.compare(Buffer.from(view.picture.memory), Buffer.from(fresh.picture.memory))).toBe(0);
        expect(view.edges.runs).toEqual(fresh.edges.runs);
        expect(view.edges.flats).toEqual(fresh.edges.flats);
        expect(findLines(view.edges)).toEqual(findLines(fresh.edges));
      }
    }),
    { numRuns: 60 },
  );
});
