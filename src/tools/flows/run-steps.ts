import { z } from "zod";
import { ToolError } from "../../base/errors.ts";
import { actionResult } from "../schema.ts";
import { stepsField } from "../steps.ts";
import { defineTool } from "../tool.ts";

/** What came of the steps; returned by `session.runSteps`. */
export const stepsResult = z.object({
  ok: z.boolean(),
  ran: z.number().describe("Steps that were done"),
  total: z.number(),
  steps: z.array(
    z.object({
      step: z.number(),
      what: z.string(),
      ok: z.boolean(),
      effect: z.enum(["confirmed", "no_change", "unverifiable"]).optional(),
      via: z.string().optional(),
      saw: z.string().optional().describe("The first change that was seen, or what was read"),
      note: z.string().optional(),
      ms: z.number(),
    }),
  ),
  stopped: z
    .object({
      step: z.number(),
      code: z.string(),
      reason: z.string(),
      hint: z.string().optional(),
      candidates: z.array(z.string()).optional(),
    })
    .optional(),
  node_after: actionResult.shape.node_after,
  changes: actionResult.shape.changes.describe("What the last action changed"),
  read: z.record(z.string(), z.string()).optional().describe("What read steps found, by `as` or step number"),
  now: z.looseObject({}).optional().describe("What is there where it stopped"),
});

export const runSteps = defineTool({
  name: "run_steps",
  title: "Do several steps",
  summary:
    'Do a list of steps in one call: [{"click": "File"}, {"click": "Save As…"}, {"fill": {"into": "Name", "text": "a.txt"}}, {"press": "enter"}, ' +
    '{"expect": {"file": "/tmp/a.txt"}}]. Verbs: launch close open click type fill press select check uncheck hover drag scroll wait expect read ' +
    "screenshot; targets: a text, {role, name}, {uid}, {selector}, {label}, {point}. Each waits for its target and is verified; it stops at the first " +
    "that is not, and says what is there.",
  set: "flows",
  access: "act",
  needs: [],
  callsTools: true,
  // A reason may quote what a step entered; the record of the call that failed tells it where it may.
  secret: ["steps", "read", "saw", "reason", "changes", "node_after"],
  input: z.strictObject({
    steps: stepsField,
    surface: z.string().max(60).optional().describe("Where the steps act unless they say so: page:1, android:SERIAL"),
    timeout_ms: z.int().min(0).max(60_000).default(5_000).describe("How long a step waits for its target"),
    strict: z.boolean().default(false).describe("Stop at effects that cannot be verified, too"),
  }),
  output: stepsResult,
  positional: ["steps"],
  async run({ steps, surface, timeout_ms: timeoutMs, strict }, { session, signal, progress, ask }) {
    if (!session.runSteps) throw new ToolError("not_supported", "This session cannot run steps.");
    const onStep = (done: number, message: string) => progress({ done, total: steps.length, message });
    const { result, images } = await session.runSteps({ steps, surface, timeoutMs, strict, ask, signal, onStep });
    return { data: result, images, failed: !result.ok };
  },
});
