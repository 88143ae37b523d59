import { z } from "zod";
import { ToolError } from "../../base/errors.ts";
import type { Finding } from "../../platform/backend.ts";
import type { Surface } from "../../surface/surface.ts";
import type { Session } from "../session.ts";
import { defineTool } from "../tool.ts";

export const capabilities = defineTool({
  name: "capabilities",
  title: "Capabilities",
  summary: "What works on this machine right now, probed live, what does not, and how to fix it.",
  set: "meta",
  access: "observe",
  needs: [],
  input: z.strictObject({}),
  output: z.object({
    surface: z.string(),
    backend: z.string(),
    policy: z.string(),
    findings: z.array(
      z.object({
        ability: z.string(),
        status: z.enum(["ok", "limited", "missing"]),
        detail: z.string(),
        fix: z.string().optional(),
      }),
    ),
    unavailable_tools: z.array(z.object({ tool: z.string(), reason: z.string() })),
  }),
  positional: [],
  async run(_input, { session, surface: open }) {
    let surface;
    try {
      surface = await open();
    } catch (error) {
      if (!(error instanceof ToolError)) throw error;
      const finding: Finding = {
        ability: "connection",
        status: "missing",
        detail: error.message,
        ...(error.details.hint === undefined ? {} : { fix: error.details.hint }),
      };
      return {
        data: {
          surface: "desktop",
          backend: "none",
          policy: session.gate.rules.mode,
          findings: [finding, ...(await devices(session))],
          unavailable_tools: [],
        },
      };
    }
    const { backend } = surface;
    const unavailable = session.tools.flatMap((tool) => {
      const missing = tool.needs.filter((ability) => backend[ability] === undefined);
      return missing.length === 0 ? [] : [{ tool: tool.name, reason: `${backend.id} has no ${missing.join(", ")}` }];
    });
    const findings = await backend.diagnose();
    return {
      data: {
        surface: surface.id,
        backend: backend.id,
        policy: session.gate.rules.mode,
        findings: [...findings, await textFinding(surface), ...(await devices(session))],
        unavailable_tools: unavailable,
      },
    };
  },
});

/** What text can be read in pixels. Does not start the reader. */
async function textFinding(surface: Surface): Promise<Finding> {
  const status = await surface.reader().then((reader) => reader.status());
  if (!status.available) {
    return { ability: "ocr", status: "missing", detail: `Text in pictures cannot be read: ${status.reason}.` };
  }
  const languages = status.languages.length > 0 ? ` for ${status.languages.join(", ")}` : "";
  const letters = status.letters === "" ? "" : `; letters beyond ASCII: ${status.letters}`;
  return { ability: "ocr", status: "ok", detail: `${status.engine}${languages}${letters}` };
}

/** Reports nothing about devices if no tool uses them. */
async function devices(session: Session): Promise<readonly Finding[]> {
  if (!session.devices || !session.tools.some(({ set }) => set === "android")) return [];
  return (await session.devices()).diagnose();
}
