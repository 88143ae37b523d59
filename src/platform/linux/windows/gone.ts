import { ToolError } from "../../../base/errors.ts";

export function windowGone(id: number, cause?: unknown): ToolError {
  return new ToolError("window_gone", `Window ${id} has been closed.`, {
    hint: "List the windows again.",
    ...(cause === undefined ? {} : { cause }),
  });
}
