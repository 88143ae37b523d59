import { Lock } from "../../base/async.ts";
import { ToolError } from "../../base/errors.ts";
import { Arena } from "./arena.ts";
import { byScore, withoutOverlaps, type Match } from "./candidates.ts";
import { findExact } from "./exact.ts";
import { Haystack, type Searchable } from "./haystack.ts";
import { examine, type Comparison, type Needle, type Traits } from "./needle.ts";
import { Patterns, type Enlarge } from "./pattern.ts";
import { KernelPool } from "./pool.ts";
import { stages, type Stage } from "./scales.ts";
import { searchStage } from "./refine.ts";
import { thoroughness, type FindOptions, type Search } from "./search.ts";

export type { FindOptions } from "./search.ts";

export interface Found {
  readonly matches: readonly Match[];
  readonly threshold: number;
  /** The best place that was examined closely, even if below the threshold. */
  readonly best: Match | undefined;
}

/** Below these a match may just as well be something else; a mask leaves less to distinguish things by. */
export const defaultThreshold: Readonly<Record<Comparison, number>> = { all: 0.85, masked: 0.9, "see-through": 0.85 };

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
    `The template (${size}) is larger than the picture to search (${screen.width}×${screen.height}).`,
    { hint: "Cut out a smaller part, or allow smaller scales." },
  );
}
