import { expect, test } from "vitest";
import { mergeHeads } from "./letters.ts";
import type { Character } from "./words.ts";

/** Characters two steps apart, as a head returns them. */
const head = (text: string, confidence = 0.99): Character[] =>
  [...text].map((letter, i) => {
    return { text: letter, confidence, firstStep: 2 * i, lastStep: 2 * i, centre: 16 * i };
  });

const merged = (first: string, second: Character[]): string =>
  mergeHeads(head(first), second)
    .map(({ text }) => text)
    .join("")
    .trim()
    .replaceAll(/ +/g, " ");

test("words in which the second head is sure to see accents are its own, all others are the first's", () => {
  expect(merged("Zmena mOdu", head("Změna m0du"))).toBe("Změna mOdu");
});

test("a doubtful accent on a plain word is not believed", () => {
  expect(merged("notebook", head("nòtebook", 0.95))).toBe("notebook");
});

test("where the first sees an accent too, the second knows better which", () => {
  expect(merged("Románá", head("Română", 0.92))).toBe("Română");
});

test("a space that only one of them sees separates the words it read", () => {
  expect(merged("Prliš_zlut", head("Příli žluť"))).toBe("Příli žluť");
});

test.each([
  ["house!", "houseļ"],
  ["paper$", "paperş"],
  ["row 1", "row ı"],
  ["4.", "Ą."],
])("a sign or a figure stays what it is: %s", (first, second) => {
  expect(merged(first, head(second))).toBe(first);
});

test("without accents nothing is merged", () => {
  const first = head("plain text");
  expect(mergeHeads(first, head("plaln text"))).toBe(first);
});
