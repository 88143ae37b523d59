import { randomBytes } from "node:crypto";
import { deflateSync, inflateRawSync } from "node:zlib";
import fc from "fast-check";
import { expect, test } from "vitest";
import { openDeflateCodec } from "./isal.ts";

const deflate = openDeflateCodec();
const emptyLastBlock = Buffer.from([0x03, 0x00]);

test.skipIf(!deflate)("blocks of any pieces, put one behind the other, inflate to the pieces", async () => {
  const pieces = fc.array(fc.oneof(fc.uint8Array({ minLength: 1, maxLength: 5000 }), flat), {
    minLength: 1,
    maxLength: 4,
  });
  await fc.assert(
    fc.asyncProperty(pieces, async (bytes) => {
      const deflated = await Promise.all(bytes.map(async (piece) => deflate?.(piece)));
      const stream = Buffer.concat([...deflated.map((done) => done?.blocks ?? new Uint8Array()), emptyLastBlock]);
      expect(Buffer.compare(inflateRawSync(stream), Buffer.concat(bytes))).toBe(0);
    }),
  );
});

test.skipIf(!deflate)("noise, which grows when compressed, fits", async () => {
  const bytes = randomBytes(700_000);
  const { blocks } = (await deflate?.(bytes)) ?? { blocks: new Uint8Array() };
  expect(Buffer.compare(inflateRawSync(Buffer.concat([blocks, emptyLastBlock])), bytes)).toBe(0);
});

test.skipIf(!deflate)("the checksum is the one zlib writes", async () => {
  const bytes = Uint8Array.from({ length: 100_000 }, (_, index) => (index * index) >>> 5);
  const zlib = deflateSync(bytes);
  expect((await deflate?.(bytes))?.adler).toBe(zlib.readUInt32BE(zlib.length - 4));
});

const flat = fc
  .record({ length: fc.integer({ min: 1, max: 200_000 }), value: fc.integer({ min: 0, max: 255 }) })
  .map(({ length, value }) => new Uint8Array(length).fill(value));
