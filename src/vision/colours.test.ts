import { expect, test } from "vitest";
import type { Pixels } from "../base/frame.ts";
import { coloursIn } from "./colours.ts";

function picture(paint: (x: number, y: number) => readonly [red: number, green: number, blue: number]): Pixels {
  const [width, height] = [40, 20];
  const data = new Uint8Array(width * height * 4);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const [red, green, blue] = paint(x, y);
      data.set([blue, green, red, Math.floor(Math.random() * 256)], (y * width + x) * 4);
    }
  }
  return { data, width, height, stride: width * 4, format: "bgrx" };
}

const whole = { x: 0, y: 0, width: 40, height: 20 };

test("the colour of most of a part, and of what is drawn on it", () => {
  const button = picture((x, y) =>
    y === 10 && x > 5 && x < 30 ? [255, 255, 255] : x === 5 ? [140, 140, 220] : [16, 32, 200],
  );
  expect(coloursIn(button, whole)).toEqual({ background: "#1020c8", text: "#ffffff" });
  expect(
    coloursIn(
      picture(() => [255, 0, 0]),
      whole,
    ),
  ).toEqual({ background: "#ff0000" });
});

test("a part that is beyond the picture has the colours of what is inside, or none", () => {
  const half = picture((x) => (x < 20 ? [0, 128, 0] : [0, 0, 0]));
  expect(coloursIn(half, { x: -10, y: -10, width: 25, height: 25 })).toEqual({ background: "#008000" });
  expect(coloursIn(half, { x: 50, y: 0, width: 5, height: 5 })).toBeUndefined();
});
