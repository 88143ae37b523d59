import { ToolError } from "../../base/errors.ts";

/** Errors that the compatibility sets return as data. A cancelled call stays cancelled, and a bug stays a bug. */
export function isForeseen(error: unknown, signal: AbortSignal): error is ToolError {
  return error instanceof ToolError && error.code !== "cancelled" && !signal.aborted;
}

/**
 * One text for contracts that have only a message. With candidates the hint is dropped, because it mentions fields
 * that these tools lack.
 */
export function explainError({ message, details: { hint, candidates = [] } }: ToolError): string {
  if (candidates.length > 0) return `${message} Candidates: ${candidates.join("; ")}.`;
  return hint === undefined ? message : `${message} ${hint}`;
}
