import { basename } from "node:path";
import { z } from "zod";
import { ToolError } from "../../base/errors.ts";
import type { WindowInfo } from "../../platform/backend.ts";
import { indicate } from "../observe/indicate.ts";
import type { Session } from "../session.ts";
import { defineTool, type ToolContext } from "../tool.ts";
import { demonstrationEndings } from "./demonstrations.ts";
import { needFlowFile, saveFlowFile } from "./save-flow-file.ts";

export const startDemonstration = defineTool({
  name: "start_demonstration",
  title: "Record what the person does, to make a flow of it",
  summary:
    "Record what the person does with mouse and keyboard until stop_demonstration makes a flow of it. Ask them first. They end it with " +
    "ctrl+alt+s; ctrl+alt+m marks a part, ctrl+alt+e asserts what is under the pointer. Passwords and blocked windows are left out.",
  set: "flows",
  access: "observe",
  needs: ["input", "windows"],
  captures: true,
  watchesPerson: true,
  isTrusted: true,
  endedBy: "stop_demonstration",
  files: { file_path: "write" },
  input: z.strictObject({
    file_path: z.string().min(1).max(4_000).optional().describe("Write the flow here when it ends: name.flow.yaml"),
    name: z.string().min(1).max(200).optional().describe("What the flow is called"),
    surfaces: z
      .array(z.string().max(60))
      .max(20)
      .default([])
      .describe("page:1, android:SERIAL, desktop; default: the desktop, and every page that is open"),
    launched: z
      .strictObject({ app: z.string().min(1).max(500), args: z.array(z.string().max(4_000)).max(100).default([]) })
      .optional()
      .describe("The app that was launched for it: the flow begins by launching it"),
    max_duration_ms: z.int().min(1_000).max(3_600_000).default(600_000),
  }),
  output: z.object({ started_at: z.number(), surfaces: z.array(z.string()) }),
  positional: ["file_path"],
  async run(input, context) {
    const { session, signal, progress } = context;
    if (!session.demonstrate) throw new ToolError("not_supported", "This session cannot record a demonstration.");
    if (input.file_path !== undefined) await needFlowFile(input.file_path, session);
    const ids = input.surfaces.length > 0 ? input.surfaces : await openOnes(context);
    const surfaces = await Promise.all(ids.map((id) => session.surface(id)));
    const startedAt = await session.demonstrations.start({
      begin: session.demonstrate.bind(session),
      indicate: () => indicate(session),
      maxDurationMs: input.max_duration_ms,
      lasting: context.lasting ?? {},
      surfaces,
      filePath: input.file_path,
      name: input.name ?? nameOf(input.file_path ?? ""),
      launch: input.launched,
      isPrivate: session.isPrivateDesktop === true,
      permits: permission(context),
      onStep: (done, message) => {
        if (!signal.aborted) progress({ done, message });
      },
    });
    return { data: { started_at: startedAt, surfaces: [...ids] } };
  },
});

/** `a/save-letter.flow.yaml` → `save-letter`. */
const nameOf = (path: string): string => basename(path).replace(/(?:\.flow)?\.ya?ml$/, "") || "Demonstration";

/** The desktop, and the pages of this session. */
async function openOnes({ session, surface }: ToolContext): Promise<readonly string[]> {
  const { id } = await surface();
  const pages = session.openSurfaces().flatMap((each) => (each.id.startsWith("page:") ? [each.id] : []));
  return [...new Set([id, ...pages])];
}

/** A rule about an app or window applies wherever the person goes, not only where they were at the start. */
function permission({ session }: ToolContext): (window: WindowInfo) => boolean {
  const { name: tool, title, access, captures } = startDemonstration;
  const about = { tool, title, access, captures };
  return (window) =>
    session.gate.mayGoOn(about, { ...about, window: { id: window.id, title: window.title, app: window.appName } });
}

export const stopDemonstration = defineTool({
  name: "stop_demonstration",
  title: "End the demonstration and get its flow",
  summary: "End the demonstration and return what was done as a flow: readable steps with what each was seen to do.",
  set: "flows",
  access: "observe",
  needs: [],
  input: z.strictObject({}),
  // It has the text that was typed.
  secret: ["flow"],
  output: z.object({
    ended: z.enum(demonstrationEndings),
    steps: z.number(),
    left_out: z.number().describe("Clicks in windows that may not be looked at"),
    flow: z.string().optional().describe("The flow as YAML; missing when nothing was done"),
    file_path: z.string().optional().describe("Where it was written"),
    warning: z.string().optional(),
  }),
  positional: [],
  async run(_input, { session }) {
    const { why, steps, text, leftOut, filePath } = await session.demonstrations.stop();
    const saved = filePath !== undefined && text !== "" ? await saveOrSay(filePath, text, session) : {};
    return {
      data: {
        ended: why,
        steps,
        left_out: leftOut,
        ...(text === "" ? {} : { flow: text }),
        ...saved,
      },
    };
  },
});

/** What was recorded cannot be done again: a file that cannot be written must not lose it. */
async function saveOrSay(
  path: string,
  text: string,
  session: Session,
): Promise<{ readonly file_path: string } | { readonly warning: string }> {
  try {
    return { file_path: await saveFlowFile(path, text, session) };
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    return { warning: `The flow was not written: ${error.message} It is in this answer.` };
  }
}
