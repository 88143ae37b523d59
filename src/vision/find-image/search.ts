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
  /** A scale that is likely for another reason, such as a screenshot that was shrunk by it. */
  readonly likelyScale?: number | undefined;
  readonly signal: AbortSignal;
}

/** How thorough each mode is. */
interface Thoroughness {
  /** The minimum number of cells of a pattern at the level in which it is searched. */
  readonly cells: number;
  /** The number of steps into which a cell is divided, in each direction. */
  readonly phases: number;
  /** Candidates kept from each pass over the picture, and from all. */
  readonly keep: number;
  readonly keepAll: number;
}

export const thoroughness: Readonly<Record<FindOptions["mode"], Thoroughness>> = {
  fast: { cells: 64, phases: 2, keep: 16, keepAll: 40 },
  accurate: { cells: 144, phases: 4, keep: 32, keepAll: 96 },
};

/** What the steps of one search share. */
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
  /** The level in which it was found. */
  readonly factor: number;
}
