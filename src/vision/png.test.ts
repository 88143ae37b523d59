import { inflateSync } from "node:zlib";
import fc from "fast-check";
import sharp from "sharp";
import { expect, test } from "vitest";
import type { Pixels } from "../base/frame.ts";
import { encodePng } from "./png.ts";
import { toRgb } from "./swap.ts";

test("a decoder reads back every pixel, whatever the size, row padding and place in memory", async () => {
  const sizes = fc.record({
    width: fc.integer({ min: 1, max: 40 }),
    height: fc.integer({ min: 1, max: 40 }),
    pad: fc.integer({ min: 0, max: 2 }),
    offset: fc.integer({ min: 0, max: 3 }),
    seed: fc.integer(),
  });
  await fc.assert(fc.asyncProperty(sizes, async (size) => expectSamePicture(noise(size))));
});

test("a picture large enough for several stripes is read back whole", async () => {
  await expectSamePicture(noise({ width: 701, height: 403, pad: 1, offset: 0, seed: 7 }));
});

interface Shape {
  readonly width: number;
  readonly height: number;
  readonly pad: number;
  readonly offset: number;
  readonly seed: number;
}

function noise({ width, height, pad, offset, seed }: Shape): Pixels {
  const stride = (width + pad) * 4;
  // The last row ends with its pixels, as in a part cut out of a larger picture.
  const data = new Uint8Array(offset + stride * height - pad * 4).subarray(offset);
  let state = seed | 1;
  for (let index = 0; index < data.length; index++) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) | 0;
    // Flat in places, so that long matches occur, too.
    data[index] = (index >> 9) % 3 === 0 ? 200 : state >>> 24;
  }
  return { data, width, height, stride, format: "bgrx" };
}

async function expectSamePicture(pixels: Pixels): Promise<void> {
  const png = Buffer.from(await encodePng(pixels));
  const { data, info } = await sharp(png).raw().toBuffer({ resolveWithObject: true });
  expect([info.width, info.height, info.channels]).toEqual([pixels.width, pixels.height, 3]);
  expect(Buffer.compare(data, toRgb(pixels))).toBe(0);
  // Picture decoders tolerate a wrong checksum of the compressed stream; zlib does not.
  expect(inflateSync(compressedStream(png)).length).toBe((1 + pixels.width * 3) * pixels.height);
}

function compressedStream(png: Buffer): Buffer {
  const parts: Buffer[] = [];
  for (let at = 8; at < png.length;) {
    const length = png.readUInt32BE(at);
    if (png.toString("latin1", at + 4, at + 8) === "IDAT") parts.push(png.subarray(at + 8, at + 8 + length));
    at += 12 + length;
  }
  return Buffer.concat(parts);
}
