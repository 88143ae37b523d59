import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { isMissing, type Contender, type Done } from "../contenders/contender.ts";
import { closeContenders, openContenders } from "../contenders/open.ts";
import type { Argument } from "../contenders/task.ts";
import type { Group } from "../group.ts";
import { absent, figure, race, type Row, type Runner } from "../measure.ts";
import { timesFaster, type Table, type Verdict } from "../report.ts";
import { makeScene, type Scene, type SceneOptions } from "./scenes.ts";

const fullHd = { width: 1920, height: 1080 };
/** A quarter of that, so that OpenCV gets through a hundred searches with masks in minutes. */
const quarter = { width: 960, height: 540 };
const sceneCount = 100;
const thirteen = Array.from({ length: 13 }, (_, index) => 0.5 + index * 0.125);
const turns = [0, 90, 180, 270] as const;
const ours = "handsight find-image";

interface Files {
  readonly screen: string;
  readonly template: string;
}

/** The same searches by handsight and by OpenCV: first how long they take, then how often they are right. */
export const findImage: Group = async ({ rounds, tell }) => {
  const folder = await mkdtemp(join(tmpdir(), "handsight-bench-find-"));
  const entries = await openContenders([ours, "cv2"], process.env);
  try {
    const [finder, peer] = entries;
    if (!finder || isMissing(finder)) throw new Error(`handsight did not start: ${finder?.problem}`);
    const contenders = entries.filter((entry): entry is Contender => !isMissing(entry));
    const missing = entries.filter(isMissing).map(({ name, kind, problem }) => absent(name, kind, problem));
    const tables: Table[] = [];
    for (const task of speedTasks) {
      tell(task.title);
      tables.push(await measureSpeed(task, { contenders, missing, folder, rounds }));
    }
    tell("growth");
    tables.push(await measureGrowth(finder, folder, rounds));
    tell("a hundred scenes");
    tables.push(await countFirstPlaces(finder, peer && !isMissing(peer) ? peer : undefined, folder));
    tell("what is not there");
    tables.push(await countFalseMatches(finder, folder));
    return tables;
  } finally {
    await closeContenders(entries);
    await rm(folder, { recursive: true, force: true });
  }
};

// --- how long

interface SpeedTask {
  readonly title: string;
  readonly seed: number;
  readonly scale: number;
  readonly argument: Argument;
  readonly times: number;
  /** OpenCV takes seconds. */
  readonly everyRounds: number;
}

/** Seeds 0, 1 and 2 of every three are tiles without transparency, icons that need a mask, and glyphs. */
const speedTasks: readonly SpeedTask[] = [
  { title: "one scale", seed: 3, scale: 1, argument: { scales: [1], rotations: [0] }, times: 5, everyRounds: 1 },
  {
    title: "one scale, masked",
    seed: 4,
    scale: 1,
    argument: { scales: [1], rotations: [0], masked: true },
    times: 2.5,
    everyRounds: 1,
  },
  {
    title: "13 scales",
    seed: 6,
    scale: 1.3,
    argument: { scales: thirteen, rotations: [0] },
    times: 10,
    everyRounds: 3,
  },
  {
    title: "13 scales × 4 rotations",
    seed: 9,
    scale: 1.3,
    argument: { scales: thirteen, rotations: turns },
    times: 12,
    everyRounds: 5,
  },
];

const optionsOf = (size: Pick<SceneOptions, "width" | "height">, scale: number): SceneOptions => ({
  ...size,
  templateSize: 64,
  scale: [scale, scale],
  rotations: [0],
  isPresent: true,
});

async function measureSpeed(
  { title, seed, scale, argument, times, everyRounds }: SpeedTask,
  bench: {
    readonly contenders: readonly Contender[];
    readonly missing: readonly Row[];
    readonly folder: string;
    readonly rounds: number;
  },
): Promise<Table> {
  const scene = await makeScene(seed, optionsOf(fullHd, scale));
  const files = await save(scene, join(bench.folder, "speed"));
  for (const contender of bench.contenders) await contender.run("load", { ...files });
  const rows = await race(
    bench.contenders.map((contender): Runner => {
      return {
        name: contender.name,
        kind: contender.kind,
        everyRounds: contender.kind === "ours" ? 1 : everyRounds,
        async run() {
          const done = await contender.run("find", { masked: false, grounds: [255], ...argument });
          if (!isRight(done, scene)) throw new Error(`it was not found (best score ${done.score?.toFixed(2)})`);
          return done;
        },
      };
    }),
    bench.rounds,
  );
  const [own, peer] = [rows.find(({ kind }) => kind === "ours"), rows.find(({ name }) => name === "cv2")];
  return {
    title: `find_image, 64 px icon on 1920×1080: ${title}`,
    rows: [...rows, ...bench.missing],
    verdicts: [timesFaster(title, own, peer, times)],
  };
}

/** How the time of a million pixels changes with their number. */
async function measureGrowth(finder: Contender, folder: string, rounds: number): Promise<Table> {
  const sizes = [quarter, fullHd, { width: 3840, height: 2160 }];
  const searches = [
    { what: "one scale", argument: { scales: [1], rotations: [0] }, isPresent: true },
    { what: "13 scales", argument: { scales: thirteen, rotations: [0] }, isPresent: true },
    { what: "not there, default sizes", argument: { isOpen: true, rotations: [0] }, isPresent: false },
  ];
  const rows: Row[] = [];
  for (const { what, argument, isPresent } of searches) {
    for (const size of sizes) {
      const scene = await makeScene(12, { ...optionsOf(size, 1), isPresent });
      await finder.run("load", { ...(await save(scene, join(folder, "growth"))) });
      const name = `${what}, ${size.width}×${size.height}`;
      const [row] = await race([{ name, kind: "ours", run: () => finder.run("find", argument) }], Math.min(rounds, 7));
      const megapixels = (size.width * size.height) / 1e6;
      const each = row?.p50 === undefined ? "" : `${(row.p50 / megapixels).toFixed(1)} ms per megapixel`;
      if (row) rows.push({ ...row, note: each });
    }
  }
  return { title: "find_image, growth with the pixels searched", rows, verdicts: [] };
}

// --- how often right

async function countFirstPlaces(finder: Contender, peer: Contender | undefined, folder: string): Promise<Table> {
  const right = { ours: 0, peer: 0 };
  for (let seed = 0; seed < sceneCount; seed++) {
    const scene = await makeScene(seed, sceneOptions(true));
    const files = await save(scene, join(folder, "scene"));
    const argument = {
      scales: thirteen,
      rotations: turns,
      masked: scene.kind === "icon",
      grounds: scene.kind === "glyph" ? [255, 0] : [255],
      threshold: 0.5,
    };
    for (const [who, contender] of [["ours", finder] as const, ["peer", peer] as const]) {
      if (!contender) continue;
      await contender.run("load", { ...files });
      if (isRight(await contender.run("find", argument), scene)) right[who] += 1;
    }
  }
  const verdict: Verdict = {
    target: `at least as many right first places as cv2 on ${sceneCount} scenes`,
    figure: `${right.ours} against ${peer ? right.peer : "–"}`,
    state: !peer ? "not measured" : right.ours >= right.peer ? "met" : "MISSED",
  };
  const row = (name: string, kind: Row["kind"], value: number, note: string): Row => {
    return { ...figure(name, value, "right", note), kind, runs: sceneCount };
  };
  return {
    title: `find_image, first place right: icons, tiles and glyphs of any size and rotation on ${sceneCount} busy screens`,
    rows: [
      row(ours, "ours", right.ours, "13 scales × 4 rotations"),
      ...(peer
        ? [
            row(
              "cv2",
              "library",
              right.peer,
              "the same, every pixel; masks for icons, a light and a dark ground for glyphs",
            ),
          ]
        : []),
    ],
    verdicts: [verdict],
  };
}

async function countFalseMatches(finder: Contender, folder: string): Promise<Table> {
  let matches = 0;
  let highest = 0;
  for (let seed = 0; seed < sceneCount; seed++) {
    const scene = await makeScene(seed + 500, sceneOptions(false));
    await finder.run("load", { ...(await save(scene, join(folder, "scene"))) });
    const done = await finder.run("find", { scales: thirteen, rotations: turns });
    matches += done.matches ?? 0;
    highest = Math.max(highest, done.score ?? 0);
  }
  return {
    title: `find_image, ${sceneCount} searches for what is not there, at the default threshold`,
    rows: [{ ...figure(ours, sceneCount - matches, "right", `highest score ${highest.toFixed(2)}`), runs: sceneCount }],
    verdicts: [{ target: "no false match", figure: `${matches}`, state: matches === 0 ? "met" : "MISSED" }],
  };
}

const sceneOptions = (isPresent: boolean): SceneOptions => ({
  ...quarter,
  templateSize: 48,
  scale: [0.5, 2],
  rotations: turns,
  isPresent,
});

/** The middle is clickable and the size about right. */
function isRight({ x = -1, y = -1, width = 0, height = 0 }: Done, { truth }: Scene): boolean {
  if (!truth) return false;
  const off = Math.hypot(x + width / 2 - truth.x - truth.size / 2, y + height / 2 - truth.y - truth.size / 2);
  return off < truth.size / 4 && width > truth.size * 0.7 && width < truth.size * 1.4;
}

/** Through JPEG, so that nobody finds it by comparing bytes. */
async function save({ screen, template }: Scene, name: string): Promise<Files> {
  const files = { screen: `${name}.png`, template: `${name}-template.png` };
  const raw = (picture: Scene["screen"]) =>
    sharp(picture.data, { raw: { width: picture.width, height: picture.height, channels: 4 } });
  const lossy = await raw(screen).removeAlpha().jpeg({ quality: 92, chromaSubsampling: "4:4:4" }).toBuffer();
  await sharp(lossy).png({ compressionLevel: 1 }).toFile(files.screen);
  await raw(template).png().toFile(files.template);
  return files;
}
