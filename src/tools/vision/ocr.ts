import { z } from "zod";
import { ToolError } from "../../base/errors.ts";
import type { Picture } from "../../base/frame.ts";
import { centre, type Rect } from "../../base/geometry.ts";
import { frameArea } from "../../surface/frames.ts";
import { readScreen, type ScreenText } from "../../surface/read-screen.ts";
import type { Surface } from "../../surface/surface.ts";
import { pictureWithPopups } from "../../surface/window-picture.ts";
import type { Line } from "../../vision/ocr/reader.ts";
import { areaElementFields, areaFields, areaOf, checkArea, refuseArea } from "./capture-area.ts";
import { readLoaded } from "./loaded-image.ts";
import { rect } from "../schema.ts";
import { defineTool } from "../tool.ts";

// A summary that comes with every screenshot must not be larger than the picture.
const summaryLines = 120;
const summaryDeadlineMs = 4_000;
const lowConfidence = 0.6;

/** The text of a screenshot, as the contract words it: each line with a point that can be clicked directly. */
export async function summariseText(surface: Surface, picture: Picture, signal: AbortSignal): Promise<string> {
  try {
    return summary(await readScreen(surface, picture, { deadlineMs: summaryDeadlineMs, signal }));
  } catch (error) {
    // A screenshot without its text is still a screenshot.
    if (signal.aborted || !(error instanceof ToolError)) throw error;
    return `OCR is not available: ${error.message}${error.details.hint ? ` ${error.details.hint}` : ""}`;
  }
}

function summary({ lines, isComplete }: ScreenText): string {
  const shown = lines.slice(0, summaryLines).map(describeLine);
  if (shown.length === 0) shown.push("(none)");
  const left = lines.length - Math.min(lines.length, summaryLines);
  if (left > 0) shown.push(`… ${left} more; call ocr with a region to see them`);
  if (!isComplete) shown.push("… not all of it could be read in time; call ocr with a region");
  return ["OCR Text Detected (click coordinates)", ...shown].join("\n");
}

function describeLine({ text, box, confidence }: Line<"screen">): string {
  const { x, y } = centre(box);
  const doubt = confidence < lowConfidence ? ` (uncertain, ${confidence.toFixed(2)})` : "";
  return `- ${JSON.stringify(text)} at (${x}, ${y}) bounds: {x: ${box.x}, y: ${box.y}, w: ${box.width}, h: ${box.height}}${doubt}`;
}

const place = { x: z.number(), y: z.number(), bounds: rect, confidence: z.number() };

const ocrInput = z.strictObject({
  ...areaFields,
  ...areaElementFields,
  screenshot_id: z.string().max(40).optional().describe("Read this screenshot instead of a new picture"),
  image_id: z
    .string()
    .max(60)
    .optional()
    .describe("Read this loaded image (load_image) instead; coordinates are its pixels"),
  words: z.boolean().default(false).describe("Also return where each word is"),
  max_lines: z.int().min(1).max(5_000).default(300),
});

export const ocr = defineTool({
  name: "ocr",
  title: "Read text in pixels",
  summary:
    "Read the text of a window (default: the active one), screen, region or earlier screenshot from its pixels, with " +
    "coordinates to click. For apps without elements; where there are elements, read_text and find_text are exact.",
  set: "vision",
  access: "observe",
  needs: ["screen"],
  captures: true,
  input: ocrInput,
  output: z.object({
    text: z.string(),
    lines: z.array(
      z.object({ text: z.string(), ...place, words: z.array(z.object({ text: z.string(), ...place })).optional() }),
    ),
    cut: z.number().describe("Lines left out for max_lines"),
    complete: z.boolean(),
    engine: z.string(),
    masked: z.number().optional().describe("Blocked windows and password fields painted over"),
    covered: z
      .boolean()
      .optional()
      .describe("A password field kept moving, so everything around it is painted over: look again"),
  }),
  positional: ["mode"],
  check: (input) => void givenPicture(input),
  async run(input, { surface: open, session, signal }) {
    const surface = await open();
    const given = givenPicture(input);
    const { lines, engine, isComplete, picture } =
      given === "image_id"
        ? { ...(await readLoaded(session, surface, input.image_id ?? "", signal)), picture: undefined }
        : await readShown(surface, input, signal);
    const shown = lines.slice(0, input.max_lines);
    return {
      data: {
        text: shown.map(({ text }) => text).join("\n"),
        lines: shown.map((line) => ({
          text: line.text,
          ...placed(line),
          ...(input.words ? { words: line.words.map((word) => ({ text: word.text, ...placed(word) })) } : {}),
        })),
        cut: lines.length - shown.length,
        complete: isComplete,
        engine,
        ...(picture?.masked ? { masked: picture.masked } : {}),
        ...(picture?.isCovered ? { covered: true } : {}),
      },
    };
  },
});

type OcrInput = z.output<typeof ocrInput>;

/** The field that names a picture to read; none for a part of the screen. */
function givenPicture(input: OcrInput): "screenshot_id" | "image_id" | undefined {
  const [given, other] = (["screenshot_id", "image_id"] as const).filter((name) => input[name] !== undefined);
  if (other !== undefined) throw new ToolError("invalid_argument", "Give screenshot_id or image_id, not both.");
  if (given === undefined) checkArea(input);
  else refuseArea(input, given);
  return given;
}

async function readShown(
  surface: Surface,
  input: OcrInput,
  signal: AbortSignal,
): Promise<ScreenText & { readonly picture: Picture }> {
  const picture =
    input.screenshot_id === undefined
      ? await pictureWithPopups(surface, await areaOf(surface, input, signal), signal)
      : await frameArea(surface.frames, input.screenshot_id);
  return { ...(await readScreen(surface, picture, { signal })), picture };
}

function placed({ box, confidence }: { readonly box: Rect; readonly confidence: number }) {
  const { x, y } = centre(box);
  return { x, y, bounds: box, confidence: shortened(confidence) };
}

/** Three digits, never rounded up to 1: only an element's own text is certain. */
export const shortened = (confidence: number): number => Math.floor(confidence * 1_000) / 1_000;
