import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import type { Group } from "./group.ts";
import { isMissing, type Contender, type Missing } from "./contenders/contender.ts";
import { closeContenders, openContenders } from "./contenders/open.ts";
import { absent, race, type Row, type Runner, type Sample } from "./measure.ts";
import { aheadOfAll, fasterThan, fasterThanCommands, type Table } from "./report.ts";
import { dress, openDesktop, screenSize } from "./scene.ts";

/** Between the others everybody starts with cold caches; in a row, as when something is watched, with warm ones. */
const burstLength = 10;
const title = `${screenSize.width}×${screenSize.height}`;

/** What makes a peer's figure uneven, where its interface leaves no choice. */
const notes: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  jpeg: {
    "nut-js": "quality 100, fixed by it",
    "node-screenshots": "quality fixed by it",
    "screenshot-desktop": "quality 92, fixed by it",
  },
};

export const capture: Group = async ({ rounds, tell }) => {
  await using desktop = await openDesktop();
  await dress(desktop);
  const names = [
    "handsight",
    "nut-js",
    "node-screenshots",
    "screenshot-desktop",
    "PIL ImageGrab",
    "scrot",
    "maim",
    "import",
  ] as const;
  const contenders = await openContenders(names, desktop.env);
  const folder = await mkdtemp(join(tmpdir(), "handsight-bench-shots-"));
  const measure = async (task: string, count = 1): Promise<Row[]> => {
    tell(count === 1 ? task : `${task}, ${count} in a row`);
    return measureTask(contenders, task, { rounds, folder, count });
  };
  try {
    const raw = await measure("raw");
    const burst = await measure("raw", burstLength);
    const jpeg = await measure("jpeg");
    const png = await measure("png");
    const webp = await measure("webp");
    return [
      {
        title: `Screen capture ${title}, raw pixels, one at a time`,
        rows: raw,
        verdicts: [fasterThan(raw, "nut-js", 8), fasterThan(raw, "node-screenshots", 8)],
      },
      {
        title: `Screen capture ${title}, raw pixels, ${burstLength} in a row, time of one`,
        rows: burst,
        verdicts: [fasterThan(burst, "nut-js", 8), fasterThan(burst, "node-screenshots", 8)],
      },
      {
        title: `Screen capture ${title} to JPEG, quality 80`,
        rows: jpeg,
        verdicts: [
          fasterThanCommands(jpeg, 2.5),
          fasterThan(jpeg, "PIL ImageGrab", 1.5),
          fasterThan(jpeg, "nut-js", 10),
        ],
      },
      { title: `Screen capture ${title} to PNG`, rows: png, verdicts: aheadOfAll(png) },
      { title: `Screen capture ${title} to WebP, quality 80`, rows: webp, verdicts: [] },
    ] satisfies Table[];
  } finally {
    await closeContenders(contenders);
    await rm(folder, { recursive: true, force: true });
  }
};

interface Options {
  readonly rounds: number;
  readonly folder: string;
  readonly count: number;
}

async function measureTask(entries: readonly (Contender | Missing)[], task: string, options: Options): Promise<Row[]> {
  const runners = entries.flatMap((entry) => (isMissing(entry) ? [] : runnersOf(entry, task, options)));
  const missing = entries.filter(isMissing).map(({ name, kind, problem }) => absent(name, kind, problem));
  return [...(await race(runners, options.rounds)), ...missing];
}

/** Ours also shows what it does without the optional libraries, and what it does by default for a model. */
function runnersOf(contender: Contender, task: string, { folder, count }: Options): Runner[] {
  return contender.tasks
    .filter((offered) => offered === task || offered.startsWith(`${task} `))
    .map((offered) => {
      const suffix = offered.slice(task.length);
      const size = offered === "jpeg as sent to a model" ? { width: 1568, height: 882 } : screenSize;
      let isChecked = false;
      return {
        name: contender.name + suffix,
        kind: contender.kind,
        note: notes[task]?.[contender.name] ?? contender.note,
        async run(): Promise<Sample> {
          if (isChecked) {
            const { ms, bytes } = await contender.run(offered, { count });
            return { ms: ms / count, bytes };
          }
          const saveTo = join(folder, `${contender.name}-${offered}`.replaceAll(" ", "-"));
          const done = await contender.run(offered, { saveTo });
          needSize(task === "raw" ? done : await sharp(saveTo).metadata(), size);
          isChecked = true;
          return done;
        },
      };
    });
}

function needSize(
  { width, height }: { readonly width?: number; readonly height?: number },
  wanted: { readonly width: number; readonly height: number },
): void {
  if (width === wanted.width && height === wanted.height) return;
  throw new Error(`the picture is ${width}×${height}, not ${wanted.width}×${wanted.height}`);
}
