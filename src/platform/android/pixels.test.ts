import { expect, test } from "vitest";
import { ToolError } from "../../base/errors.ts";
import { findPng, PictureWay, readRaw, toBgrx } from "./pixels.ts";

function frame(words: readonly number[], pixels: readonly number[]): Buffer {
  const header = Buffer.alloc(words.length * 4);
  for (const [index, word] of words.entries()) header.writeUInt32LE(word, index * 4);
  return Buffer.concat([header, Buffer.from(pixels)]);
}

test.each([
  ["of 12 bytes", [2, 1, 1]],
  ["of 16 bytes", [2, 1, 1, 1]],
])("a raw frame is read whether its header is %s [S2-128]", (_size, words) => {
  const { width, height, data, format } = readRaw(frame(words, [255, 128, 1, 255, 9, 8, 7, 255]));
  expect({ width, height, format }).toEqual({ width: 2, height: 1, format: "bgrx" });
  expect([...data]).toEqual([1, 128, 255, 255, 7, 8, 9, 255]);
});

test("every format that screencap writes comes out the same", () => {
  const red = [0, 0, 255];
  const first = (bytes: Buffer) => [...readRaw(bytes).data.subarray(0, 3)];
  expect(first(frame([1, 1, 1], [255, 0, 0, 255]))).toEqual(red);
  expect(first(frame([1, 1, 2], [255, 0, 0, 0]))).toEqual(red);
  expect(first(frame([1, 1, 3], [255, 0, 0]))).toEqual(red);
  expect(first(frame([1, 1, 4], [0x00, 0xf8]))).toEqual(red);
  expect(first(frame([1, 1, 5], [0, 0, 255, 255]))).toEqual(red);
});

test.each([
  ["nothing", Buffer.alloc(0)],
  ["half a frame", frame([2, 2, 1, 1], [1, 2, 3, 4])],
  ["an unknown format", frame([1, 1, 99, 1], [1, 2, 3, 4])],
  ["a size of noise", frame([0xffffffff, 1, 1], [1])],
])("%s is refused instead of shown", (_what, bytes) => {
  expect(() => readRaw(bytes)).toThrow(ToolError);
});

test("a PNG is found behind a warning", () => {
  const png = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1, 2, 3]);
  expect(findPng(Buffer.concat([Buffer.from("[Warning] Multiple displays were found\n"), png]))).toEqual(png);
  expect(() => findPng(Buffer.from("error"))).toThrow(ToolError);
});

test("three channels become four, row by row", () => {
  const { data, stride } = toBgrx({
    width: 1,
    height: 2,
    format: "rgb",
    stride: 4,
    data: Buffer.from([1, 2, 3, 0, 4, 5, 6, 0]),
  });
  expect(stride).toBe(4);
  expect([...data]).toEqual([3, 2, 1, 0, 6, 5, 4, 0]);
});

test("the faster way is kept after each was tried twice, and one that fails is not tried again", () => {
  const way = new PictureWay();
  const tried: string[] = [];
  for (let round = 0; round < 4; round++) {
    const next = way.next();
    tried.push(next);
    way.note(next, next === "raw" ? 900 - round * 100 : 500);
  }
  expect(tried.toSorted()).toEqual(["png", "png", "raw", "raw"]);
  expect(way.next()).toBe("png");
  const other = new PictureWay();
  other.refuse("raw");
  expect([other.next(), other.next()]).toEqual(["png", "png"]);
});
