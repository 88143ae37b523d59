import { z } from "zod";
import { ToolError } from "../../base/errors.ts";
import type { Size } from "../../base/geometry.ts";
import type { EncodedImage } from "../../vision/encode.ts";
import { areaElementFields, areaFields, areaOf, checkArea } from "./capture-area.ts";
import type { Describer } from "../session.ts";
import { defineTool, type ToolContext } from "../tool.ts";

/** The same advice wherever a picture needs a model and none is configured. */
const noModel = () =>
  new ToolError("not_supported", "Describing a picture needs a vision model, and none is configured.", {
    hint:
      "Set model (HANDSIGHT_MODEL) to anthropic:…, openai:…, gemini:… or chat:… — or look at take_screenshot yourself, " +
      "or use ocr for its text, mark_regions for what can be clicked, take_ax_snapshot for its elements.",
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
    ...areaElementFields,
    prompt: z.string().min(1).max(10_000).default("Describe what you see in this screenshot"),
  }),
  output: z.object({
    text: z.string(),
    model: z.string(),
    input_tokens: z.number(),
    output_tokens: z.number(),
    cached_tokens: z.number(),
  }),
  positional: ["prompt"],
  check: checkArea,
  async run({ prompt, ...area }, context) {
    const { text, model, usage } = await askAbout(area, prompt, context);
    return {
      data: {
        text,
        model,
        input_tokens: usage.inputTokens,
        output_tokens: usage.outputTokens,
        cached_tokens: usage.cachedTokens,
      },
    };
  },
});

type Area = Parameters<typeof areaOf>[1];
type Described = Awaited<ReturnType<Describer["describe"]>> & { readonly model: string; readonly image: EncodedImage };

/** Captures an area at the largest size the model accepts, and asks the model about it. */
export async function askAbout(area: Area, question: string, context: ToolContext): Promise<Described> {
  const { session, signal } = context;
  // Before the capture: without a model there is no need for a picture.
  const describer = await context.describer();
  if (!describer) throw noModel();
  const surface = await context.surface();
  const picture = await surface.picture(await areaOf(surface, area, signal), { includeCursor: false, signal });
  const { image } = await surface.show(picture, {
    format: "jpeg",
    quality: 85,
    maxSide: largestSide(picture.pixels, describer.limits),
    maxBytes: session.limits.maxImageBytes,
  });
  const shown = { data: image.bytes, mimeType: image.mimeType, size: { width: image.width, height: image.height } };
  return { ...(await describer.describe(shown, question, signal)), model: describer.name, image };
}

/** The longest side at which a picture of this shape stays within both limits. */
function largestSide({ width, height }: Size, { maxSide, maxPixels }: Describer["limits"]): number {
  const shrink = Math.min(1, Math.sqrt(maxPixels / (width * height)));
  return Math.max(64, Math.min(maxSide, Math.floor(Math.max(width, height) * shrink)));
}
