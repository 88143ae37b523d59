import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import type { Rect } from "../src/base/geometry.ts";
import { openConnection } from "../src/platform/linux/x11/open.ts";
import { changeWindowAttributes, createWindow, mapWindow } from "../src/platform/linux/x11/requests.ts";
import { RequestWriter } from "../src/platform/linux/x11/wire.ts";
import type { Group } from "./group.ts";
import { isMissing, type Contender, type Missing } from "./contenders/contender.ts";
import { closeContenders, openContenders } from "./contenders/open.ts";
import { absent, race, type Row, type Runner, type Sample } from "./measure.ts";
import { aheadOfAll, fasterThan, fasterThanCommands, type Table, type Verdict } from "./report.ts";
import { dress, openDesktop, screenSize } from "./scene.ts";

/** Between the others everybody starts with cold caches; in a row, as when something is watched, with warm ones. */
const burstLength = 10;
/** A twentieth of the screen, in the shape of a dialog. */
const dialog: Rect = { x: 760, y: 400, width: 480, height: 216 };
const wholeScreen: Rect = { x: 0, y: 0, ...screenSize };
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
  const measureChanging = async (part: Rect, what: string): Promise<Row[]> => {
    tell(`raw, ${what} repainted each time`);
    using window = await openRepainted(desktop.env, part);
    return await measureTask(contenders, "raw", { rounds, folder, count: 1, before: () => window.repaint() });
  };
  try {
    const raw = await measure("raw");
    const burst = await measure("raw", burstLength);
    const changing = await measureChanging(dialog, "a window");
    const allNew = await measureChanging(wholeScreen, "everything");
    const jpeg = await measure("jpeg");
    const png = await measure("png");
    const webp = await measure("webp");
    return [
      {
        title: `Screen capture ${title}, raw pixels, nothing changed since the last one`,
        rows: raw,
        verdicts: rawTargets(raw),
      },
      {
        title: `Screen capture ${title}, raw pixels, nothing changed, ${burstLength} in a row, time of one`,
        rows: burst,
        verdicts: rawTargets(burst),
      },
      {
        title: `Screen capture ${title}, raw pixels, a window repainted ${percent(dialog)} of the screen before`,
        rows: changing,
        verdicts: rawTargets(changing),
      },
      {
        title: `Screen capture ${title}, raw pixels, all of the screen repainted before (no target)`,
        rows: allNew,
        verdicts: [],
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

const rawTargets = (rows: readonly Row[]): Verdict[] => [
  fasterThan(rows, "nut-js", 8),
  fasterThan(rows, "node-screenshots", 8),
];

const percent = ({ width, height }: Rect): string =>
  `${Math.round((100 * width * height) / (screenSize.width * screenSize.height))} %`;

interface Repainted extends Disposable {
  /** Another colour than before, on the screen when it resolves. */
  repaint(): Promise<void>;
}

async function openRepainted(env: NodeJS.ProcessEnv, part: Rect): Promise<Repainted> {
  const c = await openConnection(env["DISPLAY"], { env });
  const window = createWindow(c, { ...part, values: { overrideRedirect: 1, backgroundPixel: 0 } });
  mapWindow(c, window);
  let colour = 0;
  return {
    async repaint() {
      colour = (colour + 0x123457) & 0xffffff;
      changeWindowAttributes(c, window, { backgroundPixel: colour });
      await c.checked("ClearArea", new RequestWriter(61).u32(window).skip(8));
    },
    [Symbol.dispose]: () => c.close(),
  };
}

interface Options {
  readonly rounds: number;
  readonly folder: string;
  readonly count: number;
  /** Done before everybody's turn, outside the clock. */
  readonly before?: () => Promise<void>;
}

async function measureTask(entries: readonly (Contender | Missing)[], task: string, options: Options): Promise<Row[]> {
  const runners = entries.flatMap((entry) => (isMissing(entry) ? [] : runnersOf(entry, task, options)));
  const missing = entries.filter(isMissing).map(({ name, kind, problem }) => absent(name, kind, problem));
  return [...(await race(runners, options.rounds)), ...missing];
}

/** Ours also shows what it does without the optional libraries, and what it does by default for a model. */
function runnersOf(contender: Contender, task: string, { folder, count, before }: Options): Runner[] {
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
          await before?.();
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
