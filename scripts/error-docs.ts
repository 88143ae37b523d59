import { errorCodes } from "../src/base/errors.ts";

/** docs/errors.md. */
export function errorsMarkdown(): string {
  const rows = Object.entries(errorCodes).map(
    ([code, { meaning, retryable }]) => `| \`${code}\` | ${meaning} | ${retryable ? "yes" : "no"} |`,
  );
  return `# Errors

Every failure, over MCP and on the command line, has one form. Over MCP it is a tool result with \`isError: true\`.

\`\`\`json
{
  "error": {
    "code": "stale_frame",
    "message": "what happened, on what",
    "hint": "what to do next",
    "fallback": { "x": 640, "y": 210 },
    "candidates": ["what may have been meant"],
    "retryable": false
  }
}
\`\`\`

\`hint\`, \`fallback\` (a point that is safe to click instead) and \`candidates\` are there when they apply. \`retryable\` says
whether the same call may work later without any change by the caller. A retired code is never used again.

| code | meaning | retryable |
| --- | --- | --- |
${rows.join("\n")}
`;
}
