import { basename } from "node:path";
import { z } from "zod";
import { ToolError } from "../../base/errors.ts";
import { defineTool } from "../tool.ts";
import { saveFlowFile } from "./save-flow-file.ts";

export const saveFlow = defineTool({
  name: "save_flow",
  title: "Save what was done in this session as a flow",
  summary:
    "Turn the calls of this session into a flow that does the same without a model. Calls that failed or led nowhere are dropped, each " +
    "with the reason.",
  set: "flows",
  access: "observe",
  needs: [],
  files: { file_path: "write" },
  // It has the text that was typed, where the journal has.
  secret: ["flow"],
  input: z.strictObject({
    file_path: z.string().min(1).max(4_000).optional().describe("Write the flow here: name.flow.yaml"),
    name: z.string().min(1).max(200).optional().describe("What the flow is called"),
  }),
  output: z.object({
    steps: z.number(),
    dropped: z.array(z.object({ step: z.string(), tool: z.string(), why: z.string() })),
    flow: z.string().optional().describe("The flow as YAML; missing when nothing is left"),
    file_path: z.string().optional(),
  }),
  positional: ["file_path"],
  async run({ file_path, name }, { session }) {
    if (!session.saveFlow) throw new ToolError("not_supported", "This session cannot save a flow.");
    const called = name ?? (basename(file_path ?? "").replace(/(?:\.flow)?\.ya?ml$/, "") || "Session");
    const { steps, text, dropped } = await session.saveFlow(called);
    const written = file_path !== undefined && text !== "" ? await saveFlowFile(file_path, text, session) : undefined;
    return {
      data: {
        steps,
        dropped: [...dropped],
        ...(text === "" ? {} : { flow: text }),
        ...(written === undefined ? {} : { file_path: written }),
      },
    };
  },
});
