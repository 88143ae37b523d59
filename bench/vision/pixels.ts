import sharp from "sharp";
import type { Pixels } from "../../src/base/frame.ts";
import { openDeflateCodec } from "../../src/platform/native/isal.ts";
import { openJpegCodec } from "../../src/platform/native/turbojpeg.ts";
import { findChanges } from "../../src/vision/changes.ts";
import { Encoder, imageFormats } from "../../src/vision/encode.ts";
import { drawMarks } from "../../src/vision/marks.ts";
import { findWidgets } from "../../src/vision/widgets.ts";
import { truthScreens } from "../../test/support/ocr-screens.ts";
import { pixelsOf } from "../../test/support/ocr-truth.ts";
import type { Group } from "../group.ts";
import { now, race, type Row, type Runner } from "../measure.ts";
import { atMost, type Table } from "../report.ts";
import { asCaptured, clone, paste, stack, touch } from "./pictures.ts";

const caret = { x: 701, y: 500, width: 1, height: 15 };
const dialog = { x: 720, y: 400, width: 480, height: 240 };
const markCount = 100;

/** What is done with every picture besides reading it: comparing, numbering, looking for controls, encoding. */
export const pixels: Group = async ({ rounds, tell }) => {
  tell("comparing, marking and encoding");
  const screens = await truthScreens(
    ({ name, row }) => row === "latin" && /^(settings-light-Deja|kanban-light)/.test(name),
  );
  const [page, other] = await Promise.all(screens.map(async (screen) => asCaptured(await pixelsOf(screen))));
  if (!page || !other) throw new Error("the screens to compare are not in the set");
  const compared = await race(compareRunners(page, other), rounds);
  const growth = await race(
    [0.25, 1, 4].map((times) => {
      const large = stack(page, times);
      const next = touch(clone(large), { ...dialog, y: 20 }, 255, 0x60);
      return runner(`compare, ${large.width}×${large.height}`, () => findChanges(large, next));
    }),
    rounds,
  );
  const drawn = await race(markRunners(page), rounds);
  const tables: Table[] = [
    {
      title: "Compare two 1080p pictures, with tight boxes around what changed",
      rows: compared,
      verdicts: compared.map((row) => atMost(row, 4)),
    },
    { title: "Compare, growth with the pixels", rows: growth, verdicts: [] },
    {
      title: "On a 1080p picture",
      rows: drawn,
      verdicts: drawn.map((row, index) => atMost(row, index === 0 ? 5 : 10)),
    },
    ...(await encodeTables(page, rounds)),
  ];
  return tables;
};

const runner = (name: string, work: () => unknown, note?: string): Runner => ({
  name,
  kind: "ours",
  note,
  async run() {
    const start = now();
    await work();
    return { ms: now() - start };
  },
});

function compareRunners(page: Pixels, other: Pixels): Runner[] {
  const spots = clone(page);
  for (let i = 0; i < 40; i++)
    touch(spots, { x: 40 + (i % 8) * 230, y: 30 + Math.floor(i / 8) * 200, width: 12, height: 12 }, 255, 0x60);
  const cases: Record<string, Pixels> = {
    identical: clone(page),
    caret: touch(clone(page), caret, 255, 0x60),
    dialog: paste(clone(page), dialog, other, dialog),
    "40 spots": spots,
    everything: other,
  };
  return Object.entries(cases).map(([name, next]) => runner(name, () => findChanges(page, next)));
}

function markRunners(page: Pixels): Runner[] {
  const marks = Array.from({ length: markCount }, (_, i) => ({
    number: i + 1,
    rect: { x: 20 + (i % 10) * 185, y: 20 + Math.floor(i / 10) * 100, width: 120, height: 40 },
  }));
  const canvas = clone(page);
  const avoid = marks.map(({ rect }) => ({ ...rect, x: rect.x + 8, width: 90, y: rect.y + 12, height: 16 }));
  return [
    runner(`draw ${markCount} marks`, () => drawMarks(canvas, marks, { avoid })),
    runner("look for controls", () => findWidgets(page)),
  ];
}

async function encodeTables(page: Pixels, rounds: number): Promise<Table[]> {
  const encoder = new Encoder({ jpeg: async () => openJpegCodec(), deflate: async () => openDeflateCodec() });
  const rgb = await sharp((await encoder.encode(page, { format: "png", quality: 80 })).bytes)
    .removeAlpha()
    .raw()
    .toBuffer();
  const raw = { width: page.width, height: page.height, channels: 3 } as const;
  const tables: Table[] = [];
  for (const format of imageFormats) {
    const rows: Row[] = await race(
      [
        runner("handsight", () => encoder.encode(page, { format, quality: 80 })),
        {
          ...runner("sharp", () => sharp(rgb, { raw })[format]({ quality: 80 }).toBuffer(), "its defaults, quality 80"),
          kind: "library",
        },
      ],
      Math.min(rounds, 5),
    );
    tables.push({ title: `Encode a 1080p picture as ${format.toUpperCase()}`, rows, verdicts: [] });
  }
  return tables;
}
