import type { ErrorEnvelope } from "../../base/errors.ts";
import { line, quoted } from "./words.ts";

/** What went wrong, what to do next, and what there is to choose from, one line each. */
export function errorText({ error }: ErrorEnvelope): string {
  const { code, message, hint, candidates = [], fallback } = error;
  return [
    `${code}: ${line(message)}`,
    ...(hint === undefined ? [] : [line(hint)]),
    // Those of an ambiguous target are written by us, with a uid or an id; the others are names as the screen has them.
    ...candidates.map((candidate) => `- ${code === "ambiguous_target" ? line(candidate) : quoted(candidate)}`),
    ...(fallback === undefined ? [] : [`Safe to click instead: ${fallback.x},${fallback.y}`]),
  ].join("\n");
}
