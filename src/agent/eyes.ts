import { ToolError } from "../base/errors.ts";
import type { Caller } from "../tools/caller.ts";
import type { ToolOutput } from "../tools/registry.ts";
import { appArguments, windowArguments, type Workplace } from "./workplace.ts";

/** An element of the tree, in tree order; `depth` shows the nesting. */
export type SeenElement = NonNullable<ToolOutput<"take_ax_snapshot">["elements"]>[number];
export type SeenText = ToolOutput<"find_text">["matches"][number];

/** For models that look for themselves instead of being shown something. */
export interface Eyes {
  elements(): Promise<readonly SeenElement[]>;
  /** Where a text appears in the picture. */
  textsLike(text: string): Promise<readonly SeenText[]>;
}

// More than any window shows; a table with thousands of rows is cut here.
const mostElements = 3_000;

export function openEyes(call: Caller, placeNow: () => Workplace): Eyes {
  return {
    async elements() {
      const input = { ...appArguments(placeNow()), format: "json", max_nodes: mostElements };
      const answer = await unlessMute(call("take_ax_snapshot", input));
      return answer?.data.elements ?? [];
    },
    async textsLike(text) {
      const answer = await unlessMute(call("find_text", { text, ...windowArguments(placeNow()) }));
      return answer?.data.matches ?? [];
    },
  };
}

/** An app without a tree still shows its text; one that has just opened its window may show neither yet. */
async function unlessMute<Answer>(answer: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof ToolError && ["not_supported", "timeout", "ax_error"].includes(error.code)) return undefined;
    throw error;
  }
}
