import { ToolError } from "../../base/errors.ts";

/** What the compatibility sets answer as data. A cancelled call stays one, and a bug stays a bug. */
export function isForeseen(error: unknown, signal: AbortSignal): error is ToolError {
  return error instanceof ToolError && error.code !== "cancelled" && !signal.aborted;
}

/** One text for contracts that have no more than that. Hints beside candidates speak of fields these tools lack. */
export function explainError({ message, details: { hint, candidates = [] } }: ToolError): string {
  if (candidates.length > 0) return `${message} Candidates: ${candidates.join("; ")}.`;
  return hint === undefined ? message : `${message} ${hint}`;
}
