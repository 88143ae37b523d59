import { readdir, readFile } from "node:fs/promises";
import type { Pixels } from "../../src/base/frame.ts";
import type { Rect } from "../../src/base/geometry.ts";
import { openTextReader, type TextReader } from "../../src/vision/ocr/reader.ts";
import { truthScreens, type TruthScreen } from "../../test/support/ocr-screens.ts";
import { pixelsOf } from "../../test/support/ocr-truth.ts";
import { tesseract } from "../../test/support/tesseract.ts";
import type { Group } from "../group.ts";
import { figure, now, race, type Row, type Runner, type Sample } from "../measure.ts";
import { atMost, timesFaster, type Table } from "../report.ts";
import { asCaptured, clone, paste, scroll, touch } from "./pictures.ts";

const { signal } = new AbortController();
const caret: Rect = { x: 701, y: 500, width: 1, height: 15 };
const dialog: Rect = { x: 720, y: 400, width: 480, height: 240 };
const words: Rect = { x: 760, y: 900, width: 160, height: 24 };
const content: Rect = { x: 300, y: 100, width: 1600, height: 900 };
const flatScreens = 500;

/** How long reading a 1080p screen takes, by how much of it is new, with the tesseract command beside it. */
export const ocr: Group = async ({ rounds, tell }) => {
  tell("rendering the screens");
  const screens = await truthScreens(({ half, name }) => half === "tuning" && /^(orders|settings)-light/.test(name));
  const [settings, orders] = [/^settings/, /^orders/].map((name) => screens.find((screen) => name.test(screen.name)));
  if (!orders || !settings) throw new Error("the screens to read are not in the set");
  const [page, other] = [asCaptured(await pixelsOf(settings)), asCaptured(await pixelsOf(orders))];
  await using reader = openTextReader();
  tell("a full screen, cold and warm");
  const full = await race([...fullRunners(reader, page), theirs(settings)], rounds);
  tell("parts of a screen");
  const parts = await race(partRunners(reader, page, other), rounds);
  tell(`memory over ${flatScreens} screens`);
  const memory = await memoryRows(reader, page);
  const named = (rows: readonly Row[], name: string) => rows.find((row) => row.name === name);
  const tables: Table[] = [
    {
      title: `Read a 1080p screen of ${settings.words.length} words`,
      rows: full,
      verdicts: [timesFaster("warm", named(full, "warm"), named(full, "tesseract"), 1.4)],
    },
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
    {
      title: "Memory of the two helpers that read",
      rows: memory,
      verdicts: memory.map((row, index) => atMost(row, index === 0 ? 300 : 40)),
    },
  ];
  return tables;
};

async function time(work: () => Promise<unknown>): Promise<Sample> {
  const start = now();
  await work();
  return { ms: now() - start };
}

const theirs = (screen: TruthScreen): Runner => ({
  name: "tesseract",
  kind: "command",
  note: "command line, sparse text, one thread",
  everyRounds: 3,
  run: () => time(() => tesseract.read(screen)),
});

function fullRunners(reader: TextReader, page: Pixels): Runner[] {
  let round = 0;
  return [
    {
      name: "warm",
      kind: "ours",
      note: "no line seen before",
      everyRounds: 3,
      run: () => {
        const unseen = touch(clone(page), { x: 0, y: 0, width: page.width, height: page.height }, ++round);
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
        return time(() => fresh.read(page, { signal }));
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
    after("a few words", (picture) => touch(paste(picture, words, other, { x: 250, y: 120 }), words, ++round)),
    after("dialog", (picture) => touch(paste(picture, dialog, other, { x: 300, y: 100 }), dialog, ++round)),
    after("scrolled by 57 pixels", (picture) => scroll(picture, content, 57)),
    {
      name: "one button",
      kind: "ours",
      run: () => {
        const roi: Rect = { x: 1400, y: 110, width: 140, height: 40 };
        const unseen = touch(clone(page), roi, ++round);
        return time(() => reader.read(unseen, { signal, roi }));
      },
    },
  ];
}

async function memoryRows(reader: TextReader, page: Pixels): Promise<Row[]> {
  const before = await helpersMb();
  for (let i = 0; i < flatScreens; i++) {
    await reader.read(touch(clone(page), words, i, 0x40), { signal, view: "memory" });
  }
  const after = await helpersMb();
  return [
    figure("both helpers", Math.max(before, after), "MB", "the server itself, about 100 MB, comes on top"),
    figure("growth", after - before, "MB", `over ${flatScreens} screens`),
  ];
}

async function helpersMb(): Promise<number> {
  let sum = 0;
  for (const pid of (await readdir("/proc")).filter((name) => /^\d+$/.test(name))) {
    const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
    const parent = Number(/^PPid:\s+(\d+)/m.exec(status)?.[1]);
    if (parent === process.pid) sum += Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0);
  }
  return sum / 1024;
}
