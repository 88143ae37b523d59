import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Pixels } from "../../src/base/frame.ts";
import type { ImageRect } from "../../src/base/geometry.ts";
import { openTextReader, type TextReader } from "../../src/vision/ocr/reader.ts";
import { truthScreens, type TruthScreen } from "../../test/support/ocr-screens.ts";
import { pixelsOf } from "../../test/support/ocr-truth.ts";
import { tesseract } from "../../test/support/tesseract.ts";
import type { Group } from "../group.ts";
import { figure, now, race, type Row, type Runner, type Sample } from "../measure.ts";
import { compiled } from "../paths.ts";
import { atMost, timesFaster, type Table } from "../report.ts";
import { asCaptured, clone, paste, scroll, stack, tint, touch } from "./pictures.ts";

const { signal } = new AbortController();
const caret: ImageRect = { x: 701, y: 500, width: 1, height: 15 };
/** On the screen of dialogs: a title, two lines and three buttons. */
const question: ImageRect = { x: 40, y: 41, width: 400, height: 151 };
const dialog: ImageRect = { ...question, x: 720, y: 400 };
const words: ImageRect = { x: 760, y: 900, width: 160, height: 20 };
/** Two words in a rectangle of the size of a button. */
const label: ImageRect = { x: 1085, y: 100, width: 140, height: 36 };
const content: ImageRect = { x: 300, y: 100, width: 1600, height: 900 };
const flatScreens = 500;

/** How long reading a 1080p screen takes, by how much of it is new, with the tesseract command beside it. */
export const ocr: Group = async ({ rounds, tell }) => {
  tell("rendering the screens");
  const screens = await truthScreens(({ name }) => /^(settings-light|kanban-light|dialogs-light-Cantarell)/.test(name));
  const need = (name: string): TruthScreen => {
    const found = screens.find((screen) => screen.name.startsWith(name) && screen.row === "latin");
    if (!found) throw new Error(`the screen ${name} is not in the set`);
    return found;
  };
  const [settings, board] = [need("settings-light-DejaVu"), need("kanban-light")];
  const page = asCaptured(await pixelsOf(settings));
  await using reader = openTextReader();
  const tables: Table[] = [];
  for (const screen of [settings, board]) {
    tell(`a full screen of ${screen.words.length} words`);
    const picture = asCaptured(await pixelsOf(screen));
    const rows = await race([...fullRunners(reader, picture), theirs(screen)], rounds);
    tables.push({
      title: `Read a 1080p screen of ${screen.words.length} words`,
      rows,
      verdicts: [timesFaster("warm", named(rows, "warm"), named(rows, "tesseract"), 1.4)],
    });
  }
  tell("parts of a screen");
  const parts = await race(partRunners(reader, page, asCaptured(await pixelsOf(need("dialogs-light")))), rounds);
  tell("growth");
  const growth = await growthRows(reader, page, rounds);
  tell(`memory over ${flatScreens} screens`);
  const memory = await memoryRows(page);
  return [
    ...tables,
    {
      title: "Read it again after a change",
      rows: parts,
      verdicts: Object.entries({
        unchanged: 5,
        caret: 30,
        "a few words": 30,
        dialog: 150,
        "scrolled by 57 pixels": 1000,
        "one button": 60,
      }).map(([name, limit]) => atMost(named(parts, name), limit)),
    },
    { title: "Read a screen, growth with its pixels", rows: growth, verdicts: [] },
    {
      title: "Memory with text reading loaded: this process and its two helpers (RSS)",
      rows: memory,
      verdicts: memory.map((row, index) => atMost(row, index === 0 ? 400 : 40)),
    },
  ];
};

const named = (rows: readonly Row[], name: string): Row | undefined => rows.find((row) => row.name === name);

async function time(work: () => Promise<unknown>): Promise<Sample> {
  const start = now();
  await work();
  return { ms: now() - start };
}

const theirs = (screen: TruthScreen): Runner => ({
  name: "tesseract",
  kind: "command",
  note: "command line, sparse text, one thread",
  run: () => time(() => tesseract.read(screen)),
});

function fullRunners(reader: TextReader, page: Pixels): Runner[] {
  let round = 0;
  return [
    {
      name: "warm",
      kind: "ours",
      note: "no line seen before",
      run: () => {
        const unseen = tint(clone(page), ++round);
        return time(() => reader.read(unseen, { signal, view: "warm" }));
      },
    },
    {
      name: "cold",
      kind: "ours",
      note: "helpers started and networks loaded",
      everyRounds: 3,
      run: async () => {
        await using fresh = openTextReader();
        // Without waiting here the reader would be closed before it has begun.
        return await time(() => fresh.read(page, { signal }));
      },
    },
  ];
}

function partRunners(reader: TextReader, page: Pixels, other: Pixels): Runner[] {
  let round = 0;
  const after = (name: string, change: (picture: Pixels) => Pixels): Runner => ({
    name,
    kind: "ours",
    run: async () => {
      await reader.read(page, { signal, view: name });
      const changed = change(clone(page));
      return time(() => reader.read(changed, { signal, view: name }));
    },
  });
  return [
    after("unchanged", (picture) => picture),
    after("caret", (picture) => touch(picture, caret, ++round, 0x60)),
    after("a few words", (picture) => touch(paste(picture, words, other, { x: 58, y: 94 }), words, ++round)),
    after("dialog", (picture) => touch(paste(picture, dialog, other, question), dialog, ++round)),
    after("scrolled by 57 pixels", (picture) => scroll(picture, content, 57)),
    {
      name: "one button",
      kind: "ours",
      run: () => {
        const unseen = touch(clone(page), label, ++round);
        return time(async () => {
          const { lines } = await reader.read(unseen, { signal, roi: label });
          if (lines.length !== 1) throw new Error(`a label was expected, ${lines.length} lines were read`);
        });
      },
    },
  ];
}

async function growthRows(reader: TextReader, page: Pixels, rounds: number): Promise<Row[]> {
  const rows: Row[] = [];
  let round = 100;
  for (const times of [0.25, 0.5, 1, 2, 4]) {
    const picture = stack(page, times);
    const name = `${picture.width}×${picture.height}`;
    const run = () => {
      const unseen = tint(clone(picture), ++round);
      return time(() => reader.read(unseen, { signal, view: "growth" }));
    };
    const [row] = await race([{ name, kind: "ours", run }], Math.min(rounds, 3));
    const megapixels = (picture.width * picture.height) / 1e6;
    if (row) rows.push({ ...row, note: `${((row.p50 ?? 0) / megapixels).toFixed(0)} ms per megapixel` });
  }
  return rows;
}

async function memoryRows(page: Pixels): Promise<Row[]> {
  const folder = await mkdtemp(join(tmpdir(), "handsight-bench-memory-"));
  try {
    const file = join(folder, "page.raw");
    await writeFile(file, page.data);
    const worker = join(compiled, "vision", "memory-worker.js");
    const args = [worker, file, page.width, page.height, flatScreens].map(String);
    const { stdout } = await promisify(execFile)(process.execPath, args);
    const { start, end } = JSON.parse(stdout) as { readonly start: number; readonly end: number };
    return [
      figure("all three", Math.max(start, end), "MB"),
      figure("growth", end - start, "MB", `over ${flatScreens} screens`),
    ];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
