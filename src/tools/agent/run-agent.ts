import { z } from "zod";
import { ToolError } from "../../base/errors.ts";
import { defineTool } from "../tool.ts";

const effect = z.enum(["confirmed", "no_change", "unverifiable", "none"]);

/** What the agent reports; returned by `session.pursue`. */
export const pursuitResult = z.object({
  status: z.enum(["done", "stopped", "failed"]),
  /** Why it stopped, in one word, or the error code it failed with. */
  reason: z.string().nullable(),
  message: z.string(),
  hint: z.string().nullable(),
  /** What the goal could mean, if it is ambiguous. */
  candidates: z.array(z.string()),
  model: z.string(),
  steps: z.array(
    z.object({
      step: z.number(),
      what: z.string(),
      effect,
      changes: z.array(z.string()),
      error: z.string().nullable(),
    }),
  ),
  input_tokens: z.number(),
  output_tokens: z.number(),
  ms: z.number(),
  run_id: z.string(),
  report: z.string().nullable(),
});

const models = ["configured", "client", "rules"] as const;

export const runAgentTool = defineTool({
  name: "run_agent",
  title: "Let handsight pursue a goal",
  summary:
    "Hand over a whole goal: handsight looks, decides, acts and checks step by step, and returns a verdict with the effects. " +
    'With model "rules" (no tokens) the goal must be plain instructions: click "Save" then type "x" into Name, wait for "Saved".',
  set: "agent",
  access: "act",
  needs: [],
  callsTools: true,
  urls: ["url"],
  input: z.strictObject({
    goal: z.string().min(1).max(10_000),
    model: z
      .enum(models)
      .optional()
      .describe("configured (setting model), client (your own, lent by sampling), rules; default: the first available"),
    window: z.string().min(1).max(500).optional().describe("Part of the title, or the id"),
    app: z.string().min(1).max(500).optional().describe("Started if it is not running"),
    pid: z.int().positive().optional(),
    surface: z.string().max(60).optional().describe("page:1, android:SERIAL"),
    url: z.string().min(1).max(10_000).optional().describe("Opened in a browser of its own"),
    background: z.boolean().default(false).describe("Native actions only: pointer and focus do not move"),
    dry_run: z.boolean().default(false).describe("Decide once, do nothing"),
    max_steps: z.int().min(1).max(500).optional(),
    max_time: z.number().min(1).max(3_600).optional().describe("Seconds"),
  }),
  output: pursuitResult,
  positional: ["goal"],
  secret: ["goal"],
  async run({ model, dry_run: dryRun, max_steps: maxSteps, max_time: maxSeconds, ...request }, context) {
    const { session, signal, progress, lent, ask } = context;
    if (!session.pursue) throw new ToolError("not_supported", "This session has no agent.");
    const { goal, background, ...where } = request;
    const { result: data, written: record } = await session.pursue({
      goal,
      model,
      where,
      background,
      dryRun,
      limits: {
        ...(maxSteps === undefined ? {} : { maxSteps }),
        ...(maxSeconds === undefined ? {} : { maxSeconds }),
      },
      lent,
      ask,
      signal,
      onStep: (done, message) => progress({ done, message }),
    });
    return { data, record, failed: data.status !== "done" && data.reason !== "dry_run" };
  },
});
