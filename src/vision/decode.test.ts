import sharp from "sharp";
import { describe, expect, test } from "vitest";
import { bomb } from "../../test/support/bomb.ts";
import { decodeImage, decodePicture } from "./decode.ts";

const options = { what: "The test picture" };
const red = { r: 220, g: 30, b: 40 };
const plain = (width: number, height: number) => sharp({ create: { width, height, channels: 3, background: red } });
const firstPixel = (data: Uint8Array) => [...data.subarray(0, 4)];

describe("pictures of every kind", () => {
  test.each(["png", "jpeg", "webp", "gif", "tiff", "avif"] as const)("%s is read", async (format) => {
    const decoded = await decodeImage(await plain(12, 7).toFormat(format).toBuffer(), options);
    expect(decoded).toMatchObject({ width: 12, height: 7, mime: `image/${format}`, pages: 1 });
    expect(decoded.data).toHaveLength(12 * 7 * 4);
    expect(Math.abs((decoded.data[0] ?? 0) - red.r)).toBeLessThan(10);
  });

  test("one pixel is a picture too", async () => {
    expect(await decodeImage(await plain(1, 1).png().toBuffer(), options)).toMatchObject({ width: 1, height: 1 });
  });

  test("16 bits a channel become 8", async () => {
    const bytes = await plain(4, 4).toColourspace("rgb16").png().toBuffer();
    expect((await sharp(bytes).metadata()).depth).toBe("ushort");
    expect(firstPixel((await decodeImage(bytes, options)).data)).toEqual([220, 30, 40, 255]);
  });

  test("grey with 16 bits becomes colour with 8", async () => {
    const bytes = await plain(4, 4).toColourspace("grey16").png().toBuffer();
    const [r, g, b, a] = firstPixel((await decodeImage(bytes, options)).data);
    expect([g, b, a]).toEqual([r, r, 255]);
  });

  test("CMYK becomes RGB", async () => {
    const bytes = await plain(16, 16).toColourspace("cmyk").jpeg({ quality: 100 }).toBuffer();
    expect((await sharp(bytes).metadata()).space).toBe("cmyk");
    const decoded = await decodeImage(bytes, options);
    expect(decoded.data).toHaveLength(16 * 16 * 4);
    expect(decoded.data[0]).toBeGreaterThan((decoded.data[1] ?? 255) + 80);
  });

  test("the first picture of an animation is read, and the number of pictures reported", async () => {
    const two = Buffer.concat([Buffer.alloc(10 * 10 * 3, 250), Buffer.alloc(10 * 10 * 3, 5)]);
    const bytes = await sharp(two, { raw: { width: 10, height: 20, channels: 3, pageHeight: 10 } })
      .gif()
      .toBuffer();
    const decoded = await decodeImage(bytes, options);
    expect(decoded).toMatchObject({ width: 10, height: 10, pages: 2 });
    expect(decoded.data[0]).toBeGreaterThan(200);
  });

  test("a camera's rotation is applied", async () => {
    const bytes = await plain(8, 4).withMetadata({ orientation: 6 }).jpeg().toBuffer();
    expect(await decodeImage(bytes, options)).toMatchObject({ width: 4, height: 8 });
  });

  test("a larger one is shrunk to fit, a smaller one is left [S2-148]", async () => {
    const bytes = await plain(100, 50).png().toBuffer();
    expect(await decodeImage(bytes, { ...options, maxWidth: 40 })).toMatchObject({ width: 40, height: 20 });
    expect(await decodeImage(bytes, { ...options, maxHeight: 10 })).toMatchObject({ width: 20, height: 10 });
    expect(await decodeImage(bytes, { ...options, maxWidth: 500 })).toMatchObject({ width: 100, height: 50 });
  });
});

describe("refused, with the reason:", () => {
  const png = plain(60, 60).png().toBuffer();
  test.each([
    ["nothing", async () => Buffer.alloc(0), "empty"],
    ["text", async () => Buffer.from("not a picture, whatever it is called"), "cannot be read as a picture"],
    ["the beginning of a picture", async () => (await png).subarray(0, 60), "cannot be read as a picture"],
    ["a picture with its middle overwritten", async () => damaged(await png), "cannot be read as a picture"],
    ["20 000 × 20 000 pixels in a kilobyte", async () => bomb(20_000, 20_000), "20000×20000 pixels"],
    [
      "an SVG, which may name other files",
      async () => Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'),
      "cannot",
    ],
  ])("%s", async (_what, make, message) => {
    await expect(decodeImage(await make(), options)).rejects.toMatchObject({
      code: "invalid_argument",
      message: expect.stringContaining(message),
    });
  });

  test("a bomb takes no memory", async () => {
    const before = process.memoryUsage().rss;
    for (let count = 0; count < 5; count++) await decodeImage(bomb(20_000, 20_000), options).catch(() => {});
    // A single decoded picture would take 1200 MB.
    expect(process.memoryUsage().rss - before).toBeLessThan(300e6);
  });
});

function damaged(bytes: Buffer): Buffer {
  const out = Buffer.from(bytes);
  out.fill(0xa5, 45, Math.min(out.length - 12, 120));
  return out;
}

const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>`;

test("a screen that claims to be larger than memory, or is not a picture, is refused", async () => {
  for (const bytes of [bomb(60_000, 60_000), Buffer.from("no picture"), Buffer.from(svg), Buffer.alloc(0)]) {
    await expect(decodePicture(bytes)).rejects.toMatchObject({ code: "not_connected" });
  }
});
