import { z } from "zod";
import { ToolError } from "../../base/errors.ts";
import { needFile } from "../../policy/files.ts";
import type { Session } from "../session.ts";
import { defineTool } from "../tool.ts";

const scalar = z.union([z.string().max(100_000), z.number(), z.boolean()]);

const variables = z
  .record(z.string().regex(/^[A-Za-z_][\w-]{0,39}$/), scalar)
  .default({})
  .describe("Variables; they override those of the file");

const flowFile = z.string().min(1).max(4_000).describe("Path of a *.flow.yaml");

/** What came of a flow; returned by `session.runFlow`. */
export const flowResult = z.object({
  ok: z.boolean(),
  runs: z.array(
    z.object({
      name: z.string(),
      row: z.record(z.string(), scalar).optional(),
      status: z.enum(["passed", "failed", "refused", "unreachable", "cancelled"]),
      ms: z.number(),
      steps: z.array(
        z.object({
          step: z.string(),
          line: z.number(),
          what: z.string(),
          status: z.string(),
          effect: z.string().optional(),
          saw: z.string().optional(),
          note: z.string().optional(),
          ms: z.number(),
        }),
      ),
      failed: z
        .object({
          step: z.string(),
          line: z.number(),
          code: z.string(),
          reason: z.string(),
          hint: z.string().optional(),
          candidates: z.array(z.string()).optional(),
        })
        .optional(),
      read: z.record(z.string(), z.string()).optional().describe("What read steps found"),
      now: z.string().optional().describe("What is there where it ended"),
    }),
  ),
  report: z.string().optional().describe("Resource with pictures of the steps"),
});

/** What a flow names is read like the flow itself: only where the rules let files be read. */
const readable =
  ({ gate }: Session) =>
  (file: string): Promise<unknown> =>
    needFile(file, "read", gate.rules.files.read);

export const runFlow = defineTool({
  name: "run_flow",
  title: "Play a flow",
  summary:
    "Play a flow file: steps that were written or recorded earlier, each verified, without a model. Stops at the first failure and says " +
    "its line, what was seen and the nearest candidates; go on from there with `from`.",
  set: "flows",
  access: "act",
  needs: [],
  callsTools: true,
  files: { file: "read" },
  secret: ["vars", "row", "read", "saw", "reason", "now"],
  input: z.strictObject({
    file: flowFile,
    vars: variables,
    from: z.string().max(200).optional().describe("Begin with this step, by number or name"),
    until: z.string().max(200).optional().describe("End after this step"),
  }),
  output: flowResult,
  positional: ["file"],
  async run({ file, vars, from, until }, { session, signal, progress, ask }) {
    if (!session.runFlow) throw new ToolError("not_supported", "This session cannot play flows.");
    let done = 0;
    const onStep = (message: string) => progress({ done: done++, message });
    const needRead = readable(session);
    const result = await session.runFlow({ file, vars, from, until, needRead, ask, signal, onStep });
    return { data: result, failed: !result.ok };
  },
});

/** What is wrong with a flow; returned by `session.checkFlow`. */
export const flowCheck = z.object({
  ok: z.boolean(),
  problems: z.array(z.object({ file: z.string(), line: z.number(), column: z.number(), message: z.string() })),
  steps: z.number().optional(),
});

export const checkFlow = defineTool({
  name: "check_flow",
  title: "Check a flow",
  summary: "Read a flow file and every file it needs, and list the mistakes with line and column. Executes nothing.",
  set: "flows",
  access: "observe",
  needs: [],
  files: { file: "read" },
  isTrusted: true,
  input: z.strictObject({ file: flowFile, vars: variables }),
  output: flowCheck,
  positional: ["file"],
  async run({ file, vars }, { session }) {
    if (!session.checkFlow) throw new ToolError("not_supported", "This session cannot read flows.");
    return { data: await session.checkFlow(file, Object.keys(vars), readable(session)) };
  },
});
