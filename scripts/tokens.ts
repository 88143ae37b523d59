import { describeTool } from "../src/tools/describe.ts";
import { selectTools } from "../src/tools/registry.ts";
import { toolSets, type AnyTool } from "../src/tools/tool.ts";

// An estimate without a tokenizer: English and JSON come to about four bytes a token.
const bytesPerToken = 4;

export interface Cost {
  readonly set: string;
  readonly tools: number;
  readonly bytes: number;
  readonly tokens: number;
}

/** What the tool list costs a model that reads it whole: for each set, for `core`, and for everything. */
export function toolListCosts(): readonly Cost[] {
  return ["core", ...toolSets, "all"].map((set) => costOf(set, selectTools([set]))).filter(({ tools }) => tools > 0);
}

function costOf(set: string, tools: readonly AnyTool[]): Cost {
  // Clients hand name, text and input schema to the model; the rest stays with the client.
  const shown = tools
    .map(describeTool)
    .map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
  const bytes = Buffer.byteLength(JSON.stringify(shown));
  return { set, tools: tools.length, bytes, tokens: Math.ceil(bytes / bytesPerToken) };
}
