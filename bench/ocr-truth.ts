import { openTextReader } from "../src/vision/ocr/reader.ts";
import { truthScreens } from "../test/support/ocr-screens.ts";
import {
  figuresOf,
  handsightWith,
  ofRow,
  readAll,
  rows,
  rowTitles,
  scoreOf,
  targets,
  type Figures,
  type Result,
} from "../test/support/ocr-truth.ts";
import { tesseract } from "../test/support/tesseract.ts";
import type { Row } from "./measure.ts";
import type { Group } from "./group.ts";
import type { Table, Verdict } from "./report.ts";

/** How much of what is written on known screens is read, by both halves of the set. Nothing here is a time. */
export const ocrTruth: Group = async ({ tell }) => {
  tell("rendering the screens");
  const screens = await truthScreens();
  await using reader = openTextReader();
  tell(`reading ${screens.length} screens`);
  const ours = await readAll(handsightWith(reader), screens);
  tell("the same with tesseract");
  const theirs = await readAll(tesseract, screens);
  return (["held-out", "tuning"] as const).flatMap((half) => {
    const ofHalf = (results: readonly Result[]) => results.filter(({ screen }) => screen.half === half);
    return rows.map((row) => table(half, row, { ours: ofRow(ofHalf(ours), row), theirs: ofRow(ofHalf(theirs), row) }));
  });
};

interface Readings {
  readonly ours: readonly Result[];
  readonly theirs: readonly Result[];
}

function table(half: string, row: (typeof rows)[number], { ours, theirs }: Readings): Table {
  const score = scoreOf(ours);
  const figures = figuresOf(score);
  // The tuning half has been looked at while the reader was made, so it proves nothing.
  const verdicts = half === "tuning" ? [] : verdictsOf(figures, row);
  return {
    title: `Words found with at most one letter wrong, ${half} half: ${rowTitles[row]}, ${score.words} words on ${ours.length} screens`,
    rows: [line("handsight", "ours", figures), line("tesseract", "command", figuresOf(scoreOf(theirs)))],
    verdicts,
  };
}

function line(name: string, kind: Row["kind"], figures: Figures): Row {
  const shown = (value: number) => `${value.toFixed(1)} %`;
  const note = [
    `exact ${shown(figures.exact)}`,
    `in any case ${shown(figures.anyCase)}`,
    `without accents ${shown(figures.folded)}`,
    `clickable ${shown(figures.clickable)}`,
    `precision ${shown(figures.precision)} (exact ${shown(figures.exactPrecision)})`,
  ].join(", ");
  return { name, kind, note, unit: "%", p50: figures.found, runs: 1, failures: 0 };
}

function verdictsOf(figures: Figures, row: (typeof rows)[number]): Verdict[] {
  const { found, clickable, precision } = targets[row];
  const verdict = (target: string, value: number, aim: number | undefined): Verdict[] =>
    aim === undefined
      ? []
      : [{ target: `${target} ≥ ${aim} %`, figure: `${value.toFixed(1)} %`, state: value >= aim ? "met" : "MISSED" }];
  return [
    ...verdict("found", figures.found, found),
    ...verdict("clickable", figures.clickable, clickable),
    ...verdict("precision", figures.precision, precision),
  ];
}
