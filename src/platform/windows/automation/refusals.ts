import { ToolError } from "../../../base/errors.ts";

export const gone = (): ToolError =>
  new ToolError("uid_not_found", "The element is gone.", { hint: "Take a new snapshot and use its refs." });

export const unsupported = (what: string, action: string): ToolError =>
  new ToolError("pattern_unsupported", `${what} does not support "${action}".`, {
    hint: "Click it, or type into it.",
  });
