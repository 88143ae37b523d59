import { z } from "zod";
import { ToolError } from "../../base/errors.ts";
import { defineTool } from "../tool.ts";

const name = "call_tool";

const input = z.strictObject({
  name: z.string().min(1).max(100),
  // Models write a nested object as text now and then.
  input: z.preprocess(fromText, z.looseObject({})).default({}).describe("Its arguments"),
});

/**
 * Only the wrapping of a call: `tools/call` takes it off before anything else, so that rules, rates, records and the
 * form of the answer are those of the tool inside.
 */
export const callToolTool = defineTool({
  name,
  title: "Call any tool",
  summary: "Run a tool that is not in your list, by name: one that find_tools, a hint or these texts mention.",
  set: "meta",
  access: "act",
  callsTools: true,
  needs: [],
  input,
  output: z.looseObject({}).describe("The result of that tool"),
  positional: ["name", "input"],
  check({ name: inner }) {
    if (inner === name) throw new ToolError("invalid_argument", "call_tool cannot call itself.");
  },
  async run() {
    throw new Error("a call was not unwrapped");
  },
});

export interface NamedCall {
  readonly tool: string;
  readonly arguments: unknown;
}

/** The call inside; undefined when it is not a wrapped call, or one that call_tool itself must refuse. */
export function unwrap(call: NamedCall): NamedCall | undefined {
  if (call.tool !== name) return undefined;
  const { data } = input.safeParse(call.arguments ?? {});
  return data === undefined || data.name === name ? undefined : { tool: data.name, arguments: data.input };
}

function fromText(value: unknown): unknown {
  if (typeof value !== "string") return value;
  try {
    return JSON.parse(value) as unknown;
  } catch {
    return value;
  }
}
