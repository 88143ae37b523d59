/** Why an agent ended before its goal, in one word; printed in the guide and used to name the tests. */
export const stopReasons = {
  out_of_bounds: "the model pointed outside the picture",
  malformed: "neither of the model's two answers could be used",
  low_confidence: "the model was less sure than the threshold",
  no_progress: "the same thing was done again without any effect",
  max_steps: "the step limit",
  max_time: "the time limit",
  max_tokens: "the token limit",
  max_cost: "the cost limit",
  emergency_stop: "a person used the emergency stop",
  denied: "the policy or a person refused",
  refused: "the model declined, and said why",
  cancelled: "the caller cancelled",
  dry_run: "it was a dry run",
} as const;

export type StopReason = keyof typeof stopReasons;

/** Ends a run in an orderly way. */
export class Stop extends Error {
  override readonly name = "Stop";
  readonly reason: StopReason;
  readonly candidates: readonly string[];

  constructor(reason: StopReason, message: string, candidates: readonly string[] = []) {
    super(message);
    this.reason = reason;
    this.candidates = candidates;
  }
}

/** Thrown by a model that understood the goal but will not pursue it: too open, ambiguous, against its rules. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly candidates: readonly string[];

  constructor(message: string, candidates: readonly string[] = []) {
    super(message);
    this.candidates = candidates;
  }
}
