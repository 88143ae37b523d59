import type { Arena } from "./arena.ts";
import type { Candidate } from "./candidates.ts";
import type { Haystack } from "./haystack.ts";
import type { Traits } from "./needle.ts";
import type { Patterns, Rotation } from "./pattern.ts";
import type { KernelPool } from "./pool.ts";
import type { ScaleRange } from "./scales.ts";

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

export const thoroughness: Readonly<Record<FindOptions["mode"], Thoroughness>> = {
  fast: { cells: 64, phases: 2, keep: 16, keepAll: 40 },
  accurate: { cells: 144, phases: 4, keep: 32, keepAll: 96 },
};

/** All that the steps of one search share. */
export interface Search {
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

export interface Coarse extends Candidate {
  /** The level it was found in. */
  readonly factor: number;
}
