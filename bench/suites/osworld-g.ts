import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { contains, type Size } from "../../src/base/geometry.ts";
import { decodeImage } from "../../src/vision/decode.ts";
import { matchText, type TextMatch } from "../../src/vision/ocr/match.ts";
import { lineOf, type Line, type Word } from "../../src/vision/ocr/reading.ts";
import { openTextReader } from "../../src/vision/ocr/reader.ts";
import { figure } from "../measure.ts";
import type { Table, Verdict } from "../report.ts";
import { readItems, refinedFile, type TextItem } from "./osworld-items.ts";
import type { Suite } from "./suite.ts";

const folderOf = (dir: string): string | undefined =>
  [dir, join(dir, "benchmark")].find((each) => existsSync(join(each, refinedFile)));

/** Texts named in instructions about real desktops: is a match inside the marked box, and is it the first? */
export const osworldG: Suite = {
  title: "OSWorld-G text",
  recognises: (dir) => folderOf(dir) !== undefined,
  async run(dir, { showsMisses, tell }) {
    const folder = folderOf(dir) ?? dir;
    const items = readItems(folder);
    const pictures = [...new Set(items.map(({ picture }) => picture))];
    tell(`reading ${pictures.length} pictures`);
    const results: Result[] = [];
    await using reader = openTextReader();
    const { signal } = new AbortController();
    for (const picture of pictures) {
      const path = join(folder, "images", picture);
      const { width, height, data } = await decodeImage(await readFile(path), { what: picture });
      const pixels = { width, height, stride: 3 * width, format: "rgb", data: withoutAlpha(data) } as const;
      const ours = (await reader.read(pixels, { signal })).lines;
      const theirs = await readWithTesseract(path);
      for (const item of items.filter((each) => each.picture === picture)) {
        const hits = (lines: readonly Line[]) => hitsOf(item, matchText(lines, item.text), { width, height });
        results.push({ item, ours: hits(ours), theirs: hits(theirs) });
      }
    }
    return [true, false].map((isPlain) => {
      const own = results.filter(({ item }) => item.isPlain === isPlain);
      if (showsMisses) for (const result of own) if (result.ours[0] !== true) tell(describeMiss(result));
      return table(isPlain, own);
    });
  },
};

interface Result {
  readonly item: TextItem;
  /** For each match, best first: whether its middle is inside the box. */
  readonly ours: readonly boolean[];
  readonly theirs: readonly boolean[];
}

function hitsOf({ box, size }: TextItem, matches: readonly TextMatch[], picture: Size): readonly boolean[] {
  return matches.map(({ box: { x, y, width, height } }) =>
    contains(box, {
      x: ((x + width / 2) * size.width) / picture.width,
      y: ((y + height / 2) * size.height) / picture.height,
    }),
  );
}

function describeMiss({ item, ours }: Result): string {
  const at = ours.indexOf(true);
  return `missed: ${item.id} ${JSON.stringify(item.text)}: ${ours.length === 0 ? "not read" : at < 0 ? "read elsewhere" : `match ${at + 1} of ${ours.length}`}`;
}

const firstTarget = 90;

function table(isPlain: boolean, results: readonly Result[]): Table {
  const share = (isHit: (result: Result) => boolean): number =>
    (100 * results.filter(isHit).length) / Math.max(1, results.length);
  const first = share(({ ours }) => ours[0] === true);
  const rows = [
    figure("handsight, first match", first, "%"),
    figure(
      "handsight, any match",
      share(({ ours }) => ours.includes(true)),
      "%",
    ),
    figure(
      "tesseract, first match",
      share(({ theirs }) => theirs[0] === true),
      "%",
      "with the same ranking",
    ),
    figure(
      "tesseract, any match",
      share(({ theirs }) => theirs.includes(true)),
      "%",
    ),
  ];
  const verdict: Verdict = {
    target: `first match inside the box ≥ ${firstTarget} %`,
    figure: `${first.toFixed(1)} %`,
    state: first >= firstTarget ? "met" : "MISSED",
  };
  return {
    title: `OSWorld-G: ${results.length} ${isPlain ? "plain texts" : "texts beside or inside a drawing"} named in the instruction`,
    rows,
    verdicts: isPlain ? [verdict] : [],
  };
}

function withoutAlpha(rgba: Uint8Array): Uint8Array {
  const rgb = new Uint8Array((rgba.length / 4) * 3);
  for (let from = 0, to = 0; to < rgb.length; from += 4, to += 3) rgb.set(rgba.subarray(from, from + 3), to);
  return rgb;
}

const wordLevel = "5";

/** The lines that the tesseract command finds in a screen: sparse text, one thread. */
async function readWithTesseract(path: string): Promise<Line[]> {
  const { stdout } = await promisify(execFile)("tesseract", [path, "stdout", "--psm", "11", "tsv"], {
    env: { ...process.env, OMP_THREAD_LIMIT: "1" },
    maxBuffer: 1 << 26,
  });
  const lines = new Map<string, Word[]>();
  for (const fields of stdout.split("\n").map((line) => line.split("\t"))) {
    const text = (fields[11] ?? "").trim();
    if (fields[0] !== wordLevel || text === "") continue;
    const [x = 0, y = 0, width = 0, height = 0, confidence = 0] = fields.slice(6, 11).map(Number);
    const line = fields.slice(1, 5).join(" ");
    lines.set(line, [...(lines.get(line) ?? []), { text, confidence: confidence / 100, box: { x, y, width, height } }]);
  }
  return [...lines.values()].map(lineOf);
}
