import type { StepTarget } from "../../tools/steps.ts";
import type { Scene } from "../places.ts";

/** A target of a step that is about to be performed. */
export interface WantedTarget {
  /** The file that the step is in, and its number there: "3", "3.2". */
  readonly file: string;
  readonly step: string;
  readonly verb: string;
  /** Which target of the step: "click", "into", "from", "to", … */
  readonly field: string;
  /** As the file names it, with variables put in. */
  readonly target: StepTarget;
  readonly scene: Scene;
}

export interface ResolvedTarget {
  /** What the step acts on instead: the same, or the uid of the one element that is meant. */
  readonly target: StepTarget;
  /** How it was recognised, for the report. */
  readonly rung?: string | undefined;
  readonly note?: string | undefined;
}

/** Finds what a step acts on. Throws `ambiguous_target` or `not_found` with candidates instead of guessing. */
export type TargetResolver = (wanted: WantedTarget) => Promise<ResolvedTarget>;

/** The words of the file, which the tools take literally and strictly. */
export const byWords: TargetResolver = async ({ target }) => ({ target });
