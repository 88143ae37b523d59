import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { intersect, overlapArea, type ImageRect, type Size } from "../base/geometry.ts";
import { placeLabels } from "./labels.ts";

const within: ImageRect = { x: 0, y: 0, width: 1200, height: 900 };
const size: Size = { width: 20, height: 14 };

const place = (rects: readonly ImageRect[], avoid: readonly ImageRect[] = []) =>
  placeLabels(
    rects.map((rect) => ({ rect, size })),
    { within, avoid },
  );

const grown = ({ x, y, width, height }: ImageRect): ImageRect => ({
  x: x - 1,
  y: y - 1,
  width: width + 2,
  height: height + 2,
});

/** What a reader relies on: each label is at its own thing and at no other, and none hides another. */
function expectClear(rects: readonly ImageRect[], labels: readonly ImageRect[]): void {
  const wrong = labels.flatMap((label, at) => {
    const own = rects[at] as ImageRect;
    const isInside = overlapArea<"image">(own, label) === label.width * label.height;
    const others = rects.filter((_, other) => other !== at).map((rect) => (isInside ? rect : grown(rect)));
    const covered = [...others, ...labels.slice(at + 1)].filter((other) => overlapArea<"image">(other, label) > 0);
    const isOwn =
      overlapArea<"image">(grown(own), label) > 0 && intersect<"image">(within, label)?.width === size.width;
    return isOwn && covered.length === 0 ? [] : [{ own, label, covered }];
  });
  expect(wrong).toEqual([]);
}

const grid = fc
  .record({
    columns: fc.integer({ min: 1, max: 8 }),
    rows: fc.integer({ min: 1, max: 8 }),
    cell: fc.record({ width: fc.integer({ min: 20, max: 90 }), height: fc.integer({ min: 14, max: 60 }) }),
    gap: fc.record({ x: fc.integer({ min: 0, max: 28 }), y: fc.integer({ min: 0, max: 28 }) }),
    at: fc.record({ x: fc.integer({ min: 0, max: 200 }), y: fc.integer({ min: 0, max: 150 }) }),
  })
  .map(({ columns, rows, cell, gap, at }) =>
    Array.from({ length: columns * rows }, (_, index) => ({
      x: at.x + (index % columns) * (cell.width + gap.x),
      y: at.y + Math.floor(index / columns) * (cell.height + gap.y),
      ...cell,
    })),
  );

describe("labels", () => {
  test("of a dense grid touch their own cell and no other, all at the same corner", () => {
    fc.assert(
      fc.property(grid, (cells) => {
        const labels = place(cells);
        expectClear(cells, labels);
        const offsets = labels.map(({ x, y }, at) => `${x - (cells[at]?.x ?? 0)},${y - (cells[at]?.y ?? 0)}`);
        expect(offsets).toEqual(offsets.map(() => offsets[0]));
      }),
      { numRuns: 300 },
    );
  });

  test("touch their own thing and no other, wherever things are", () => {
    const rects = fc
      .array(
        fc.record({
          x: fc.integer({ min: 0, max: 1000 }),
          y: fc.integer({ min: 0, max: 800 }),
          width: fc.integer({ min: 20, max: 200 }),
          height: fc.integer({ min: 14, max: 100 }),
        }),
        { maxLength: 60 },
      )
      .map((all) =>
        all.reduce<ImageRect[]>(
          (kept, rect) => (kept.some((other) => intersect(other, rect)) ? kept : [...kept, rect]),
          [],
        ),
      );
    fc.assert(
      fc.property(rects, (all) => expectClear(all, place(all))),
      { numRuns: 200 },
    );
  });

  test("stay off the text of their own thing where there is room", () => {
    // Keys that touch each other, each with its text in the middle.
    const keys = Array.from({ length: 16 }, (_, index) => ({
      x: 100 + (index % 4) * 64,
      y: 100 + Math.floor(index / 4) * 48,
      width: 64,
      height: 48,
    }));
    const texts = keys.map(({ x, y }) => ({ x: x + 26, y: y + 16, width: 12, height: 16 }));
    const labels = place(keys, texts);
    expectClear(keys, labels);
    for (const label of labels) for (const text of texts) expect(overlapArea<"image">(label, text)).toBe(0);
    // A key that its text fills: better on its own text than at a neighbour.
    const full = keys.map((key) => ({ ...key }));
    expectClear(keys, place(keys, full));
  });

  test("of something inside something else may lie in it, but not on what else is in it", () => {
    const row = { x: 100, y: 100, width: 400, height: 30 };
    const buttons = [0, 1, 2].map((index) => ({ x: 300 + index * 60, y: 104, width: 50, height: 22 }));
    const [ofRow, ...labels] = place([row, ...buttons]);
    for (const [at, label] of labels.entries()) {
      for (const [other, button] of buttons.entries())
        if (other !== at) expect(overlapArea<"image">(button, label)).toBe(0);
      expect(overlapArea(ofRow as ImageRect, label)).toBe(0);
    }
    for (const button of buttons) expect(overlapArea<"image">(button, ofRow as ImageRect)).toBe(0);
  });

  test("of things too small for them hide each other least", () => {
    const dots = Array.from({ length: 9 }, (_, index) => ({
      x: 300 + (index % 3) * 60,
      y: 300 + Math.floor(index / 3) * 40,
      width: 6,
      height: 6,
    }));
    expectClear(dots, place(dots));
  });
});
