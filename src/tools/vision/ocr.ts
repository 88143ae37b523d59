import { z } from "zod";
import { ToolError } from "../../base/errors.ts";
import type { Picture } from "../../base/frame.ts";
import { centre, type Rect } from "../../base/geometry.ts";
import { frameArea } from "../../surface/frames.ts";
import { readScreen, type ScreenText } from "../../surface/read-screen.ts";
import type { Surface } from "../../surface/surface.ts";
import { pictureWithPopups } from "../../surface/window-picture.ts";
import { areaElementFields, areaFields, areaOf, checkArea, refuseArea } from "./capture-area.ts";
import { readLoaded } from "./loaded-image.ts";
import { rect } from "../schema.ts";
import { defineTool } from "../tool.ts";

// A summary that comes with every screenshot must not be larger than the picture.
const summaryLines = 120;
const summaryDeadlineMs = 4_000;

type Texts = z.input<z.ZodObject<typeof textFields>>;

/** The same if it can be read in this time; otherwise how to get it. What was begun makes the next reading quick. */
export async function readTextsWithin(
  ms: number,
  surface: Surface,
  picture: Picture & { readonly id: string },
  signal: AbortSignal,
): Promise<Texts> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), ms);
  try {
    return await readTexts(surface, picture, AbortSignal.any([signal, late.signal]));
  } catch (error) {
    if (signal.aborted || !late.signal.aborted) throw error;
    return { texts: [], texts_note: `Its text was not read, which takes longer: ocr with screenshot_id ${picture.id}` };
  } finally {
    clearTimeout(timer);
  }
}

/** The text of a picture, with a point that can be clicked for each line. */
export async function readTexts(surface: Surface, picture: Picture, signal: AbortSignal): Promise<Texts> {
  try {
    return toTexts(await readScreen(surface, picture, { deadlineMs: summaryDeadlineMs, signal }));
  } catch (error) {
    // A screenshot without its text is still a screenshot.
    if (signal.aborted || !(error instanceof ToolError)) throw error;
    const hint = error.details.hint ? ` ${error.details.hint}` : "";
    return { texts: [], texts_note: `OCR is not available: ${error.message}${hint}` };
  }
}

function toTexts({ lines, isComplete }: ScreenText): Texts {
  const texts = lines.slice(0, summaryLines).map((line) => ({ text: line.text, ...placed(line) }));
  const left = lines.length - texts.length;
  const note = [
    ...(left > 0 ? [`… ${left} more; call ocr with a region to see them`] : []),
    ...(isComplete ? [] : ["… not all of it could be read in time; call ocr with a region"]),
  ].join("\n");
  return { texts, ...(note === "" ? {} : { texts_note: note }) };
}

const place = { x: z.number(), y: z.number(), bounds: rect, confidence: z.number() };

/** The text of a picture that comes along with it. */
export const textFields = {
  texts: z
    .array(z.object({ text: z.string(), ...place }))
    .optional()
    .describe("Lines of text in the picture; x and y can be clicked"),
  texts_note: z.string().optional(),
};

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
