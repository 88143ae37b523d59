import { z } from "zod";
import { explainError, isForeseen } from "./error.ts";
import type { ToolContext, ToolResult } from "../tool.ts";

/** What every `ui_*` tool answers, besides its own fields. */
export const answer = z.object({ Success: z.boolean(), Error: z.string().nullable() });

/** Returns an expected failure as data, with `nothing` in place of the result. */
export async function attempt<Nothing extends object, Data extends object>(
  nothing: Nothing,
  { signal }: ToolContext,
  work: () => Promise<ToolResult<Data>>,
): Promise<ToolResult<(Data | Nothing) & z.input<typeof answer>>> {
  try {
    const result = await work();
    return { ...result, data: { ...result.data, Success: true, Error: null } };
  } catch (error) {
    if (!isForeseen(error, signal)) throw error;
    return { data: { ...nothing, Success: false, Error: explainError(error) }, failed: true };
  }
}
