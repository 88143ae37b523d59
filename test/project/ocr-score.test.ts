import { expect, test } from "vitest";
import type { ImageRect } from "../../src/base/geometry.ts";
import { Content } from "../fixtures/ocr/content.ts";
import { allScreens } from "../fixtures/ocr/screens.ts";
import { vocabulary } from "../fixtures/ocr/words.ts";
import { isOneEdit, judge, type ReadWord } from "../support/ocr-score.ts";
import type { TrueWord } from "../support/ocr-render.ts";

const box = (x: number, y = 0, width = 50): ImageRect => ({ x, y, width, height: 14 });
const truth = (text: string, at: ImageRect, isSeen = true): TrueWord => ({ text, ...at, fontPx: 12, isSeen });
const read = (text: string, at: ImageRect): ReadWord => ({ text, box: at });

test("a word read right in its place counts for everything", () => {
  const { score, misses, inventions } = judge([truth("Save", box(0))], [read("Save", box(1))]);
  expect(score).toEqual({ words: 1, exact: 1, anyCase: 1, folded: 1, near: 1, clickable: 1, read: 1 });
  expect([misses, inventions]).toEqual([[], []]);
});

test("punctuation at the edges does not matter, inside it does", () => {
  const words = [truth("(done),", box(0)), truth("a.b", box(100))];
  const { score } = judge(words, [read("done", box(0)), read("ab", box(100))]);
  expect(score).toMatchObject({ words: 2, exact: 1, near: 1, read: 2 });
});

test("one wrong letter is forgiven in words of four letters and more only", () => {
  const words = [truth("Total", box(0)), truth("the", box(100)), truth("Orders", box(200))];
  const { score, misses } = judge(words, [read("Tota1", box(0)), read("thc", box(100)), read("0rdcrs", box(200))]);
  expect(score).toMatchObject({ words: 3, exact: 0, near: 1, read: 3 });
  expect(misses.map(({ word, seenAs }) => [word.text, seenAs])).toEqual([
    ["the", "thc"],
    ["Orders", "0rdcrs"],
  ]);
});

test("capitals and accents are counted apart", () => {
  const words = [truth("JSON", box(0)), truth("über", box(100))];
  const { score } = judge(words, [read("JsoN", box(0)), read("Uber", box(100))]);
  expect(score).toMatchObject({ exact: 0, anyCase: 1, folded: 2, near: 1 });
});

test("a word read beside its place is found but not clickable", () => {
  const { score } = judge([truth("Save", box(0))], [read("Save", box(45))]);
  expect(score).toMatchObject({ near: 1, clickable: 0 });
});

test("a word read far from its place is missed and invented", () => {
  const { score, inventions } = judge([truth("Save", box(0))], [read("Save", box(400))]);
  expect(score).toMatchObject({ near: 0, read: 1 });
  expect(inventions).toHaveLength(1);
});

test("a word that was read once counts for only one true word", () => {
  const words = [truth("Open", box(0)), truth("Open", box(55))];
  expect(judge(words, [read("Open", box(2))]).score).toMatchObject({ words: 2, exact: 1, clickable: 1 });
});

test("what is half hidden, and mere punctuation, count neither as missed nor as invented", () => {
  const words = [truth("folder", box(0), false), truth("=>", box(100))];
  const { score } = judge(words, [read("fol", box(0, 0, 25)), read("5", box(100)), read("—", box(300))]);
  expect(score).toMatchObject({ words: 0, read: 0 });
});

test.each([
  ["word", "word", true],
  ["word", "ward", true],
  ["word", "wor", true],
  ["word", "words", true],
  ["word", "sword", true],
  ["word", "wrod", false],
  ["word", "wo", false],
  ["", "ab", false],
])("%s and %s differ by one edit at most: %s", (a, b, isNear) => {
  expect([isOneEdit(a, b), isOneEdit(b, a)]).toEqual([isNear, isNear]);
});

test("the set has forty screens and more, the same ones every time, and its halves share no template and no everyday word", () => {
  const screens = allScreens();
  expect(screens.length).toBeGreaterThanOrEqual(40);
  expect(allScreens()).toEqual(screens);
  expect(new Set(screens.map(({ half, name }) => `${half}/${name}`)).size).toBe(screens.length);
  const templates = (half: string) =>
    new Set(screens.filter((s) => s.half === half).map(({ name }) => name.split(/-(light|dark)/)[0]));
  expect([...templates("tuning")].filter((name) => templates("held-out").has(name))).toEqual([]);
  const tuning = new Set(vocabulary("tuning").words);
  expect(vocabulary("held-out").words.filter((word) => tuning.has(word))).toEqual([]);
  expect(new Content("tuning", "a").paragraph(2)).not.toBe(new Content("tuning", "b").paragraph(2));
});
