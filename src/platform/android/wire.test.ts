import fc from "fast-check";
import { expect, test } from "vitest";
import { decodeLength, encodeRequest, encodeShell, ShellDecoder } from "./wire.ts";

test("a request has its length in bytes in front, in four hex digits", () => {
  expect(encodeRequest("host:version").toString()).toBe("000chost:version");
  expect(encodeRequest("shell:é").subarray(0, 4).toString()).toBe("0008");
  expect(() => encodeRequest("x".repeat(0x10000))).toThrow(RangeError);
});

test("a length that is not four hex digits is none", () => {
  expect(decodeLength(Buffer.from("00fF"))).toBe(255);
  expect(decodeLength(Buffer.from("-001"))).toBeUndefined();
  expect(decodeLength(Buffer.from("0x1f"))).toBeUndefined();
});

test("packets are the same however the stream is cut", () => {
  const packet = fc.record({
    stream: fc.integer({ min: 0, max: 4 }),
    data: fc.uint8Array({ minLength: 1, maxLength: 40 }),
  });
  fc.assert(
    fc.property(
      fc.array(packet, { maxLength: 8 }),
      fc.infiniteStream(fc.integer({ min: 1, max: 9 })),
      (packets, sizes) => {
        const whole = Buffer.concat(packets.map(({ stream, data }) => encodeShell(stream, data)));
        const decoder = new ShellDecoder();
        const got = new Array<{ stream: number; bytes: number[] }>();
        for (let at = 0; at < whole.length;) {
          const size = sizes.next().value ?? 1;
          for (const { stream, data } of decoder.push(whole.subarray(at, at + size)))
            got.push({ stream, bytes: [...data] });
          at += size;
        }
        const joined = (list: readonly { readonly stream: number; readonly bytes: readonly number[] }[]) =>
          list.map(({ stream, bytes }) => bytes.map((byte) => `${stream}:${byte}`)).flat();
        expect(joined(got)).toEqual(joined(packets.map(({ stream, data }) => ({ stream, bytes: [...data] }))));
      },
    ),
  );
});
