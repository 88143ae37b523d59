import { z } from "zod";
import { formatOf } from "../../base/image-file.ts";
import { screenUnits, type CaptureArea } from "../../platform/backend.ts";
import type { Look, Surface } from "../../surface/surface.ts";
import { isBlack } from "../../vision/black.ts";
import { imageFormats, type EncodeOptions } from "../../vision/encode.ts";
import { areaElementFields, areaFields, areaOf, checkArea, refuseArea } from "../vision/capture-area.ts";
import { changedPart, type Changed } from "../vision/changed-part.ts";
import { readTexts, readTextsWithin, textFields } from "../vision/ocr.ts";
import { saveImage } from "../vision/save-image.ts";
import { rect, windowFields } from "../schema.ts";
import { defineTool, type ToolContext, type ToolImage } from "../tool.ts";

export const pictureFields = {
  format: z.enum(imageFormats).default("jpeg"),
  quality: z.int().min(1).max(100).default(80).describe("For jpeg and webp"),
  max_side: z
    .int()
    .min(64)
    .max(8_000)
    .optional()
    .describe("Longest side in pixels; default: at most 1568, and what vision models show for 1568 tokens"),
  max_bytes: z.int().min(2_000).max(3_000_000).optional().describe("Size limit (default 900000)"),
  include_cursor: z.boolean().default(false).describe("Draw the mouse cursor into the picture"),
};

export const shotResult = z.object({
  screenshot_id: z.string(),
  screenshot_origin_x: z.number(),
  screenshot_origin_y: z.number(),
  screenshot_scale: z.number().describe("Image pixels per screen unit: screen = origin + pixel / scale"),
  screenshot_window_id: z.number().optional(),
  window_title: z.string().optional(),
  screenshot_pixel_width: z.number(),
  screenshot_pixel_height: z.number(),
  bounds: rect.describe("The part of the screen the picture shows"),
  coordinate_space: z.enum(screenUnits).describe("The unit of every place that is told or given"),
  timestamp: z.number(),
  format: z.enum(imageFormats),
  bytes: z.number(),
  masked: z.number().optional().describe("Blocked windows and password fields painted over"),
  covered: z
    .boolean()
    .optional()
    .describe("A password field kept moving, so everything around it is painted over: look again"),
  displays: z.array(z.object({ id: z.number(), bounds: rect, scale: z.number() })).optional(),
});

export const takeScreenshot = defineTool({
  name: "take_screenshot",
  title: "Take a screenshot",
  summary:
    "See a window (default: the active one), the whole screen, one display or a region. Pass pixels of the picture back as " +
    "screenshot_x/screenshot_y with screenshot_id.",
  set: "desktop",
  access: "observe",
  needs: ["screen"],
  captures: true,
  files: { file_path: "write" },
  input: z.strictObject({
    ...areaFields,
    ...areaElementFields,
    since: z
      .string()
      .max(40)
      .optional()
      .describe("screenshot_id: only the part of it that changed; no picture if none"),
    include_ocr: z.boolean().optional().describe("Also list its text with coordinates to click (default true)"),
    file_path: z.string().max(4_000).optional().describe("Write the picture to this file instead of returning it"),
    ...pictureFields,
    format: pictureFields.format.unwrap().optional().describe("Default jpeg, or what file_path ends in"),
  }),
  output: shotResult.extend({
    since: z.string().optional(),
    unchanged: z.boolean().optional().describe("Nothing has changed since, so no picture is sent"),
    file_path: z.string().optional(),
    warning: z.string().optional(),
    ...textFields,
  }),
  positional: ["mode"],
  check: (input) => (input.since === undefined ? checkArea(input) : refuseArea(input, "since")),
  async run(input, context) {
    const surface = await context.surface();
    const startedAt = performance.now();
    const { signal } = context;
    const { since, include_cursor: includeCursor } = input;
    const options = { includeCursor, signal };
    const {
      picture,
      isUnchanged = false,
      warning,
    }: Changed = since === undefined
      ? { picture: await surface.picture(await areaOf(surface, input, signal), options) }
      : await changedPart(surface, since, options);
    const format = input.format ?? formatOf(input.file_path ?? "") ?? "jpeg";
    const look = await surface.show(picture, encodeOptions({ ...input, format }, context));
    const displays = input.mode === "screen" ? await surface.need("screen").displays({ signal }) : undefined;
    const { includeOcr } = context.session.limits;
    const read = isUnchanged ? false : (input.include_ocr ?? includeOcr);
    const file = input.file_path === undefined ? undefined : await saveTo(input.file_path, look, context);
    const data = {
      ...(await shotData(surface, look, signal)),
      ...(displays ? { displays: displays.map(({ id, bounds, scale }) => ({ id, bounds, scale })) } : {}),
      ...(file === undefined ? {} : { file_path: file }),
      ...(since === undefined ? {} : { since }),
      ...(isUnchanged ? { unchanged: true } : {}),
      ...(look.masked === 0 && isBlack(picture.pixels)
        ? { warning: allBlack }
        : warning === undefined
          ? {}
          : { warning }),
    };
    const texts =
      read === "in passing"
        ? await readTextsWithin(performance.now() - startedAt, surface, { ...picture, id: look.frame.id }, signal)
        : read
          ? await readTexts(surface, picture, signal)
          : {};
    return {
      data: { ...data, ...texts },
      images: file === undefined && !isUnchanged ? [pictureOf(look)] : [],
      record: data,
    };
  },
});

const allBlack =
  "The picture is all black: the screen may be off, or the window prevents capture. take_ax_snapshot may still work.";

const saveTo = (path: string, { image }: Look, { session }: ToolContext): Promise<string> =>
  saveImage(path, image, session);

export const takeWindowScreenshot = defineTool({
  name: "take_window_screenshot",
  title: "Take a screenshot of a window",
  summary:
    "See one window by id, also when other windows cover it. click {window_id, x, y} takes pixels of this picture.",
  set: "desktop",
  access: "observe",
  needs: ["screen", "windows"],
  captures: true,
  input: z.strictObject({ window_id: windowFields.window_id.unwrap(), ...pictureFields }),
  output: shotResult.extend({
    window_id: z.number(),
    image_width: z.number(),
    image_height: z.number(),
    scale: z.number(),
  }),
  positional: ["window_id"],
  async run(input, context) {
    const surface = await context.surface();
    const look = await takePicture(surface, { kind: "window", windowId: input.window_id }, input, context);
    return {
      data: {
        ...(await shotData(surface, look, context.signal)),
        window_id: input.window_id,
        image_width: look.image.width,
        image_height: look.image.height,
        scale: look.frame.scale,
      },
      images: [pictureOf(look)],
    };
  },
});

export const listDisplays = defineTool({
  name: "list_displays",
  title: "List displays",
  summary: "The monitors, where each lies on the screen, and which is primary.",
  set: "desktop",
  access: "observe",
  needs: ["screen"],
  isTrusted: true,
  input: z.strictObject({}),
  output: z.object({
    displays: z.array(
      z.object({ id: z.number(), name: z.string(), bounds: rect, is_primary: z.boolean(), scale: z.number() }),
    ),
    screen: rect.describe("All displays together"),
  }),
  positional: [],
  async run(_input, { surface, signal }) {
    const screen = (await surface()).need("screen");
    const displays = await screen.displays({ signal });
    return {
      data: {
        displays: displays.map(({ id, name, bounds, isPrimary, scale }) => ({
          id,
          name,
          bounds,
          is_primary: isPrimary,
          scale,
        })),
        screen: await screen.bounds({ signal }),
      },
    };
  },
});

type PictureInput = z.infer<z.ZodObject<typeof pictureFields>>;

/** The limits of the picture: the caller's, or the session's. */
export function encodeOptions(input: Omit<PictureInput, "include_cursor">, { session }: ToolContext): EncodeOptions {
  return {
    format: input.format,
    quality: input.quality,
    maxSide: input.max_side ?? session.limits.maxSide,
    isEconomic: input.max_side === undefined && session.limits.isEconomic,
    maxBytes: input.max_bytes ?? session.limits.maxImageBytes,
  };
}

function takePicture(surface: Surface, area: CaptureArea, input: PictureInput, context: ToolContext): Promise<Look> {
  const { signal } = context;
  return surface.look(area, { encode: encodeOptions(input, context), includeCursor: input.include_cursor, signal });
}

export async function shotData(surface: Surface, { frame, image, masked, isCovered }: Look, signal: AbortSignal) {
  const window =
    frame.source.kind === "window" ? await surface.need("windows").get(frame.source.windowId, { signal }) : undefined;
  return {
    screenshot_id: frame.id,
    screenshot_origin_x: frame.bounds.x,
    screenshot_origin_y: frame.bounds.y,
    screenshot_scale: frame.scale,
    ...(frame.source.kind === "window" ? { screenshot_window_id: frame.source.windowId } : {}),
    ...(window ? { window_title: window.title } : {}),
    screenshot_pixel_width: image.width,
    screenshot_pixel_height: image.height,
    bounds: frame.bounds,
    coordinate_space: surface.need("screen").units,
    timestamp: frame.at,
    format: image.format,
    bytes: image.bytes.byteLength,
    ...(masked > 0 ? { masked } : {}),
    ...(isCovered ? { covered: true } : {}),
  };
}

export const pictureOf = ({ frame, image }: Look): ToolImage => ({
  bytes: image.bytes,
  mimeType: image.mimeType,
  frameId: frame.id,
});
