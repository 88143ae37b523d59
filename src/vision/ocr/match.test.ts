import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { foldText } from "./fold.ts";
import { isOneEdit, matchText } from "./match.ts";
import { lineOf, type Line } from "./reading.ts";

/** A line in which every character is 10 pixels wide. */
function line(text: string, y = 0, left = 0): Line {
  let x = left;
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
  expect(matchText([line("Room B42")], "Room 842")[0]?.quality).toBe(0.9);
});

test.each([
  ["Confirm", "Confirrn", false],
  ["modern", "modem", false],
  ["View", "Vievv", false],
  ["B8", "88", false],
  ["Cofirm", "Confirm", true],
  ["Saved", "Save", true],
  ["Paid", "Pad", true],
  ["Pale", "Pole", true],
])('"%s" read as "%s" is another text: %s', (query, text, isOther) => {
  expect(matchText([line(text)], query).map((match) => match.isOther)).toEqual([isOther]);
});

test("the box covers the words that were asked for and no others", () => {
  expect(matchText(screen, "all changes")[0]?.box).toEqual({ x: 50, y: 20, width: 110, height: 12 });
  expect(matchText(screen, "chang")[0]?.box).toEqual({ x: 90, y: 20, width: 50, height: 12 });
});

const texts = (lines: readonly Line[], query: string) => matchText(lines, query).map(({ text }) => text);
const places = (lines: readonly Line[], query: string) => matchText(lines, query).map(({ box }) => box.y);

describe("the first match is", () => {
  test("a whole word, not a part of one", () => {
    expect(texts([line("Book"), line("outlook.com", 30), line("OK", 60)], "OK")).toEqual(["OK", "Book", "outlook.com"]);
    expect(texts([line("millimeters"), line("meters", 30)], "Meters")[0]).toBe("meters");
  });

  test("in the same case, unless the letters look alike in both", () => {
    expect(places([line("Add all"), line("add all", 30)], "add all")).toEqual([30, 0]);
    expect(places([line("zoom"), line("Zoom", 30)], "Zoom")).toEqual([0, 30]);
  });

  test("a text that stands alone, not one in a sentence", () => {
    const dialog = [line("Replace it now, if that is what you want?"), line("Replace", 40), line("Replace all", 80)];
    expect(places(dialog, "Replace")).toEqual([40, 80, 0]);
  });

  test("not the last word of a sentence that was wrapped", () => {
    expect(places([line("When all is done you may press"), line("Save", 16), line("Save", 80)], "Save")).toEqual([
      80, 16,
    ]);
  });

  test("a label without punctuation, then one with it", () => {
    expect(places([line("Name:"), line("Name", 30)], "Name")).toEqual([30, 0]);
  });

  test("the right letters, not similar ones, even if those stand alone", () => {
    expect(texts([line("Pause"), line("There is a cause for it here", 30)], "cause")).toEqual(["cause", "Pause"]);
  });
});

describe("several lines are one text:", () => {
  test("a label wrapped over two, centred", () => {
    const [match] = matchText([line("Course Timetable.", 0, 0), line("xlsx", 16, 65)], "Course Timetable.xlsx");
    expect(match).toMatchObject({ quality: 0.95, box: { x: 0, y: 0, width: 170, height: 28 } });
  });

  test("three at most", () => {
    const lines = [line("One two"), line("three four", 16), line("five six", 32), line("seven", 48)];
    expect(matchText(lines, "two three four five")).toHaveLength(1);
    expect(matchText(lines, "two three four five six seven")).toHaveLength(0);
  });

  test("the cells of a row", () => {
    expect(texts([line("Gray"), line("/usr/share", 1, 90)], "Gray /usr/share")).toEqual(["Gray /usr/share"]);
  });

  test("but a part of running text is clicked where its longer piece is", () => {
    const [match] = matchText(
      [line("We explain all terms and"), line("conditions elsewhere too", 16)],
      "and conditions",
    );
    expect(match?.box).toEqual({ x: 0, y: 16, width: 100, height: 12 });
  });

  test("not the rows of a menu", () => {
    expect(matchText([line("Save"), line("All", 30)], "Save all")).toEqual([]);
  });
});

test("dots at the end are left out when they were misread", () => {
  expect(texts([line("Send by Emai..")], "Send by Email...")).toEqual(["Send by Emai.."]);
});

test("exact matches come before similar ones, and no more than asked for", () => {
  const lines = [line("Chance"), line("Change", 20), line("Change", 40)];
  expect(matchText(lines, "Change").map(({ quality }) => quality)).toEqual([1, 1, 0.8]);
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
