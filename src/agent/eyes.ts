import { z } from "zod";
import { ToolError } from "../base/errors.ts";
import type { Called, Caller } from "./caller.ts";
import { appArguments, windowArguments, type Workplace } from "./workplace.ts";

const rect = z.object({ x: z.number(), y: z.number(), width: z.number(), height: z.number() });

const elementShape = z.object({
  uid: z.string(),
  role: z.string(),
  /** The platform's own role: "date" is a textbox that does not take plain text. */
  native_role: z.string().optional(),
  name: z.string(),
  value: z.union([z.string(), z.number()]).optional(),
  description: z.string().optional(),
  states: z.array(z.string()),
  actions: z.array(z.string()).default([]),
  bounds: rect.optional(),
  depth: z.number(),
});
const elementsShape = z.object({ elements: z.array(elementShape) });
/** An element of the tree, in tree order; `depth` shows the nesting. */
export type SeenElement = z.output<typeof elementShape>;

const textShape = z.object({
  text: z.string(),
  x: z.number(),
  y: z.number(),
  confidence: z.number(),
  source: z.string(),
});
export type SeenText = z.output<typeof textShape>;

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
      return answer ? elementsShape.parse(answer.data).elements : [];
    },
    async textsLike(text) {
      const answer = await unlessMute(call("find_text", { text, ...windowArguments(placeNow()) }));
      return answer ? z.object({ matches: z.array(textShape) }).parse(answer.data).matches : [];
    },
  };
}

/** An app without a tree still shows its text; one that has just opened its window may show neither yet. */
async function unlessMute(answer: Promise<Called>): Promise<Called | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof ToolError && ["not_supported", "timeout", "ax_error"].includes(error.code)) return undefined;
    throw error;
  }
}
