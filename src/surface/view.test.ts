import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { imagePoint, screenPoint } from "../base/geometry.ts";
import { fromGrid, insideImage, remap, resizeRect, toGrid, toImage, toScreen, type View } from "./view.ts";

const shrunkView = fc
  .record({
    x: fc.integer({ min: -4000, max: 8000 }),
    y: fc.integer({ min: -4000, max: 8000 }),
    width: fc.integer({ min: 1, max: 4000 }),
    height: fc.integer({ min: 1, max: 4000 }),
    shrinkX: fc.double({ min: 0.05, max: 1, noNaN: true }),
    shrinkY: fc.double({ min: 0.05, max: 1, noNaN: true }),
  })
  .map(({ x, y, width, height, shrinkX, shrinkY }): View => ({
    bounds: { x, y, width, height },
    image: { width: Math.max(1, Math.round(width * shrinkX)), height: Math.max(1, Math.round(height * shrinkY)) },
  }));

describe("coordinate mapping [S0-78, S2-141]", () => {
  test("a pixel of a shrunk picture comes back as the same pixel", () => {
    fc.assert(
      fc.property(
        shrunkView,
        fc.double({ min: 0, max: 0.9999, noNaN: true }),
        fc.double({ min: 0, max: 0.9999, noNaN: true }),
        (view, u, v) => {
          const pixel = imagePoint(Math.floor(u * view.image.width), Math.floor(v * view.image.height));
          const back = toImage(view, toScreen(view, pixel));
          expect([back.x, back.y]).toEqual([pixel.x, pixel.y]);
        },
      ),
    );
  });

  test("every pixel of the picture lands inside the rectangle it shows [S0-50]", () => {
    fc.assert(
      fc.property(shrunkView, fc.nat(5000), fc.nat(5000), (view, px, py) => {
        const { x, y } = toScreen(view, imagePoint(px % view.image.width, py % view.image.height));
        expect(x >= view.bounds.x && x < view.bounds.x + view.bounds.width).toBe(true);
        expect(y >= view.bounds.y && y < view.bounds.y + view.bounds.height).toBe(true);
      }),
    );
  });

  test("a pixel is the window's corner plus the pixel over the scale, and in a shrunk picture the middle of what it shows [S0-36, S0-37]", () => {
    const view: View = { bounds: { x: 100, y: 50, width: 800, height: 600 }, image: { width: 800, height: 600 } };
    expect(toScreen(view, imagePoint(12, 34))).toEqual({ x: 112, y: 84 });
    expect(toImage(view, screenPoint(112, 84))).toEqual({ x: 12, y: 34 });
    const half: View = { ...view, image: { width: 400, height: 300 } };
    expect(toScreen(half, imagePoint(12, 34))).toEqual({ x: 100 + 24 + 1, y: 50 + 68 + 1 });
  });
});

describe("bounds [S0-46]", () => {
  const view: View = { bounds: { x: 0, y: 0, width: 100, height: 100 }, image: { width: 50, height: 40 } };

  test("a pixel outside the picture is refused with the valid range", () => {
    expect(() => insideImage(view, imagePoint(50, 0), false, "screenshot f1")).toThrow(/50×40.*49,39/);
  });

  test("clamp moves it to the nearest edge", () => {
    expect(insideImage(view, imagePoint(-3, 99), true, "screenshot f1")).toEqual({ x: 0, y: 39 });
  });
});

describe("a frame whose window changed", () => {
  const frame = {
    id: "f1abc",
    surface: "desktop",
    source: { kind: "window", windowId: 7 },
    bounds: { x: 10, y: 10, width: 200, height: 100 },
    image: { width: 100, height: 50 },
    scale: 0.5,
    at: 0,
  } as const;

  test("is remapped and says so when the window moved", () => {
    const { view, moved } = remap(frame, { x: 30, y: 5, width: 200, height: 100 });
    expect(moved).toEqual({ x: 20, y: -5 });
    expect(toScreen(view, imagePoint(0, 0))).toEqual({ x: 31, y: 6 });
  });

  test("is refused when the window was resized", () => {
    expect(() => remap(frame, { x: 10, y: 10, width: 201, height: 100 })).toThrow(/resized/);
  });
});

test("a rectangle of a picture is at the same place in a smaller copy, and never vanishes", () => {
  const from = { width: 1920, height: 1080 };
  expect(resizeRect({ x: 80, y: 40, width: 60, height: 30 }, from, { width: 960, height: 540 })).toEqual({
    x: 40,
    y: 20,
    width: 30,
    height: 15,
  });
  expect(resizeRect({ x: 1919, y: 1079, width: 1, height: 1 }, from, { width: 192, height: 108 })).toEqual({
    x: 191,
    y: 107,
    width: 1,
    height: 1,
  });
});

describe("the 0–999 grid that some models use", () => {
  const picture = fc.record({ width: fc.integer({ min: 1, max: 8000 }), height: fc.integer({ min: 1, max: 8000 }) });
  const cell = fc.record({ x: fc.integer({ min: 0, max: 999 }), y: fc.integer({ min: 0, max: 999 }) });

  test("every cell is a pixel of the picture", () => {
    fc.assert(
      fc.property(picture, cell, (image, at) => {
        const { x, y } = fromGrid(image, at);
        expect(x >= 0 && x < image.width && y >= 0 && y < image.height).toBe(true);
      }),
    );
  });

  test("a cell of a picture with a thousand pixels or more a side comes back as the same cell", () => {
    const large = fc.record({
      width: fc.integer({ min: 1000, max: 8000 }),
      height: fc.integer({ min: 1000, max: 8000 }),
    });
    fc.assert(
      fc.property(large, cell, (image, at) => {
        expect(toGrid(image, fromGrid(image, at))).toEqual(at);
      }),
    );
  });

  test("a pixel of a picture with up to a thousand pixels a side comes back as the same pixel", () => {
    const small = fc.record({ width: fc.integer({ min: 1, max: 1000 }), height: fc.integer({ min: 1, max: 1000 }) });
    fc.assert(
      fc.property(small, fc.nat(999), fc.nat(999), (image, px, py) => {
        const pixel = imagePoint(px % image.width, py % image.height);
        expect(fromGrid(image, toGrid(image, pixel))).toEqual(pixel);
      }),
    );
  });

  test("a larger picture is missed by at most half a cell", () => {
    fc.assert(
      fc.property(picture, fc.nat(7999), fc.nat(7999), (image, px, py) => {
        const pixel = imagePoint(px % image.width, py % image.height);
        const back = fromGrid(image, toGrid(image, pixel));
        expect(Math.abs(back.x - pixel.x)).toBeLessThanOrEqual(Math.ceil(image.width / 2000));
        expect(Math.abs(back.y - pixel.y)).toBeLessThanOrEqual(Math.ceil(image.height / 2000));
      }),
    );
  });

  test("a cell outside the grid is a pixel outside the picture", () => {
    expect(fromGrid({ width: 1440, height: 900 }, { x: 1000, y: -1 })).toEqual(imagePoint(1440, -1));
  });
});
