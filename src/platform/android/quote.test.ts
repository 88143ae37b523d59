import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { expect, test } from "vitest";
import { quote, splitForInput, untypable } from "./quote.ts";

/** What AOSP's Input.sendText does to its argument. */
const sendText = (text: string): string => text.replaceAll("%s", " ");

const shell = (script: string): string => execFileSync("/bin/sh", ["-c", script], { encoding: "utf8" });

const hard = [
  "plain",
  "two words",
  "  edges  ",
  "%s",
  "%%s",
  "100%sure",
  "%",
  "s",
  "it's",
  "''",
  '"double"',
  "back\\slash",
  "$HOME ${x} $(id) `id`",
  "a;b & c | d > e < f",
  "#hash",
  "!bang ~tilde",
  "{a,b} [x] *?",
  "line\nbreak; id",
  "tab\there",
  "-n",
  "--help",
  "%s%s%s",
  "end\\",
  "(parens)",
  "a=b",
  "$'x'",
  "\n",
];

test.each(hard)("what is typed arrives as it is and runs nothing: %j [S2-132]", (text) => {
  const pieces = splitForInput(text, 400);
  const arrived = pieces.map((piece) => sendText(shell(`printf %s ${quote(piece)}`)));
  expect(arrived.join("")).toBe(text);
});

test("any text survives the shell and the %s rule [S2-132]", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom("%", "s", "'", "\\", "$", "`", '"', "\n", ";", " ", "a"), maxLength: 40 }),
      fc.integer({ min: 1, max: 12 }),
      (text, longest) => {
        const pieces = splitForInput(text, longest);
        expect(pieces.map(sendText).join("")).toBe(text);
        expect(pieces.every((piece) => piece.length <= longest)).toBe(true);
      },
    ),
  );
  fc.assert(
    fc.property(fc.string({ unit: "binary-ascii", maxLength: 60 }), (text) => {
      const safe = text.replaceAll("\0", "");
      expect(shell(`printf %s ${quote(safe)}`)).toBe(safe);
    }),
    { numRuns: 60 },
  );
});

test("characters that no key types are named, each once", () => {
  expect(untypable("plain ASCII\n\t~")).toEqual([]);
  expect(untypable("héllo é \u{1f600}\u0007")).toEqual(["é", "\u{1f600}", "\u0007"]);
});
