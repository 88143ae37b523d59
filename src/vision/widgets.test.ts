import { describe, expect, test } from "vitest";
import type { Pixels } from "../base/frame.ts";
import type { ImageRect } from "../base/geometry.ts";
import { findWidgets } from "./widgets.ts";

const blank = (width: number, height: number, value = 240): Pixels => ({
  data: new Uint8Array(width * height * 4).fill(value),
  width,
  height,
  stride: width * 4,
  format: "bgrx",
});

function fill(target: Pixels, { x, y, width, height }: ImageRect, value: number): void {
  for (let row = y; row < y + height; row++) {
    target.data.fill(value, row * target.stride + x * 4, row * target.stride + (x + width) * 4);
  }
}

function outline(target: Pixels, rect: ImageRect, value: number): void {
  fill(target, rect, value);
  fill(target, { x: rect.x + 1, y: rect.y + 1, width: rect.width - 2, height: rect.height - 2 }, 240);
}

describe("controls by their looks", () => {
  test("an outlined field and a filled button are found to the pixel", () => {
    const picture = blank(400, 200);
    const field = { x: 30, y: 40, width: 150, height: 28 };
    const button = { x: 220, y: 100, width: 90, height: 32 };
    outline(picture, field, 120);
    fill(picture, button, 60);
    expect(findWidgets(picture)).toMatchObject([
      { kind: "button", rect: field },
      { kind: "button", rect: button },
    ]);
  });

  test("a compact drawing is an icon; a line, a large panel and a soft gradient are nothing", () => {
    const picture = blank(900, 600);
    for (let bar = 0; bar < 3; bar++) fill(picture, { x: 50, y: 50 + bar * 6, width: 18, height: 3 }, 40);
    fill(picture, { x: 50, y: 50, width: 3, height: 15 }, 40);
    fill(picture, { x: 0, y: 120, width: 900, height: 1 }, 40);
    outline(picture, { x: 40, y: 200, width: 820, height: 350 }, 100);
    for (let column = 0; column < 200; column++)
      fill(
        picture,
        { x: 300 + column, y: 20, width: 1, height: 60 },
        240 - Math.floor(Math.min(column, 199 - column) / 8),
      );
    expect(findWidgets(picture).map(({ kind, rect }) => [kind, rect.x < 60])).toEqual([["icon", true]]);
  });

  test("buttons that share their edges are found one by one, in a row and in a grid", () => {
    const picture = blank(400, 300);
    const row = [0, 1, 2].map((index) => ({ x: 30 + index * 80, y: 20, width: 81, height: 30 }));
    for (const each of row) outline(picture, each, 100);
    const found = findWidgets(picture);
    expect(found.map(({ kind }) => kind)).toEqual(["button", "button", "button"]);
    for (const [index, { rect }] of found.entries()) {
      expect(Math.abs(rect.x - (row[index]?.x ?? 0))).toBeLessThanOrEqual(2);
      expect(Math.abs(rect.width - 80)).toBeLessThanOrEqual(3);
    }
    // Plain boxes without a border, each of another colour than the next.
    const boxes = blank(300, 200);
    for (let index = 0; index < 12; index++) {
      const at = { x: 20 + (index % 4) * 40, y: 20 + Math.floor(index / 4) * 40, width: 40, height: 40 };
      fill(boxes, at, (index + Math.floor(index / 4)) % 2 === 0 ? 60 : 140);
    }
    expect(findWidgets(boxes)).toHaveLength(12);
  });

  test("a table's text does not cut its cells, and a field with one line of text stays one", () => {
    const picture = blank(400, 100);
    outline(picture, { x: 20, y: 20, width: 200, height: 30 }, 100);
    // Strokes as tall as letters.
    for (let stroke = 0; stroke < 12; stroke++) fill(picture, { x: 30 + stroke * 9, y: 29, width: 2, height: 12 }, 20);
    expect(findWidgets(picture).filter(({ kind }) => kind === "button")).toHaveLength(1);
  });

  test("on a 2× screen everything is twice as large", () => {
    const picture = blank(400, 300);
    outline(picture, { x: 20, y: 20, width: 32, height: 20 }, 100);
    expect(findWidgets(picture)).toMatchObject([{ kind: "button" }]);
    expect(findWidgets(picture, { scale: 2 }).filter(({ kind }) => kind === "button")).toEqual([]);
  });
});
