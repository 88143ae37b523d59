import fc from "fast-check";
import { expect, test } from "vitest";
import { foldText, isOneEdit, matchText } from "./match.ts";
import { lineOf, type Line } from "./reading.ts";

/** A line in which every character is 10 pixels wide. */
function line(text: string, y = 0): Line {
  let x = 0;
  const words = text.split(" ").map((word) => {
    const box = { x, y, width: word.length * 10, height: 12 };
    x += (word.length + 1) * 10;
    return { text: word, confidence: 0.9, box };
  });
  return lineOf(words);
}

const screen = [line("File Edit View", 0), line("Save all changes", 20), line("Button on the left", 40)];

test.each([
  ["save all", "Save all", 1],
  ["Säve", "Save", 0.95],
  ["5ave", "Save", 0.95],
  ["chonges", "changes", 0.8],
  ["saveall", "Save all", 0.95],
  ["Fi1e", "File", 0.95],
  ["nowhere", undefined, undefined],
])('"%s" is found as "%s", which is %d right', (query, text, quality) => {
  const [first] = matchText(screen, query);
  expect(first?.text).toBe(text);
  expect(first?.quality).toBe(quality);
});

test.each([
  ["Contact 99", "Contact 39"],
  ["Room 12", "Room 17"],
  ["Total 1200", "Total 1500"],
  ["Page 12 of 3", "Page 1 of 3"],
])('"%s" is not "%s": a number that differs in a digit is another one', (query, text) => {
  expect(matchText([line(text)], query)).toEqual([]);
});

test("a digit that was read as a letter is overlooked like any other", () => {
  expect(matchText([line("Room B42")], "Room 842")[0]?.quality).toBe(0.8);
});

test("the box covers the words that were asked for and no others", () => {
  expect(matchText(screen, "all changes")[0]?.box).toEqual({ x: 50, y: 20, width: 110, height: 12 });
  expect(matchText(screen, "chang")[0]?.box).toEqual({ x: 90, y: 20, width: 50, height: 12 });
});

test("whole words leave out the ones that only contain the text", () => {
  expect(matchText(screen, "on").map(({ text }) => text)).toEqual(["Button", "on"]);
  expect(matchText(screen, "on", { wholeWords: true }).map(({ text }) => text)).toEqual(["on"]);
});

test("exact matches come before similar ones, and no more than asked for", () => {
  const lines = [line("Chance"), line("Change", 20), line("Change", 40)];
  expect(matchText(lines, "change").map(({ quality }) => quality)).toEqual([1, 1, 0.8]);
  expect(matchText(lines, "change", { maxResults: 1 })).toHaveLength(1);
});

const word = fc.stringMatching(/^[a-zA-Z0-9]{1,8}$/);

test("every run of words of a line is found in it, with a box inside the line's box", () => {
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 6 }), fc.nat(), fc.nat(), (words, a, b) => {
      const own = line(words.join(" "), 7);
      const from = a % words.length;
      const to = from + 1 + (b % (words.length - from));
      const found = matchText([own], words.slice(from, to).join(" "));
      expect(found.length).toBeGreaterThan(0);
      for (const { box, quality } of found) {
        expect(quality).toBeGreaterThan(0.9);
        expect(box.x).toBeGreaterThanOrEqual(own.box.x);
        expect(box.x + box.width).toBeLessThanOrEqual(own.box.x + own.box.width);
      }
    }),
  );
});

test("folding twice is folding once", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), (text) => {
      expect(foldText(foldText(text))).toBe(foldText(text));
    }),
  );
});

test("one changed letter is one edit, whichever it is", () => {
  fc.assert(
    fc.property(
      fc.string({ minLength: 1 }),
      fc.nat(),
      fc.string({ minLength: 0, maxLength: 1 }),
      (text, at, letter) => {
        const place = at % text.length;
        const changed = text.slice(0, place) + letter + text.slice(place + 1);
        expect(isOneEdit(text, changed)).toBe(true);
      },
    ),
  );
});
