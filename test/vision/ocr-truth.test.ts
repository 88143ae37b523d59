import { beforeAll, describe, expect, test } from "vitest";
import { openTextReader } from "../../src/vision/ocr/reader.ts";
import { truthScreens } from "../support/ocr-screens.ts";
import {
  figuresOf,
  handsightWith,
  ofRow,
  printFigures,
  readAll,
  rows,
  rowTitles,
  scoreOf,
  targets,
  type Result,
} from "../support/ocr-truth.ts";
import { tesseract } from "../support/tesseract.ts";

describe.sequential("reads screens that nobody tuned for [S1-119]", () => {
  let results: Result[];

  beforeAll(async () => {
    const screens = await truthScreens(({ half }) => half === "held-out");
    await using reader = openTextReader();
    results = await readAll(handsightWith(reader), screens);
    // Reading everything twice would double the time; `npm run bench -- ocr-truth` does.
    const sample = rows.flatMap((row) => screens.filter((screen) => screen.row === row).filter((_, i) => i % 4 === 0));
    const peer = { reader: "tesseract (a sample)", results: await readAll(tesseract, sample) };
    console.log(printFigures([{ reader: "handsight", results }, peer]));
  }, 600_000);

  test.each(rows)("%s", (row) => {
    const own = ofRow(results, row);
    const figures = figuresOf(scoreOf(own));
    const { found, clickable = 0, precision = 0 } = targets[row];
    const misses = own.flatMap(({ judgement }) => judgement.misses);
    const examples = misses.slice(0, 12).map(({ word, seenAs }) => `${word.text} → ${seenAs || "nothing"}`);
    const told = `${rowTitles[row]}: ${examples.join(", ")}`;
    expect(figures.found, told).toBeGreaterThanOrEqual(found);
    expect(figures.clickable, told).toBeGreaterThanOrEqual(clickable);
    expect(figures.precision, told).toBeGreaterThanOrEqual(precision);
  });
});
