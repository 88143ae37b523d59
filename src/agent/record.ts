import { z } from "zod";

/** What the run folder keeps of an agent: `agent/run.json` and one `agent/step-NN.json` per step. */

const point = z.object({ x: z.number(), y: z.number() });
const size = z.object({ width: z.number(), height: z.number() });

export const shotRecord = z.object({
  screenshot_id: z.string(),
  /** Relative to the run folder; null when the journal is off. */
  file: z.string().nullable(),
  size,
  bounds: point.extend(size.shape),
});

export const usageRecord = z.object({
  input_tokens: z.number(),
  output_tokens: z.number(),
  cached_tokens: z.number(),
});

export const actedRecord = z.object({
  action: z.record(z.string(), z.unknown()),
  tool: z.string().nullable(),
  /** A pixel of the picture of this step. */
  image: point.nullable(),
  /** The same point on the screen. */
  screen: point.nullable(),
  image_end: point.nullable(),
  screen_end: point.nullable(),
  element: z.string().nullable(),
  via: z.string().nullable(),
  effect: z.enum(["confirmed", "no_change", "unverifiable", "none"]),
  changes: z.array(z.string()),
  suspected_loop: z.boolean(),
  warning: z.string().nullable(),
  error: z.object({ code: z.string(), message: z.string(), hint: z.string().nullable() }).nullable(),
  ms: z.number(),
});

export const stepRecord = z.object({
  step: z.number(),
  /** "deciding" if the run ended before the model answered, "acting" if it ended before the actions did. */
  state: z.enum(["deciding", "acting", "done"]),
  at: z.number(),
  place: z.string(),
  surface: z.string(),
  window: z.record(z.string(), z.unknown()).nullable(),
  shot: shotRecord.nullable(),
  outline: z.string(),
  prompt: z.unknown(),
  answer: z.unknown(),
  repair: z.object({ answer: z.string(), problem: z.string() }).nullable(),
  actions: z.array(actedRecord),
  usage: usageRecord,
  total: usageRecord,
  timing: z.object({ look_ms: z.number(), decide_ms: z.number(), act_ms: z.number() }),
});

export const verdictRecord = z.object({
  status: z.enum(["done", "stopped", "failed"]),
  /** One of the stop reasons for "stopped"; an error code for "failed". */
  reason: z.string().nullable(),
  message: z.string(),
  hint: z.string().nullable(),
  candidates: z.array(z.string()),
  evidence: z.object({
    /** What the model claims to have done. */
    claim: z.string().nullable(),
    /** Actions whose effect was seen. */
    confirmed: z.number(),
    /** Actions that were sent but whose effect was not seen. */
    unconfirmed: z.array(z.string()),
    /** What changed last. */
    changes: z.array(z.string()),
    shot: shotRecord.nullable(),
  }),
});

export const runRecord = z.object({
  version: z.literal(1),
  run_id: z.string(),
  goal: z.string(),
  model: z.string(),
  where: z.record(z.string(), z.unknown()),
  limits: z.record(z.string(), z.unknown()),
  dry_run: z.boolean(),
  started: z.number(),
  ms: z.number(),
  steps: z.number(),
  usage: usageRecord,
  cost: z.number().nullable(),
  /** Null while the agent is working, and forever if it was killed. */
  verdict: verdictRecord.nullable(),
});

export type ShotRecord = z.output<typeof shotRecord>;
export type ActedRecord = z.output<typeof actedRecord>;
export type StepRecord = z.output<typeof stepRecord>;
export type Verdict = z.output<typeof verdictRecord>;
export type RunRecord = z.output<typeof runRecord>;
