import type { ErrorEnvelope } from "../base/errors.ts";
import { printable } from "./text.ts";

export function renderError({ error }: ErrorEnvelope): string {
  const { message, hint, candidates, fallback } = error;
  return [
    `handsight: ${printable(message)}`,
    ...(hint === undefined ? [] : [`  ${printable(hint)}`]),
    ...(candidates ?? []).map((candidate) => `  - ${printable(candidate)}`),
    ...(fallback === undefined ? [] : [`  Safe to click instead: ${fallback.x},${fallback.y}`]),
  ].join("\n");
}
