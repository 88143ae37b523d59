import * as fc from "fast-check";
import { expect, test } from "vitest";
import { Secrets } from "./secrets.ts";

const value = "n4med-s3cret";
const secrets = new Secrets({ pin: value });

test("a text that was cut in the middle of a value shows nothing of it but three characters", () => {
  for (let length = 4; length < value.length; length++) {
    const start = value.slice(0, length);
    expect(secrets.conceal(`before ${start}…`)).toBe("before [SECRET pin]…");
    expect(secrets.conceal(`"${start}…" and "${start}…"`)).toBe('"[SECRET pin]…" and "[SECRET pin]…"');
    expect(secrets.conceal(`${"x".repeat(500)}${start}`)).toBe(`${"x".repeat(500)}[SECRET pin]`);
  }
});

test("an ordinary text that ends like the beginning of a value stays as it is", () => {
  expect(secrets.conceal("n4med")).toBe("n4med");
  expect(secrets.conceal(`${"x".repeat(500)} and more…`)).toBe(`${"x".repeat(500)} and more…`);
});

test("the beginning of a text holds no part of a value, wherever it is cut", () => {
  const part = fc.constantFrom("ab", " 🎉 ", value, "x".repeat(9));
  fc.assert(
    fc.property(fc.array(part, { maxLength: 8 }), fc.nat(80), fc.boolean(), (parts, characters, isStart) => {
      const whole = parts.join("");
      const known = isStart ? [...whole].slice(0, characters + secrets.longest).join("") : whole;
      const text = secrets.concealStart(known, characters);
      expect([...text].length).toBeLessThanOrEqual(Math.max(characters, secrets.conceal(whole).length));
      expect(text).not.toMatch(/n4|med|s3|cr|et/);
    }),
  );
});

test("without a value in it, the beginning has as many characters as were asked for", () => {
  expect(secrets.concealStart("🎉".repeat(50), 7)).toBe("🎉".repeat(7));
  expect(secrets.concealStart("abc", 7)).toBe("abc");
  expect(new Secrets().concealStart("abcdef", 3)).toBe("abc");
});
