import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { centre, clampInto, contains, imagePoint, intersect, screenPoint, union } from "./geometry.ts";
import type { ImageRect, Rect, ScreenPoint } from "./geometry.ts";

const rect = fc.record({
  x: fc.integer({ min: -500, max: 500 }),
  y: fc.integer({ min: -500, max: 500 }),
  width: fc.integer({ min: 1, max: 500 }),
  height: fc.integer({ min: 1, max: 500 }),
});

describe("points know their space", () => {
  test("an image point where a screen point is wanted does not compile", () => {
    const needsScreen = (point: ScreenPoint): number => point.x;
    // @ts-expect-error the spaces differ
    expect(needsScreen(imagePoint(1, 2))).toBe(1);
    // @ts-expect-error a bare pair has no space
    expect(needsScreen({ x: 3, y: 4 })).toBe(3);
    expect(needsScreen(screenPoint(5, 6))).toBe(5);
  });
});

describe("rectangles", () => {
  test("a clamped point is always inside", () => {
    fc.assert(
      fc.property(rect, fc.integer(), fc.integer(), (area, x, y) => {
        expect(contains(area, clampInto(area, { x, y }))).toBe(true);
      }),
    );
  });

  test("the intersection is inside both, the union contains both", () => {
    fc.assert(
      fc.property(rect, rect, (a, b) => {
        const common = intersect(a, b);
        const both = union([a, b]);
        if (common) expect(union([a, common])).toEqual(a);
        expect(both && intersect(both, a)).toEqual(a);
        expect(both && intersect(both, b)).toEqual(b);
      }),
    );
  });
});

test("a rectangle of a picture does not compile in place of one of the screen, nor vice versa", () => {
  const onScreen: Rect = { x: 0, y: 0, width: 10, height: 10 };
  const inPicture: ImageRect = { x: 5, y: 5, width: 10, height: 10 };
  // @ts-expect-error a picture's rectangle has no place on the screen
  centre(inPicture);
  // @ts-expect-error two rectangles of different spaces have nothing in common
  intersect(onScreen, inPicture);
  // @ts-expect-error and neither becomes the other
  const mixed: ImageRect = onScreen;
  expect(mixed).toBe(onScreen);
});
