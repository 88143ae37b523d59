import { Lock } from "../../base/async.ts";
import { ToolError } from "../../base/errors.ts";
import { Arena } from "./arena.ts";
import { byScore, distinct, heightOf, widthOf, withoutOverlaps, type Candidate, type Match } from "./candidates.ts";
import { findExact } from "./exact.ts";
import { Haystack, type Searchable } from "./haystack.ts";
import { examine, type Comparison, type Needle, type Traits } from "./needle.ts";
import { Patterns, type Enlarge, type Pattern, type Rotation } from "./pattern.ts";
import { KernelPool, type Task } from "./pool.ts";
import { stages, type ScaleRange, type Stage } from "./scales.ts";

export interface FindOptions {
  readonly mode: "fast" | "accurate";
  readonly threshold?: number | undefined;
  readonly maxResults: number;
  readonly scales?: ScaleRange | undefined;
  readonly rotations: readonly Rotation[];
  /** A scale that is likely for a reason of its own, such as a screenshot that was shrunk by it. */
  readonly likelyScale?: number | undefined;
  readonly signal: AbortSignal;
}

export interface Found {
  readonly matches: readonly Match[];
  readonly threshold: number;
  /** The best place that was looked at closely, below the threshold too. */
  readonly best: Match | undefined;
}

/** How thoroughly each mode looks. */
interface Thoroughness {
  /** Cells a pattern has at least at the level it is searched in. */
  readonly cells: number;
  /** Into how many steps a cell is divided, in each direction. */
  readonly phases: number;
  /** Candidates kept of each pass over the picture, and of all. */
  readonly keep: number;
  readonly keepAll: number;
}

const thoroughness: Readonly<Record<FindOptions["mode"], Thoroughness>> = {
  fast: { cells: 64, phases: 2, keep: 16, keepAll: 40 },
  accurate: { cells: 144, phases: 4, keep: 32, keepAll: 96 },
};

/** Below these a match is as likely to be something else; a mask leaves less to tell things apart by. */
export const defaultThreshold: Readonly<Record<Comparison, number>> = { all: 0.85, masked: 0.9, "see-through": 0.85 };
const fewestCellsAcross = 4;
/** A cell's mean at the wrong phase and size is alike this much at least where the picture is. */
const leastCoarse = 0.4;
/** Window contrast against the pattern's, squared; what shows through a pattern is of any contrast. */
const contrasts: Readonly<Record<Comparison, readonly [number, number]>> = {
  all: [0.15, 6],
  masked: [0.15, 6],
  "see-through": [0.01, 40],
};
/** How much the likeness may still grow on the way from a level to full size. */
const stillToGain = (factor: number): number => (factor >= 4 ? 0.3 : factor === 2 ? 0.2 : 0.05);
/** Judged in colour at the end. */
const finalists = 24;
/** Mean difference of a colour channel above which it is another thing of the same shape. */
const mostColourDifference = 38;
const placeBytes = 48;
const comparisonNumber: Readonly<Record<Comparison, number>> = { all: 0, masked: 1, "see-through": 2 };

/** Finds a picture in another. One search at a time; the work is done on other threads. */
export class ImageFinder implements AsyncDisposable {
  readonly #pool: KernelPool;
  readonly #lock = new Lock();
  readonly #enlarge: Enlarge;
  #scratchBytes: number | undefined;

  constructor(enlarge: Enlarge, pool = new KernelPool()) {
    this.#enlarge = enlarge;
    this.#pool = pool;
  }

  find(screen: Searchable, needle: Needle, options: FindOptions): Promise<Found> {
    const traits = examine(needle);
    const plan = stages(options.mode, options.scales, options.likelyScale);
    needFit(screen, needle, plan);
    return this.#lock.run("exclusive", options.signal, () => this.#find(screen, needle, { traits, plan, options }));
  }

  async #find(
    screen: Searchable,
    needle: Needle,
    {
      traits,
      plan,
      options,
    }: { readonly traits: Traits; readonly plan: readonly Stage[]; readonly options: FindOptions },
  ): Promise<Found> {
    const { signal, maxResults } = options;
    const threshold = options.threshold ?? defaultThreshold[traits.comparison];
    const arena = new Arena(this.#pool);
    const place = { pool: this.#pool, arena };
    const haystack = new Haystack(this.#pool, arena, screen);
    const exact = isExactPossible(plan, options, traits)
      ? await findExact(place, haystack, needle, { most: maxResults * 4, signal })
      : [];
    if (exact.length > 0 && options.mode === "fast") {
      const matches = withoutOverlaps(exact, maxResults);
      return { matches, threshold, best: matches[0] };
    }
    await haystack.prepare(traits.weights, signal);
    const patterns = new Patterns(place, needle, { traits, enlarge: this.#enlarge });
    const search: Search = {
      ...place,
      haystack,
      patterns,
      traits,
      options,
      threshold,
      thorough: thoroughness[options.mode],
      scratch: arena.take((await this.#scratch(signal)) * this.#pool.size),
    };
    let all: Match[] = [...exact];
    for (const stage of plan) {
      all = [...all, ...(await searchStage(search, stage))].toSorted(byScore);
      if ((all[0]?.score ?? 0) >= threshold) break;
    }
    const matches = withoutOverlaps(
      all.filter(({ score }) => score >= threshold),
      maxResults,
    );
    return { matches, threshold, best: all[0] };
  }

  async #scratch(signal: AbortSignal): Promise<number> {
    this.#scratchBytes ??= (await this.#pool.run([[["scratchBytes"]]], signal))[0] ?? 0;
    return this.#scratchBytes;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pool[Symbol.asyncDispose]();
  }
}

const isExactPossible = (plan: readonly Stage[], { rotations }: FindOptions, { comparison }: Traits): boolean =>
  rotations.includes(0) && comparison !== "see-through" && plan.some(({ least, most }) => least <= 1 && most >= 1);

function needFit(screen: Searchable, { picture }: Needle, plan: readonly Stage[]): void {
  const smallest = Math.min(...plan.flatMap(({ scales }) => scales));
  const [long, short] = [Math.max(picture.width, picture.height), Math.min(picture.width, picture.height)];
  const [across, down] = [Math.max(screen.width, screen.height), Math.min(screen.width, screen.height)];
  if (long * smallest <= across && short * smallest <= down) return;
  const size = `${picture.width}×${picture.height}`;
  throw new ToolError(
    "invalid_argument",
    `The template (${size}) is larger than the picture it is looked for in (${screen.width}×${screen.height}).`,
    { hint: "Cut out a smaller part, or allow smaller scales." },
  );
}

interface Search {
  readonly pool: KernelPool;
  readonly arena: Arena;
  readonly haystack: Haystack;
  readonly patterns: Patterns;
  readonly traits: Traits;
  readonly options: FindOptions;
  readonly threshold: number;
  readonly thorough: Thoroughness;
  readonly scratch: number;
}

/** From a coarse pass over everything to a close look at what is left. */
async function searchStage(search: Search, stage: Stage): Promise<Match[]> {
  const { patterns, options, threshold, thorough } = search;
  await patterns.make(options.rotations, stage.scales, options.signal);
  const coarse = await sweep(search, stage);
  let kept = distinct(coarse, thorough.keepAll);
  let factor = Math.max(1, ...kept.map((candidate) => candidate.factor));
  for (; factor >= 1 && kept.length > 0; factor /= 2) {
    const isDue = (candidate: Coarse) => candidate.factor >= factor && finest(candidate) <= factor;
    const due = kept.filter(isDue);
    const others = kept.filter((candidate) => !isDue(candidate));
    if (due.length === 0) continue;
    const moved = await climb(search, stage, due, factor);
    const hopeful = moved.filter(({ score }) => score >= threshold - stillToGain(factor));
    // Of the hopeless one is kept, so that a search in vain can say how near it came.
    const rest = hopeful.length > 0 ? hopeful : moved.toSorted(byScore).slice(0, 1);
    kept = [...distinct(rest, factor > 1 ? thorough.keepAll : finalists), ...others];
  }
  return judge(search, kept);
}

/**
 * The level it is compared at in the end. Something drawn at twice the size has finer edges than its enlarged picture;
 * in squares of the picture's own pixels both are alike.
 */
const finest = ({ pattern, scale, factor }: Coarse): number => (scale * pattern.zoom >= 1.5 ? Math.min(2, factor) : 1);

interface Coarse extends Candidate {
  /** The level it was found in. */
  readonly factor: number;
}

interface Variant {
  readonly pattern: Pattern;
  readonly scale: number;
  readonly factor: number;
}

/** Lays every pattern at every size over the whole picture, each at the smallest level that still shows it. */
async function sweep(search: Search, { scales }: Stage): Promise<Coarse[]> {
  const { patterns, options, haystack } = search;
  let variants = scales.flatMap((scale) =>
    options.rotations.flatMap((rotation) =>
      patterns.at(rotation, scale).flatMap((pattern): Variant[] => {
        const own = scale / pattern.zoom;
        const [width, height] = [pattern.width * own, pattern.height * own];
        if (width > haystack.width || height > haystack.height || Math.min(width, height) < 5) return [];
        return [{ pattern, scale: own, factor: factorFor(search, width, height) }];
      }),
    ),
  );
  const found: Coarse[] = [];
  while (variants.length > 0) {
    const { candidates, tooFlat } = await sweepOnce(search, variants);
    found.push(...candidates);
    variants = tooFlat.filter(({ factor }) => factor > 1).map((one) => ({ ...one, factor: one.factor / 2 }));
  }
  return found;
}

function factorFor({ haystack, thorough, traits }: Search, width: number, height: number): number {
  const fits = (factor: number): boolean => {
    const [columns, rows] = [Math.floor(width / factor), Math.floor(height / factor)];
    return Math.min(columns, rows) >= fewestCellsAcross && columns * rows * traits.share >= thorough.cells;
  };
  return haystack.factors.findLast(fits) ?? 1;
}

async function sweepOnce(
  search: Search,
  variants: readonly Variant[],
): Promise<{ readonly candidates: Coarse[]; readonly tooFlat: Variant[] }> {
  const { pool, arena, haystack, thorough, traits, options, scratch } = search;
  await haystack.makeSearchable(
    variants.map(({ factor }) => factor),
    options.signal,
  );
  const passes = variants.flatMap((variant) =>
    phasesOf(variant.factor, thorough.phases).map(([dropX, dropY]) => {
      return { variant, dropX, dropY, out: arena.take(thorough.keep * 12) };
    }),
  );
  const [leastContrast, mostContrast] = contrasts[traits.comparison];
  const counts = await pool.run(
    passes.map(({ variant: { pattern, scale, factor }, dropX, dropY, out }): Task => {
      const { stride, width, height } = haystack.level(factor);
      const { pairs, sums, squares, sumStride } = haystack.tables(factor);
      const isMasked = traits.comparison === "masked" ? 1 : 0;
      const shape = [pattern.tables, pattern.width, pattern.height, isMasked, scale, factor, dropX, dropY];
      const level = [pairs, stride, width, height, sums, squares, sumStride];
      return [["search", ...shape, ...level, leastContrast, mostContrast, leastCoarse, thorough.keep, out, scratch]];
    }),
    options.signal,
  );
  const view = arena.view();
  const candidates: Coarse[] = [];
  const flat = new Set<Variant>();
  for (const [index, { variant, dropX, dropY, out }] of passes.entries()) {
    const count = counts[index] ?? 0;
    if (count < 0) flat.add(variant);
    for (let at = out; at < out + Math.max(0, count) * 12; at += 12) {
      const [column, row] = [view.getInt32(at + 4, true), view.getInt32(at + 8, true)];
      const [x, y] = [column * variant.factor - dropX, row * variant.factor - dropY];
      candidates.push({ ...variant, score: view.getFloat32(at, true), x, y });
    }
  }
  return { candidates, tooFlat: [...flat] };
}

/** How many pixels are left out at the left and top, so that cells of the pattern and the picture coincide. */
function phasesOf(factor: number, steps: number): readonly (readonly [number, number])[] {
  const step = Math.max(1, factor / steps);
  const drops = Array.from({ length: factor / step }, (_, index) => index * step);
  return drops.flatMap((dropY) => drops.map((dropX) => [dropX, dropY] as const));
}

async function climb(search: Search, stage: Stage, candidates: readonly Coarse[], factor: number): Promise<Coarse[]> {
  const { arena, pool, haystack, traits, options, scratch } = search;
  if (candidates.length === 0) return [];
  const places = putPlaces(arena, candidates);
  const { plane, stride, width, height } = haystack.level(factor);
  const isFixed = stage.spacing === 0;
  const leastStep = factor === 1 ? (isFixed ? 1 : 0.5) : factor / 4;
  await pool.run(
    candidates.map(({ pattern, factor: from }, index): Task => {
      const scaleStep = isFixed ? 0 : (stage.spacing / 2) * (factor / from);
      const bounds = [stage.least / pattern.zoom, stage.most / pattern.zoom];
      const shape = [pattern.tables, pattern.width, pattern.height, traits.comparison === "masked" ? 1 : 0];
      const steps = [Math.max(1, factor / 2), leastStep, scaleStep, ...bounds];
      return [["climb", ...shape, factor, plane, stride, width, height, ...steps, places(index), scratch]];
    }),
    options.signal,
  );
  const view = arena.view();
  return candidates.map((candidate, index) => ({
    ...candidate,
    x: view.getFloat64(places(index), true),
    y: view.getFloat64(places(index) + 8, true),
    scale: view.getFloat64(places(index) + 16, true),
    score: view.getFloat64(places(index) + 24, true),
  }));
}

async function judge(search: Search, candidates: readonly Coarse[]): Promise<Match[]> {
  const { arena, pool, haystack, traits, options, scratch } = search;
  if (candidates.length === 0) return [];
  const places = putPlaces(arena, candidates);
  const picture = [haystack.source, haystack.stride, haystack.isBlueFirst ? 1 : 0, haystack.width, haystack.height];
  await pool.run(
    candidates.map((candidate, index): Task => {
      const { tables, width, height } = candidate.pattern;
      const how = [comparisonNumber[traits.comparison], finest(candidate)];
      return [["judge", tables, width, height, ...how, ...picture, places(index), scratch]];
    }),
    options.signal,
  );
  const view = arena.view();
  return candidates.flatMap((candidate, index): Match[] => {
    const score = view.getFloat64(places(index) + 32, true);
    const difference = view.getFloat64(places(index) + 40, true);
    if (score <= 0) return [];
    const { pattern, scale, x, y } = candidate;
    return [
      {
        // The same shape in other colours is shown as the best of a search in vain, but is no match.
        score: difference > mostColourDifference ? Math.min(score, search.threshold - 0.01) : Math.min(1, score),
        x: Math.round(x),
        y: Math.round(y),
        width: Math.round(widthOf(candidate)),
        height: Math.round(heightOf(candidate)),
        scale: scale * pattern.zoom,
        rotation: pattern.rotation,
      },
    ];
  });
}

function putPlaces(arena: Arena, candidates: readonly Candidate[]): (index: number) => number {
  const start = arena.take(placeBytes * candidates.length);
  const view = arena.view();
  for (const [index, { x, y, scale }] of candidates.entries()) {
    view.setFloat64(start + index * placeBytes, x, true);
    view.setFloat64(start + index * placeBytes + 8, y, true);
    view.setFloat64(start + index * placeBytes + 16, scale, true);
  }
  return (index) => start + index * placeBytes;
}
