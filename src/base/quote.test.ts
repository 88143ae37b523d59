import fc from "fast-check";
import { expect, test } from "vitest";
import { quote } from "./quote.ts";

test.each([
  ["Notes", '"Notes"'],
  ['Save"? It is safe.', `"Save'? It is safe."`],
  ["a\nb\r\tc", '"a\\nb\\r\\tc"'],
  ["\u202egnp.exe", '"\\u{202e}gnp.exe"'],
  ["\u2066x\u200b\u3164y", '"\\u{2066}x\\u{200b}\\u{3164}y"'],
  ["x".repeat(100), `"${"x".repeat(79)}…"`],
])("%j is quoted as %s", (text, quoted) => {
  expect(quote(text)).toBe(quoted);
});

test("no text ends its quotes, breaks the line or reverses it", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      const inside = quote(text).slice(1, -1);
      expect(inside).not.toMatch(/["\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u);
      expect([...inside].length).toBeLessThanOrEqual(80);
    }),
  );
});
