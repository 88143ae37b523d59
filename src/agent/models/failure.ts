import { ToolError } from "../../base/errors.ts";
import type { Endpoint } from "./http.ts";

export interface Failure {
  /** Undefined when there was no answer at all. */
  readonly status: number | undefined;
  /** What the server said, or why it could not be reached. */
  readonly text: string;
  /** The same request may succeed later. */
  readonly isPassing: boolean;
  readonly retryAfterMs: number | undefined;
}

/** Describes a failure of a model's server in our words and without the key. */
export function toError({ who, keyFrom }: Endpoint, failure: Failure, attempts: number): ToolError {
  const { status, retryAfterMs } = failure;
  const said = shorten(saidIn(failure.text));
  const tried = attempts > 1 ? ` after ${attempts} attempts` : "";
  if (status === undefined) {
    return new ToolError("not_connected", `${who} could not be reached${tried}: ${said}.`, {
      hint: "Is the server running, and is its address (modelUrl) right?",
    });
  }
  const message = `${who} answered ${status}${tried}: ${said}`;
  switch (status) {
    case 401:
    case 403:
      return new ToolError("permission_missing", message, { hint: `Check the key in ${keyFrom}.` });
    case 404:
      return new ToolError("not_found", message, { hint: "Check the name of the model and its address (modelUrl)." });
    case 413:
      return new ToolError("invalid_argument", message, { hint: "Send a smaller picture: lower maxSide." });
    case 429:
      return new ToolError("rate_limited", message, {
        hint: "Wait, or use another model.",
        ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
      });
    default:
      if (status >= 500) return new ToolError("not_connected", message, { hint: "Try again later." });
      return new ToolError("invalid_argument", message, {
        hint: /image|pixel|dimension/i.test(said)
          ? "The picture was refused: lower maxSide or maxImageBytes."
          : "The server did not accept the request: check the name of the model, and whether it can do this.",
      });
  }
}

/** `{"error": {"message"}}`, `{"error": "…"}`, `{"message"}`, `[{"error": …}]`; otherwise the text itself. */
function saidIn(text: string): string {
  try {
    const parsed: unknown = JSON.parse(text);
    const body = (Array.isArray(parsed) ? parsed[0] : parsed) as Record<string, unknown> | null;
    const error = body?.["error"] ?? body;
    const message = typeof error === "string" ? error : (error as Record<string, unknown> | null)?.["message"];
    if (typeof message === "string") return message;
  } catch {
    // Not JSON: perhaps the error page of a proxy.
  }
  return text.trim() || "nothing";
}

// Servers without keys are often given a word like "none", which may appear anywhere.
const shortestKey = 8;

export const withoutKey = (text: string, key = ""): string =>
  key.length < shortestKey ? text : text.replaceAll(key, "[key]");

const shorten = (text: string): string => {
  const line = text.replaceAll(/\s+/g, " ");
  return line.length > 300 ? `${line.slice(0, 300)}…` : line;
};
