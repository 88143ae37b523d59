import { readFile } from "node:fs/promises";
import sharp from "sharp";
import type { Pixels } from "../../src/base/frame.ts";
import type { TextReader } from "../../src/vision/ocr/reader.ts";
import type { Row } from "../fixtures/ocr/screens.ts";
import { addScores, judge, noScore, type Judgement, type ReadWord, type Score } from "./ocr-score.ts";
import type { TruthScreen } from "./ocr-screens.ts";

/** Something that reads pictures. */
export interface Reader {
  readonly name: string;
  read(screen: TruthScreen): Promise<readonly ReadWord[]>;
}

export interface Result {
  readonly screen: TruthScreen;
  readonly judgement: Judgement;
}

export async function readAll(reader: Reader, screens: readonly TruthScreen[]): Promise<Result[]> {
  const results: Result[] = [];
  for (const screen of screens) results.push({ screen, judgement: judge(screen.words, await reader.read(screen)) });
  return results;
}

export const handsightWith = (reader: TextReader): Reader => ({
  name: "handsight",
  async read(screen) {
    const { signal } = new AbortController();
    const { lines } = await reader.read(await pixelsOf(screen), { signal, scale: screen.scale });
    return lines.flatMap(({ words }) => words);
  },
});

export async function pixelsOf(screen: TruthScreen): Promise<Pixels> {
  const { data, info } = await sharp(await readFile(screen.pngPath))
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { data, format: "rgb", width: info.width, height: info.height, stride: info.width * 3 };
}

export const rows: readonly Row[] = ["latin", "photo", "accented", "lcd", "2x"];

export const rowTitles: Readonly<Record<Row, string>> = {
  latin: "Latin, 11 px and more",
  photo: "over pictures",
  accented: "accented, 12 languages",
  lcd: "LCD antialiasing",
  "2x": "2×",
};

export const scoreOf = (results: readonly Result[]): Score =>
  results.reduce((sum, { judgement }) => addScores(sum, judgement.score), noScore);

export const ofRow = (results: readonly Result[], row: Row): Result[] =>
  results.filter(({ screen }) => screen.row === row);

/** In percent. */
export interface Figures {
  readonly exact: number;
  readonly anyCase: number;
  readonly folded: number;
  /** Found with at most one letter wrong. */
  readonly found: number;
  /** Of the found: the centre of the box is inside the word. */
  readonly clickable: number;
  /** Of the words read: those that are there, with at most one letter wrong. */
  readonly precision: number;
  readonly exactPrecision: number;
}

export function figuresOf({ words, read, near, ...score }: Score): Figures {
  const percent = (part: number, whole: number) => (whole === 0 ? 0 : (100 * part) / whole);
  return {
    exact: percent(score.exact, words),
    anyCase: percent(score.anyCase, words),
    folded: percent(score.folded, words),
    found: percent(near, words),
    clickable: percent(score.clickable, near),
    precision: percent(near, read),
    exactPrecision: percent(score.exact, read),
  };
}

export interface Target {
  readonly found: number;
  readonly clickable?: number;
  readonly precision?: number;
}

const hard: Target = { found: 90 };
export const targets: Readonly<Record<Row, Target>> = {
  latin: { found: 97, clickable: 99, precision: 96 },
  photo: hard,
  accented: hard,
  lcd: hard,
  "2x": hard,
};

const columns: readonly (readonly [keyof Figures, string])[] = [
  ["exact", "exact"],
  ["anyCase", "any case"],
  ["folded", "no accents"],
  ["found", "≤ 1 edit"],
  ["clickable", "clickable"],
  ["precision", "precision"],
  ["exactPrecision", "exact prec."],
];

/** One line for each row of the set and each reader, with the targets beside their figures. */
export function printFigures(all: readonly { readonly reader: string; readonly results: readonly Result[] }[]): string {
  const head = ["", "reader", "screens", "words", ...columns.map(([, title]) => title)];
  const body = rows.flatMap((row) =>
    all.flatMap(({ reader, results }, index) => {
      const own = ofRow(results, row);
      if (own.length === 0) return [];
      const score = scoreOf(own);
      const figures = figuresOf(score);
      const aims: Partial<Figures> = index === 0 ? targets[row] : {};
      const cells = columns.map(([key]) => {
        const aim = aims[key];
        return `${figures[key].toFixed(1)}${aim === undefined ? "" : ` (≥ ${aim})`}`;
      });
      return [[index === 0 ? rowTitles[row] : "", reader, String(own.length), String(score.words), ...cells]];
    }),
  );
  const lines = [head, ...body];
  const widths = head.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  return lines
    .map((line) =>
      line.map((cell, i) => (i < 2 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))).join("  "),
    )
    .join("\n");
}
