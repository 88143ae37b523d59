import sharp from "sharp";
import { afterAll, expect, test } from "vitest";
import type { Pixels } from "../../src/base/frame.ts";
import { openTextReader } from "../../src/vision/ocr/reader.ts";

const reader = openTextReader();
afterAll(() => reader[Symbol.asyncDispose]());
const { signal } = new AbortController();

interface Label {
  readonly text: string;
  readonly x: number;
  readonly y: number;
  readonly size?: number;
}

/** A window with these texts on it, drawn by a real font engine. */
async function draw(labels: readonly Label[], { width = 640, height = 320, dark = false } = {}): Promise<Pixels> {
  const [ground, ink] = dark ? ["#202124", "#e8eaed"] : ["#ffffff", "#202124"];
  const texts = labels.map(({ text, x, y, size = 13 }) => {
    return `<text x="${x}" y="${y}" font-family="DejaVu Sans" font-size="${size}" fill="${ink}">${text}</text>`;
  });
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">
    <rect width="100%" height="100%" fill="${ground}"/>${texts.join("")}</svg>`;
  const data = await sharp(Buffer.from(svg)).removeAlpha().raw().toBuffer();
  return { data, width, height, stride: width * 3, format: "rgb" };
}

const save: Label = { text: "Save changes", x: 40, y: 60 };
const cancel: Label = { text: "Cancel", x: 300, y: 60 };
const mail: Label = { text: "Send a copy by mail", x: 40, y: 120 };

test.each([false, true])("reads words with boxes that contain them (dark: %s)", async (dark) => {
  const { lines, isComplete } = await reader.read(await draw([save, cancel, mail], { dark }), { signal });
  expect(lines.map(({ text }) => text)).toEqual(["Save changes", "Cancel", "Send a copy by mail"]);
  expect(isComplete).toBe(true);
  const word = lines[0]?.words[1];
  expect(word).toMatchObject({ text: "changes" });
  expect(word?.confidence).toBeGreaterThan(0.8);
  // "changes" begins after "Save ", five characters of about 7 pixels, and stands on the line y = 60.
  expect(word?.box.x).toBeGreaterThan(70);
  expect(word?.box.y).toBeGreaterThan(45);
  expect((word?.box.y ?? 0) + (word?.box.height ?? 0)).toBeLessThan(66);
});
