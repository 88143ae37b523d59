import * as fc from "fast-check";
import { expect, test } from "vitest";
import { redact } from "./redact.ts";

test("secret keys lose their value at any depth, whatever their case", () => {
  const value = { text: "a", deep: [{ Text: { inner: "b" }, other: "c" }], TEXT: null };
  expect(redact(value, ["text"])).toEqual({
    text: "[REDACTED]",
    deep: [{ Text: "[REDACTED]", other: "c" }],
    TEXT: "[REDACTED]",
  });
});

test("no secret survives anywhere in the copy", () => {
  const secret = "s3cr3t-value";
  const tree = fc.letrec((tie) => ({
    node: fc.oneof(
      { maxDepth: 5 },
      fc.constantFrom<unknown>({ password: secret }, { PASSWORD: [{ a: secret }] }, "text"),
      fc.dictionary(fc.constantFrom("a", "password", "Password", "__proto__"), tie("node"), { maxKeys: 3 }),
      fc.array(tie("node"), { maxLength: 3 }),
    ),
  })).node;
  fc.assert(
    fc.property(tree, (value) => {
      expect(JSON.stringify(redact(value, ["passWORD"]))).not.toContain(secret);
    }),
  );
});

test("plain data without secrets is copied as it is, and the original is left alone", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
      const before = structuredClone(value);
      expect(redact(value, [])).toEqual(value);
      expect(value).toEqual(before);
    }),
  );
});

test("long text is cut, and a character is never cut in half", () => {
  const result = redact(`${"x".repeat(1_999)}🎉${"y".repeat(500)}`, []);
  expect(result).toBe(`${"x".repeat(1_999)}[502 more characters]`);
});

test("bytes become their count", () => {
  expect(redact({ image: new Uint8Array(7), raw: new ArrayBuffer(3), b: Buffer.from("ab") }, [])).toEqual({
    image: "[7 bytes]",
    raw: "[3 bytes]",
    b: "[2 bytes]",
  });
});

test("cycles, depth and endless lists end", () => {
  const loop: Record<string, unknown> = { name: "loop" };
  loop["self"] = loop;
  expect(redact(loop, [])).toEqual({ name: "loop", self: "[circular]" });
  let deep: unknown = "end";
  for (let level = 0; level < 10_000; level++) deep = [deep];
  expect(JSON.stringify(redact(deep, []))).toContain("[too deep]");
  expect(redact(Array.from({ length: 5_000 }).fill(0), [])).toHaveLength(2_001);
});

test("a __proto__ key stays a key", () => {
  const copy = redact(JSON.parse('{"__proto__": {"polluted": true}}'), []);
  expect(JSON.stringify(copy)).toBe('{"__proto__":{"polluted":true}}');
  expect(Object.getPrototypeOf(copy)).toBe(Object.prototype);
});

test.each([undefined, null, 1, true, 10n, Symbol("s"), () => 1, new Date(Number.NaN)])("takes %s", (value) => {
  expect(() => JSON.stringify({ value: redact(value, []) })).not.toThrow();
});
