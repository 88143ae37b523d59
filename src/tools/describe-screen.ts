import { z } from "zod";
import { ToolError } from "../base/errors.ts";
import { areaFields } from "./capture-area.ts";
import { defineTool } from "./tool.ts";

/** What to do where no model is configured; the same words wherever a picture is to be described. */
export const noModel = () =>
  new ToolError("not_supported", "Describing a picture needs a vision model, and none is configured.", {
    hint: "Look at take_screenshot yourself, or use ocr for its text, mark_regions for what can be clicked, take_ax_snapshot for its elements.",
  });

export const describeScreen = defineTool({
  name: "describe_screen",
  title: "Describe the screen",
  summary:
    "Have a configured vision model describe a window, region or the screen in words instead of returning the picture.",
  set: "vision",
  access: "observe",
  needs: ["screen"],
  captures: true,
  input: z.strictObject({
    ...areaFields,
    prompt: z.string().min(1).max(10_000).default("Describe what you see in this screenshot"),
  }),
  output: z.object({ text: z.string() }),
  positional: ["prompt"],
  async run() {
    throw noModel();
  },
});
