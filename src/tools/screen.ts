import { z } from "zod";
import { ToolError } from "../base/errors.ts";
import { chooseWindow, isEmptyQuery } from "../surface/choose-window.ts";
import type { Look, Surface } from "../surface/surface.ts";
import type { CaptureArea } from "../platform/backend.ts";
import { imageFormats } from "../vision/encode.ts";
import { readWindowQuery, rect, windowFields } from "./schema.ts";
import { defineTool, type ToolContext, type ToolImage } from "./tool.ts";

const pictureFields = {
  format: z.enum(imageFormats).default("jpeg"),
  quality: z.int().min(1).max(100).default(80).describe("For jpeg and webp"),
  max_side: z
    .int()
    .min(64)
    .max(8_000)
    .optional()
    .describe("Longest side in pixels; larger pictures are shrunk (default 1568)"),
  max_bytes: z.int().min(2_000).max(3_000_000).optional().describe("Size limit (default 900000)"),
  include_cursor: z.boolean().default(false).describe("Draw the mouse cursor into the picture"),
};

const shotResult = z.object({
  screenshot_id: z.string(),
  screenshot_origin_x: z.number(),
  screenshot_origin_y: z.number(),
  screenshot_scale: z.number().describe("Image pixels per screen unit: screen = origin + pixel / scale"),
  screenshot_window_id: z.number().optional(),
  window_title: z.string().optional(),
  screenshot_pixel_width: z.number(),
  screenshot_pixel_height: z.number(),
  bounds: rect.describe("The rectangle of the screen the picture shows"),
  format: z.enum(imageFormats),
  bytes: z.number(),
  displays: z.array(z.object({ id: z.number(), bounds: rect, scale: z.number() })).optional(),
});

export const takeScreenshot = defineTool({
  name: "take_screenshot",
  title: "Take a screenshot",
  summary:
    "See a window (default: the active one), the whole screen, one display or a region. Pass pixels of the picture back as " +
    "screenshot_x/screenshot_y with screenshot_id. Look before and after every action.",
  set: "desktop",
  access: "observe",
  needs: ["screen"],
  input: z.strictObject({
    mode: z.enum(["screen", "window", "region", "display"]).default("window"),
    ...windowFields,
    display_id: z.int().optional().describe("For mode display, from list_displays"),
    x: z.int().optional().describe("For mode region, in screen units"),
    y: z.int().optional(),
    width: z.int().positive().optional(),
    height: z.int().positive().optional(),
    ...pictureFields,
  }),
  output: shotResult,
  positional: ["mode"],
  async run(input, context) {
    const surface = await context.surface();
    const area = await areaOf(surface, input, context.signal);
    const look = await takePicture(surface, area, input, context);
    const displays =
      input.mode === "screen" ? await surface.need("screen").displays({ signal: context.signal }) : undefined;
    return {
      data: {
        ...(await shotData(surface, look, context.signal)),
        ...(displays ? { displays: displays.map(({ id, bounds, scale }) => ({ id, bounds, scale })) } : {}),
      },
      images: [pictureOf(look)],
    };
  },
});

export const takeWindowScreenshot = defineTool({
  name: "take_window_screenshot",
  title: "Take a screenshot of a window",
  summary:
    "See one window by id, also when other windows cover it. click {window_id, x, y} takes pixels of this picture.",
  set: "desktop",
  access: "observe",
  needs: ["screen", "windows"],
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
type ShotInput = z.infer<typeof takeScreenshot.input>;

function takePicture(surface: Surface, area: CaptureArea, input: PictureInput, context: ToolContext): Promise<Look> {
  const { limits } = context.session;
  return surface.look(area, {
    encode: {
      format: input.format,
      quality: input.quality,
      maxSide: input.max_side ?? limits.maxSide,
      maxBytes: input.max_bytes ?? limits.maxImageBytes,
    },
    includeCursor: input.include_cursor,
    signal: context.signal,
  });
}

async function areaOf(surface: Surface, input: ShotInput, signal: AbortSignal): Promise<CaptureArea> {
  refuseStray(input);
  switch (input.mode) {
    case "screen":
      return { kind: "screen" };
    case "display":
      if (input.display_id === undefined) throw new ToolError("invalid_argument", "Mode display needs display_id.");
      return { kind: "display", displayId: input.display_id };
    case "region": {
      const { x, y, width, height } = input;
      if (x === undefined || y === undefined || width === undefined || height === undefined) {
        throw new ToolError("invalid_argument", "Mode region needs x, y, width and height.");
      }
      return { kind: "region", rect: { x, y, width, height } };
    }
    case "window": {
      const windows = surface.need("windows");
      const query = readWindowQuery(input);
      if (!isEmptyQuery(query)) {
        return { kind: "window", windowId: chooseWindow(await windows.list({ signal }), query).id };
      }
      const active = await windows.active({ signal });
      if (active !== undefined) return { kind: "window", windowId: active };
      throw new ToolError("not_found", "No window is active.", { hint: 'Name one, or use mode "screen".' });
    }
  }
}

/** An argument that belongs to another mode would be ignored in silence; the caller meant something by it. */
function refuseStray(input: ShotInput): void {
  const own: Record<ShotInput["mode"], readonly (keyof ShotInput)[]> = {
    screen: [],
    display: ["display_id"],
    region: ["x", "y", "width", "height"],
    window: ["window_id", "window_title", "app_name", "pid"],
  };
  for (const [mode, fields] of Object.entries(own)) {
    const stray = fields.find((field) => mode !== input.mode && input[field] !== undefined);
    if (stray) {
      throw new ToolError("invalid_argument", `"${stray}" belongs to mode "${mode}", but the mode is "${input.mode}".`);
    }
  }
}

async function shotData(surface: Surface, { frame, image }: Look, signal: AbortSignal) {
  const window =
    frame.source.kind === "window" ? await surface.backend.windows?.get(frame.source.windowId, { signal }) : undefined;
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
    format: image.format,
    bytes: image.bytes.byteLength,
  };
}

const pictureOf = ({ frame, image }: Look): ToolImage => ({
  bytes: image.bytes,
  mimeType: image.mimeType,
  frameId: frame.id,
});
