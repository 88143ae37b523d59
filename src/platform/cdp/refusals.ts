import { ToolError } from "../../base/errors.ts";
import { DocumentGone } from "./interrupt.ts";

/** What was asked for is in a frame that nobody may see or use. Names neither its title nor its address. */
export class FrameBlocked extends ToolError {
  constructor(rule: string) {
    super("denied", `A frame of the page is blocked by ${rule}.`, {
      hint: "It can be neither seen nor used. Only a person can change that, in the rule file (--rules).",
    });
  }
}

/** The frame went away, or may not be looked into; the rest of the page can still be read. */
export const isOfFrame = (error: unknown): boolean =>
  error instanceof DocumentGone ||
  error instanceof FrameBlocked ||
  (error instanceof Error && error.name === "CdpError");
