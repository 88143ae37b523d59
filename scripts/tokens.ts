import { listTools } from "../src/tools/listing.ts";
import { selectTools, showingOf } from "../src/tools/registry.ts";
import { toolSets } from "../src/tools/tool.ts";

const charactersPerToken = 4;

export interface Cost {
  readonly set: string;
  readonly tools: number;
  readonly characters: number;
  readonly tokens: number;
}

/** What the list of each set costs: everything that a client receives in the answer to `tools/list`. */
export function toolListCosts(): readonly Cost[] {
  return ["default", "core", "devtools", ...toolSets, "all"].map(costOf).filter(({ tools }) => tools > 0);
}

function costOf(set: string): Cost {
  const listed = listTools(selectTools([set]), showingOf([set]));
  const characters = JSON.stringify(listed).length;
  return { set, tools: listed.length, characters, tokens: Math.ceil(characters / charactersPerToken) };
}
