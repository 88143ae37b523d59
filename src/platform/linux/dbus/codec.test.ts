import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { MarshalError, Writer } from "./marshal.ts";
import { decodeMessage, encodeMessage, messageLength, messageType, type Header } from "./message.ts";
import { MessageStream } from "./incoming.ts";
import { parseSignature, SignatureError, type BasicCode } from "./signature.ts";
import { ProtocolError, Reader } from "./unmarshal.ts";
import { Variant, type Value } from "./value.ts";

interface Sample {
  readonly signature: string;
  readonly value: Value;
}

const path = fc.array(fc.stringMatching(/^[A-Za-z0-9_]{1,5}$/), { maxLength: 3 }).map((names) => `/${names.join("/")}`);
const text = fc.string({ unit: "grapheme", maxLength: 12 }).filter((each) => !each.includes("\0"));

const basics: Readonly<Record<BasicCode, fc.Arbitrary<Value>>> = {
  y: fc.integer({ min: 0, max: 255 }),
  b: fc.boolean(),
  n: fc.integer({ min: -0x8000, max: 0x7fff }),
  q: fc.integer({ min: 0, max: 0xffff }),
  i: fc.integer(),
  u: fc.integer({ min: 0, max: 0xffff_ffff }),
  x: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  t: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
  d: fc.double(),
  s: text,
  o: path,
  g: fc.constantFrom("", "s", "a{sv}", "(so)as"),
  h: fc.integer({ min: 0, max: 0xffff_ffff }),
};

/** A type, and a generator for its values: all items of an array must have the same type. */
interface Shape {
  readonly signature: string;
  readonly values: fc.Arbitrary<Value>;
}

const basic: fc.Arbitrary<Shape> = fc
  .constantFrom(...(Object.keys(basics) as BasicCode[]))
  .map((code) => ({ signature: code, values: basics[code] }));

const shape: fc.Arbitrary<Shape> = fc.letrec<{ shape: Shape }>((tie) => ({
  shape: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    basic,
    tie("shape").map(({ signature, values }) => ({
      signature: `a${signature}`,
      values:
        signature === "y"
          ? fc.uint8Array({ maxLength: 9 }).map((bytes) => new Uint8Array(bytes))
          : fc.array(values, { maxLength: 4 }),
    })),
    fc.array(tie("shape"), { minLength: 1, maxLength: 4 }).map((fields) => ({
      signature: `(${fields.map(({ signature }) => signature).join("")})`,
      values: fc.tuple(...fields.map(({ values }) => values)),
    })),
    fc.tuple(basic, tie("shape")).map(([key, item]) => ({
      signature: `a{${key.signature}${item.signature}}`,
      values: fc.array(fc.tuple(key.values, item.values), { maxLength: 3 }).map((entries) => new Map(entries)),
    })),
    tie("shape").map(({ signature, values }) => ({
      signature: "v",
      values: values.map((value) => new Variant(signature, value)),
    })),
  ),
})).shape;

const sample: fc.Arbitrary<Sample> = shape.chain(({ signature, values }) =>
  values.map((value) => ({ signature, value })),
);

describe("the D-Bus codec", () => {
  test("gives back every value of every type unchanged, whatever came before it", () => {
    fc.assert(
      fc.property(fc.array(sample, { minLength: 1, maxLength: 4 }), (samples) => {
        const signature = samples.map((each) => each.signature).join("");
        fc.pre(signature.length <= 255);
        const values = samples.map(({ value }) => value);
        const writer = new Writer(1);
        writer.values(signature, values);
        expect(new Reader(writer.take(), true).values(signature)).toEqual(values);
      }),
      { numRuns: 500 },
    );
  });

  test("gives back a message with its header and body, cut into pieces at any place", () => {
    fc.assert(
      fc.property(fc.array(sample, { maxLength: 3 }), fc.array(fc.nat(64), { maxLength: 20 }), (samples, cuts) => {
        const signature = samples.map((each) => each.signature).join("");
        fc.pre(signature.length <= 255);
        const values = samples.map(({ value }) => value);
        const header: Header = {
          type: messageType.call,
          flags: 2,
          serial: 77,
          path: "/a/b",
          interface: "org.example.I",
          member: "Do",
          destination: ":1.5",
          ...(signature === "" ? {} : { signature }),
        };
        const bytes = encodeMessage(header, values);
        expect(messageLength(bytes)).toBe(bytes.length);
        const stream = new MessageStream();
        const seen: unknown[] = [];
        const both = Buffer.concat([bytes, bytes]);
        let at = 0;
        const feed = (to: number) => {
          const chunk = Buffer.from(both.subarray(at, to));
          stream.add(chunk, (message) => {
            const decoded = decodeMessage(message);
            seen.push([decoded.header, decoded.body()]);
          });
          chunk.fill(0);
          at = to;
        };
        for (const cut of cuts) feed(Math.min(both.length, at + cut));
        feed(both.length);
        expect(seen).toEqual([
          [header, values],
          [header, values],
        ]);
      }),
    );
  });

  test("reads a big-endian message", () => {
    const reader = new Reader(Buffer.from([0, 0, 1, 2, 0, 0, 0, 2, 0x68, 0x69, 0]), false);
    expect(reader.values("us")).toEqual([0x102, "hi"]);
  });

  test("takes a safe integer for a 64-bit number", () => {
    const writer = new Writer();
    writer.values("tx", [12, -5]);
    expect(new Reader(writer.take(), true).values("tx")).toEqual([12n, -5n]);
  });

  test.each<[string, Value]>([
    ["y", 256],
    ["u", -1],
    ["i", 1.5],
    ["t", -1n],
    ["x", 2n ** 63n],
    ["t", Number.MAX_SAFE_INTEGER + 1],
    ["s", "zero \0 inside"],
    ["o", "no/slash"],
    ["b", 1],
    ["as", "text"],
    ["(ss)", ["one"]],
    ["a{ss}", []],
    ["v", "bare"],
  ])("refuses to send as %s: %s", (signature, value) => {
    expect(() => new Writer().values(signature, [value])).toThrow(MarshalError);
  });

  test.each(["(", "()", "a", "a{vs}", "a{s}", "z", "(s", `${"a".repeat(40)}s`, "s".repeat(256)])(
    "refuses the signature %s",
    (signature) => {
      expect(() => parseSignature(signature)).toThrow(SignatureError);
    },
  );

  test("never reads beyond the bytes, whatever they say", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), shape, (bytes, { signature }) => {
        const reader = new Reader(Buffer.from(bytes), true);
        try {
          reader.values(signature);
          expect(reader.at).toBeLessThanOrEqual(bytes.length);
        } catch (error) {
          expect(error instanceof ProtocolError || error instanceof SignatureError).toBe(true);
        }
      }),
      { numRuns: 500 },
    );
  });

  test("refuses endlessly nested variants", () => {
    const bytes = Buffer.from("\u0001v\0".repeat(5000), "latin1");
    expect(() => new Reader(bytes, true).values("v")).toThrow(ProtocolError);
  });
});
