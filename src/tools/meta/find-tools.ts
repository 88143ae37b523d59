import { z } from "zod";
import { describeTool } from "../describe.ts";
import { charsIn } from "../../surface/snapshot-text.ts";
import { defineTool, type AnyTool } from "../tool.ts";
import { searchTools } from "./search.ts";

export const findTools = defineTool({
  name: "find_tools",
  title: "Find tools",
  summary:
    "Search all tools, also those not in your list, by what you want to do or by name. Gives their arguments; run one with call_tool.",
  set: "meta",
  access: "observe",
  needs: [],
  isTrusted: true,
  input: z.strictObject({
    query: z.string().min(1).max(300).describe("E.g. compare two screenshots"),
    max_results: z.int().min(1).max(20).default(4),
    max_tokens: z.int().min(100).max(20_000).default(2_000),
  }),
  output: z.object({
    tools: z.array(
      z.object({
        name: z.string(),
        summary: z.string(),
        input_schema: z.looseObject({}).optional().describe("Missing where it would exceed max_tokens"),
      }),
    ),
    total: z.int().describe("How many tools match"),
    hint: z.string().optional(),
  }),
  positional: ["query"],
  async run({ query, max_results: most, max_tokens: tokens }, { session }) {
    const others = session.tools.filter(({ name }) => !["find_tools", "call_tool"].includes(name));
    const matching = searchTools(others, query);
    const tools = withinBudget(matching.slice(0, most), charsIn(tokens));
    return {
      data: {
        tools,
        total: matching.length,
        ...(matching.length === 0 ? { hint: `No tool matches. The families: ${families(others)}.` } : {}),
      },
    };
  },
});

interface Found {
  readonly name: string;
  readonly summary: string;
  readonly input_schema?: Record<string, unknown>;
}

/** Best first: the schemas that fit; of the others the name and summary. */
function withinBudget(tools: readonly AnyTool[], room: number): Found[] {
  const brief = tools.map(({ name, summary }): Found => ({ name, summary }));
  let left = room - JSON.stringify(brief).length;
  return brief.map((found, index) => {
    const tool = tools[index];
    if (!tool) return found;
    const { inputSchema } = describeTool(tool);
    left -= JSON.stringify(inputSchema).length;
    return left < 0 ? found : { ...found, input_schema: inputSchema };
  });
}

const families = (tools: readonly AnyTool[]): string => [...new Set(tools.map(({ set }) => set))].join(", ");
