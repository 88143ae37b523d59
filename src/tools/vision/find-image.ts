import { z } from "zod";
import { ToolError } from "../../base/errors.ts";
import type { Frame } from "../../base/frame.ts";
import { imagePoint, screenPoint, type ScreenPoint, type Size } from "../../base/geometry.ts";
import type { CaptureArea } from "../../platform/backend.ts";
import { chooseWindow, isEmptyQuery } from "../../surface/choose-window.ts";
import type { Surface } from "../../surface/surface.ts";
import { remap, resizeRect, screenFromOrigin, toImage, toScreen } from "../../surface/view.ts";
import { decodeImage } from "../../vision/decode.ts";
import type { Match } from "../../vision/find-image/candidates.ts";
import { toSearchable, type Searchable } from "../../vision/find-image/haystack.ts";
import { toMask, type Needle, type Rgba } from "../../vision/find-image/needle.ts";
import { rotations } from "../../vision/find-image/pattern.ts";
import { fromBase64 } from "./load-image.ts";
import { partArea } from "./capture-area.ts";
import { encodedImage, partFields, readPart, readWindowQuery, windowFields } from "../schema.ts";
import type { Session } from "../session.ts";
import { defineTool, type ToolContext } from "../tool.ts";

const scale = z.number().min(0.1).max(10);
const place = z.object({ x: z.number(), y: z.number() });

const findInput = z.strictObject({
  template_id: z.string().max(60).optional().describe("What to look for, from load_image"),
  template_image_base64: encodedImage.describe("Instead of template_id"),
  screenshot_id: z.string().max(40).optional().describe("Where to look; default: a new picture"),
  screenshot_image_base64: encodedImage.describe("Instead of screenshot_id"),
  screenshot_origin_x: z.number().optional().describe("Of screenshot_image_base64, to get screen_x and screen_y"),
  screenshot_origin_y: z.number().optional(),
  screenshot_scale: z.number().positive().max(16).optional(),
  ...windowFields,
  region: partFields.region.describe("Take the new picture of this part of the screen, or of this mark_regions number"),
  region_id: partFields.region_id,
  mask_id: z.string().max(60).optional().describe("As large as the template: white counts, black is ignored"),
  mask_image_base64: encodedImage,
  mode: z
    .enum(["fast", "accurate"])
    .default("fast")
    .describe("fast stops at the first size that is found; accurate tries all sizes, in full detail"),
  threshold: z.number().min(0).max(1).optional().describe("Minimum score (default 0.85, with a mask 0.9)"),
  max_results: z.int().min(1).max(100).default(10),
  scales: z
    .strictObject({
      min: scale.default(0.5),
      max: scale.default(2),
      step: z.number().min(0.01).max(5).default(0.125),
    })
    .optional()
    .describe(
      "Sizes to try, 1 being the template's own in screen pixels; by default 1, then usual display scales, then 0.5–2",
    ),
  rotations: z
    .array(z.literal(rotations, "must be 0, 90, 180 or 270"))
    .min(1)
    .max(4)
    .default([0])
    .describe("Degrees clockwise: 0, 90, 180, 270"),
});

export const findImage = defineTool({
  name: "find_image",
  title: "Find an image on the screen",
  summary:
    "Find a picture (icon, button, logo) on the screen or in a screenshot, also larger, smaller or turned. " +
    "click {x: screen_x, y: screen_y} hits the middle of a match. For text use find_text.",
  set: "vision",
  access: "observe",
  needs: ["screen"],
  captures: true,
  input: findInput,
  output: z.object({
    matches: z.array(
      z.object({
        score: z.number(),
        bbox: z.object({ x: z.number(), y: z.number(), w: z.number(), h: z.number() }),
        center: place,
        scale: z.number(),
        rotation: z.number(),
        screen_x: z.number().optional(),
        screen_y: z.number().optional(),
      }),
    ),
    screenshot_id: z.string().optional().describe("bbox and center are pixels of this picture"),
    threshold: z.number(),
    best_score: z.number().optional().describe("Of the nearest miss, when nothing matches"),
    warning: z.string().optional(),
  }),
  positional: ["template_id", "screenshot_id"],
  secret: ["template_image_base64", "screenshot_image_base64", "mask_image_base64"],
  check: checkPictures,
  async run(input, context) {
    const needle = await readNeedle(input, context.session);
    const view = await readView(input, context);
    const found = await context.session.finder.find(view.screen, needle, {
      mode: input.mode,
      threshold: input.threshold,
      maxResults: input.max_results,
      scales: input.scales,
      rotations: [...new Set(input.rotations)].toSorted((a, b) => a - b),
      likelyScale: view.screen.width / view.picture.width,
      signal: context.signal,
    });
    const nearest = found.matches.length === 0 ? found.best?.score : undefined;
    return {
      data: {
        matches: found.matches.map((match) => toResult(match, view)),
        ...(view.frame ? { screenshot_id: view.frame.id } : {}),
        threshold: found.threshold,
        ...(nearest === undefined ? {} : { best_score: round(nearest) }),
        ...(view.warning === undefined ? {} : { warning: view.warning }),
      },
    };
  },
});

type FindInput = z.infer<typeof findInput>;

/** Requires something to look for, and at most one place to look in. */
function checkPictures(input: FindInput): void {
  for (const what of ["template", "mask"] as const) {
    if (input[`${what}_id`] !== undefined && input[`${what}_image_base64`] !== undefined)
      throw new ToolError("invalid_argument", `Give either ${what}_id or ${what}_image_base64.`);
  }
  if (input.template_id === undefined && input.template_image_base64 === undefined) {
    throw new ToolError("invalid_argument", "There is no template to look for.", {
      hint: "Give template_id (from load_image) or template_image_base64.",
    });
  }
  const isWindow = !isEmptyQuery(readWindowQuery(input));
  const part = readPart(input);
  const isNew = isWindow || part !== undefined;
  const places = [input.screenshot_id !== undefined, input.screenshot_image_base64 !== undefined, isNew];
  if (places.filter(Boolean).length > 1) {
    throw new ToolError("invalid_argument", "More than one place to look in is given.", {
      hint: "Give screenshot_id, or screenshot_image_base64, or a window or region to take a new picture of.",
    });
  }
  if (isWindow && part !== undefined) throw new ToolError("invalid_argument", "A window and a region are both given.");
}

/** The picture to search, and its mapping to the screen. */
interface Sight {
  readonly screen: Searchable;
  /** The picture size the caller knows, which may be smaller than what is searched. */
  readonly picture: Size;
  readonly frame?: Frame;
  readonly toScreen: ((x: number, y: number) => ScreenPoint) | undefined;
  readonly toPicture: (at: ScreenPoint) => { readonly x: number; readonly y: number };
  readonly warning?: string;
}

function toResult(match: Match, sight: Sight) {
  const box = resizeRect(match, sight.screen, sight.picture);
  const [x, y] = [match.x + Math.floor(match.width / 2), match.y + Math.floor(match.height / 2)];
  const at = sight.toScreen?.(x, y);
  const middle =
    at && sight.frame ? sight.toPicture(at) : resizeRect({ x, y, width: 1, height: 1 }, sight.screen, sight.picture);
  return {
    score: round(match.score),
    bbox: { x: box.x, y: box.y, w: box.width, h: box.height },
    center: { x: middle.x, y: middle.y },
    scale: round(match.scale),
    rotation: match.rotation,
    ...(at ? { screen_x: at.x, screen_y: at.y } : {}),
  };
}

const round = (value: number): number => Math.round(value * 1000) / 1000;

// --- what to look for

async function readNeedle(input: FindInput, session: Session): Promise<Needle> {
  const template = (await readPicture(input.template_id, input.template_image_base64, "template", session)) as Loaded;
  if ("mask" in template) throw isMaskError(input.template_id);
  const mask = await readPicture(input.mask_id, input.mask_image_base64, "mask", session);
  if (!mask) return { picture: template };
  if (mask.width !== template.width || mask.height !== template.height) {
    throw new ToolError(
      "invalid_argument",
      `The mask is ${mask.width}×${mask.height}, the template ${template.width}×${template.height}.`,
      { hint: "Both must have the same size." },
    );
  }
  return { picture: template, mask: "mask" in mask ? mask.mask : toMask(mask) };
}

const isMaskError = (id: string | undefined): ToolError =>
  new ToolError("invalid_argument", `Image "${id}" was loaded as a mask.`, {
    hint: "Load it again without as_mask, or pass it as mask_id.",
  });

/** A loaded image as a template. */
export function templateOf(session: Session, id: string): Needle {
  const { width, height, data, isMask } = session.images.get(id);
  if (isMask) throw isMaskError(id);
  return { picture: { width, height, data } };
}

type Loaded = Rgba | (Size & { readonly mask: Uint8Array });

async function readPicture(
  id: string | undefined,
  base64: string | undefined,
  what: string,
  session: Session,
): Promise<Loaded | undefined> {
  if (base64 !== undefined) return decodeImage(fromBase64(base64, `${what}_image_base64`), { what: `The ${what}` });
  if (id === undefined) return undefined;
  const { width, height, data, isMask } = session.images.get(id);
  return isMask ? { width, height, mask: data } : { width, height, data };
}

// --- where to look

async function readView(input: FindInput, context: ToolContext): Promise<Sight> {
  if (input.screenshot_image_base64 !== undefined) return givenPicture(input, input.screenshot_image_base64, context);
  const surface = await context.surface();
  if (input.screenshot_id === undefined) {
    const { signal } = context;
    const picture = await surface.picture(await areaOf(surface, input, signal), { includeCursor: false, signal });
    return frameView(surface, surface.remember(picture), toSearchable(picture.pixels), signal);
  }
  const frame = surface.frames.get(input.screenshot_id);
  const pixels = await surface.frames.pixels(frame.id);
  if (pixels) return frameView(surface, frame, toSearchable(pixels), context.signal);
  throw new ToolError("not_found", `The pixels of screenshot "${frame.id}" are no longer kept.`, {
    hint: "Take a new screenshot and use its screenshot_id.",
  });
}

async function areaOf(surface: Surface, input: FindInput, signal: AbortSignal): Promise<CaptureArea> {
  const query = readWindowQuery(input);
  const part = readPart(input);
  if (isEmptyQuery(query)) return part === undefined ? { kind: "screen" } : partArea(surface, part, signal);
  return { kind: "window", windowId: chooseWindow(await surface.need("windows").list({ signal }), query).id };
}

async function frameView(surface: Surface, frame: Frame, screen: Searchable, signal: AbortSignal): Promise<Sight> {
  const { source } = frame;
  const now = source.kind === "window" ? (await surface.needWindow(source.windowId, signal)).bounds : frame.bounds;
  const { view, moved } = remap(frame, now);
  return {
    screen,
    picture: frame.image,
    frame,
    toScreen: (x, y) => toScreen({ bounds: view.bounds, image: screen }, imagePoint(x, y)),
    toPicture: (at) => toImage(view, at),
    ...(moved
      ? {
          warning: `The window moved by ${moved.x},${moved.y} since the screenshot; screen_x and screen_y are where it is now.`,
        }
      : {}),
  };
}

/** A picture that handsight did not take: it is positioned as the caller says, or fills the screen. */
async function givenPicture(input: FindInput, base64: string, context: ToolContext): Promise<Sight> {
  const decoded = await decodeImage(fromBase64(base64, "screenshot_image_base64"), { what: "The screenshot" });
  const { screenshot_origin_x: x, screenshot_origin_y: y, screenshot_scale: scale } = input;
  const screen: Searchable = { ...decoded, stride: decoded.width * 4, order: "rgbx" };
  const base = { screen, picture: decoded, toPicture: (at: ScreenPoint) => at };
  if (x !== undefined && y !== undefined && scale !== undefined) {
    return { ...base, toScreen: (px, py) => screenFromOrigin(screenPoint(x, y), scale, imagePoint(px, py)) };
  }
  if ([x, y, scale].some((given) => given !== undefined)) {
    throw new ToolError(
      "invalid_argument",
      "screenshot_origin_x, screenshot_origin_y and screenshot_scale go together.",
    );
  }
  const bounds = await (await context.surface()).screenBounds(context.signal);
  if (bounds.width === decoded.width && bounds.height === decoded.height) {
    return { ...base, toScreen: (px, py) => toScreen({ bounds, image: decoded }, imagePoint(px, py)) };
  }
  const warning =
    "It is not known where this picture is on the screen, so there is no screen_x or screen_y: pass screenshot_origin_x, screenshot_origin_y and screenshot_scale, or screenshot_id instead.";
  return { ...base, toScreen: undefined, warning };
}
