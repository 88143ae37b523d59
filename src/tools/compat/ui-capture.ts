import { z } from "zod";
import { ToolError } from "../../base/errors.ts";
import { answer, attempt } from "./ui-answer.ts";
import { askAbout } from "../vision/describe-screen.ts";
import { saveImage } from "../vision/save-image.ts";
import { windowFields } from "../schema.ts";
import { takeScreenshot } from "../desktop/screen.ts";
import { defineTool, type ToolContext, type ToolResult } from "../tool.ts";

const { width, height } = takeScreenshot.input.shape;
const corner = z.int().min(-100_000).max(100_000).optional();

const captureResult = answer.extend({
  Base64Data: z.string().nullable(),
  FilePath: z.string().nullable(),
  MimeType: z.string(),
  Width: z.number(),
  Height: z.number(),
  FileSizeBytes: z.number(),
  /** Instead of the picture, with `analyze`. */
  Analysis: z.string().optional(),
});

const captureInput = z.strictObject({
  mode: z.enum(["fullscreen", "window", "region"]).default("fullscreen"),
  window_title: windowFields.window_title.describe("For mode window; part of the title is enough"),
  x: corner.describe("For mode region"),
  y: corner,
  width,
  height,
  format: z.enum(["png", "jpeg"]).default("png"),
  quality: z.int().min(1).max(100).default(85).describe("For jpeg"),
  output: z.enum(["base64", "file"]).default("base64"),
  file_path: z.string().max(4_000).optional().describe("For output file; below the working or temporary directory"),
  analyze: z.boolean().default(false).describe("Have a vision model describe the picture instead"),
  analyze_prompt: z.string().max(10_000).default("Describe what you see in this screenshot"),
});

export const uiCapture = defineTool({
  name: "ui_capture",
  title: "Capture (ui)",
  summary:
    "Capture the whole screen, a window by title, or a region, at full size. Use it to see the state of an interface, and before " +
    "ui_click: pixels of a full-screen picture are the coordinates ui_click takes.",
  set: "compat-ui",
  access: "observe",
  needs: ["screen"],
  captures: true,
  files: { file_path: "write" },
  input: captureInput,
  output: captureResult,
  positional: ["mode"],
  secret: ["Base64Data"],
  run: (input, context) => attempt(noPicture, context, () => capture(input, context)),
});

const noPicture = { Base64Data: null, FilePath: null, MimeType: "image/png", Width: 0, Height: 0, FileSizeBytes: 0 };
type Picture = Omit<z.input<typeof captureResult>, keyof z.input<typeof answer>>;

// The maximum of take_screenshot; a smaller picture would no longer have the screen's coordinates.
const fullSize = { max_side: 8_000, max_bytes: 3_000_000 };
/** A file has no limit: nobody gets it in a message. */
const anySize = { max_side: Number.MAX_SAFE_INTEGER, max_bytes: Number.MAX_SAFE_INTEGER };

async function capture(input: z.infer<typeof captureInput>, context: ToolContext): Promise<ToolResult<Picture>> {
  const { mode, output, file_path, analyze, analyze_prompt: question, ...picked } = input;
  const area = mode === "fullscreen" ? "screen" : mode;
  if (analyze) return analysis({ ...picked, mode: area }, question, context);
  const shot = { ...picked, ...fullSize, include_ocr: false, mode: area };
  const parsed = takeScreenshot.input.parse(shot);
  const { data, images = [] } = await takeScreenshot.run(
    output === "file" ? { ...parsed, ...anySize } : parsed,
    context,
  );
  const [image] = images;
  if (!image || data.screenshot_pixel_width < data.bounds.width) {
    throw new ToolError("not_supported", `The picture is larger than ${fullSize.max_bytes} bytes at full size.`, {
      hint: 'Use format "jpeg", or capture a window or a region.',
    });
  }
  const picture = {
    ...noPicture,
    MimeType: image.mimeType,
    Width: data.screenshot_pixel_width,
    Height: data.screenshot_pixel_height,
    FileSizeBytes: image.bytes.byteLength,
  };
  if (output === "file" && file_path !== undefined) {
    return {
      data: {
        ...picture,
        FilePath: await saveImage(file_path, image, context.session),
      },
    };
  }
  return { data: { ...picture, Base64Data: Buffer.from(image.bytes).toString("base64") }, images };
}

/** The model's answer, and the size of the picture it was shown. */
async function analysis(shot: unknown, question: string, context: ToolContext): Promise<ToolResult<Picture>> {
  const { text, image } = await askAbout(takeScreenshot.input.parse(shot), question, context);
  return {
    data: {
      ...noPicture,
      MimeType: image.mimeType,
      Width: image.width,
      Height: image.height,
      FileSizeBytes: image.bytes.byteLength,
      Analysis: text,
    },
  };
}
