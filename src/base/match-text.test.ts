import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  foldText,
  hasAsWords,
  hasWords,
  makeMatcher,
  partRank,
  rankText,
  rateText,
  wholeRank,
  type Matcher,
} from "./match-text.ts";

/** As in a page: created from the source text of the function alone. */
const inPage = runInNewContext(`(${makeMatcher.toString()})()`) as Matcher;

describe("the ranking of texts", () => {
  test("puts the whole text first, then its beginning, a word in it, a part of it, and some of the words", () => {
    const texts = [
      "open the file now",
      "saved",
      "a file open",
      "reopen file",
      "open file",
      "re open file",
      "open files",
    ];
    const ranked = texts.toSorted((a, b) => rankText(b, "open file") - rankText(a, "open file"));
    expect(ranked).toEqual([
      "open file",
      "open files",
      "re open file",
      "reopen file",
      "open the file now",
      "a file open",
      "saved",
    ]);
    expect(rankText("saved", "open file")).toBe(0);
  });

  test.each([
    ["the über-user", "über", 65],
    ["darüber", "über", partRank],
    ["price (eur)", "(eur", 65],
    ["a.c", "a.c", wholeRank],
    ["abc", "a.c", 0],
    ["", "", 0],
  ])("%j answers %j with %d", (text, wanted, rank) => {
    expect(rankText(text, wanted)).toBe(rank);
  });

  test("counts an element's other texts less than its name", () => {
    expect(rateText("search", () => [], "search")).toBeGreaterThan(rateText("find", () => ["search"], "search"));
    expect(rateText("find", () => ["", "search"], "search")).toBe(wholeRank * 0.6);
    expect(rateText("find", () => [], "search")).toBe(0);
  });
});

const letters = fc.constantFrom(..."abé漢 -.(1🎉");
const anyText = fc.array(letters, { maxLength: 8 }).map((all) => foldText(all.join("")));

test("a page ranks as we do: its copy needs nothing from outside", () => {
  fc.assert(
    fc.property(anyText, anyText, anyText, (text, other, wanted) => {
      expect(inPage.rank(text, wanted)).toBe(rankText(text, wanted));
      expect(inPage.rate(text, () => [other], wanted)).toBe(rateText(text, () => [other], wanted));
      expect(inPage.hasWords(text, wanted)).toBe(hasWords(text, wanted));
    }),
  );
});

test("what has the text ranks above what has some of its words, and what has its words is never left out", () => {
  fc.assert(
    fc.property(anyText, anyText, (text, wanted) => {
      fc.pre(text !== "" && wanted !== "");
      expect(rankText(text, wanted) >= partRank).toBe(text.includes(wanted));
      if (hasWords(text, wanted)) expect(rankText(text, wanted)).toBeGreaterThan(0);
    }),
  );
});

test.each([
  ["book", "ok", false],
  ["google", "go", false],
  ["notes", "no", false],
  ["item 12", "1", false],
  ["ok, go on", "ok", true],
  ["ok", "ok", true],
  ["saved files", "save", true],
  ["autosave", "save", false],
  ["save as…", "save as…", true],
  ["另存为文件", "存", true],
  ["c++", "+", true],
])('"%s" is what a person means by "%s": %s', (text, wanted, isMeant) => {
  expect(hasAsWords(text, wanted)).toBe(isMeant);
});
