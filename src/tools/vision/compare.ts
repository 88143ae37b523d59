import { z } from "zod";
import { ToolError } from "../../base/errors.ts";
import type { Picture } from "../../base/frame.ts";
import type { ImageRect } from "../../base/geometry.ts";
import { frameArea } from "../../surface/frames.ts";
import type { Surface } from "../../surface/surface.ts";
import { toImageRect, toScreenRect } from "../../surface/view.ts";
import { findChanges } from "../../vision/changes.ts";
import { drawMarks, scaleToBeRead } from "../../vision/marks.ts";
import { rect } from "../schema.ts";
import { onWhite } from "./loaded-image.ts";
import { encodeOptions, pictureFields, pictureOf } from "../desktop/screen.ts";
import { defineTool } from "../tool.ts";
import { areaAgain } from "./changed-part.ts";

const { include_cursor: _, ...encodeFields } = pictureFields;

export const compareScreenshots = defineTool({
  name: "compare_screenshots",
  title: "Compare screenshots",
  summary:
    "What changed between two screenshots (before, after), between one and now (before), or since the last one (neither): the " +
    "share of pixels and a box around each change.",
  set: "vision",
  access: "observe",
  needs: ["screen"],
  captures: true,
  input: z.strictObject({
    before: z.string().max(40).optional().describe("screenshot_id, or image_id of load_image; default: the latest"),
    after: z.string().max(40).optional().describe("screenshot_id; default: a new picture of the same part"),
    ignore: z.array(rect).max(500).default([]).describe("Parts of the screen that may change, e.g. a clock"),
    tolerance: z.int().min(0).max(255).default(0).describe("How far a colour channel may differ"),
    ignore_antialiasing: z.boolean().default(false).describe("Ignore differences in how edges of letters are smoothed"),
    max_boxes: z.int().min(1).max(500).default(50),
    highlight: z.boolean().default(false).describe("Also return the later picture with the changes numbered"),
    ...encodeFields,
  }),
  output: z.object({
    changed: z.boolean(),
    ratio: z.number().describe("Share of the pixels that changed, 0 to 1"),
    boxes: z.array(rect).describe("In screen units, the largest first"),
    cut: z.number(),
    before: z.string(),
    after: z.string(),
  }),
  positional: ["before", "after"],
  async run(input, context) {
    const surface = await context.surface();
    const beforeId = input.before ?? latest(surface);
    const { images } = context.session;
    const loaded = images.has(beforeId) ? onWhite(images.get(beforeId)) : undefined;
    const shown = loaded ? undefined : await frameArea(surface.frames, beforeId);
    const later =
      input.after === undefined
        ? await surface.picture(areaAgain(needShown(shown)), { includeCursor: false, signal: context.signal })
        : await frameArea(surface.frames, input.after);
    const before = loaded ? { ...later, pixels: loaded } : needShown(shown);
    needSameView(before, later);
    const view = { bounds: later.bounds, image: later.pixels };
    const { ratio, boxes } = findChanges(before.pixels, later.pixels, {
      tolerance: input.tolerance,
      ignoreAntialiasing: input.ignore_antialiasing,
      ignore: input.ignore.map((part) => toImageRect(view, part)),
    });
    const listed = boxes.slice(0, input.max_boxes);
    const encode = encodeOptions(input, context);
    const look = input.highlight
      ? await surface.show(later, encode, highlighted(later, listed, encode.maxSide))
      : undefined;
    const afterId = input.after ?? look?.frame.id ?? surface.remember(later).id;
    return {
      data: {
        changed: boxes.length > 0,
        ratio,
        boxes: listed.map((box) => toScreenRect(view, box)),
        cut: boxes.length - listed.length,
        before: beforeId,
        after: afterId,
      },
      ...(look ? { images: [pictureOf(look)] } : {}),
    };
  },
});

/** A loaded picture does not say which part of the screen it shows. */
function needShown(picture: Picture | undefined): Picture {
  if (picture) return picture;
  throw new ToolError("invalid_argument", "A loaded picture is compared with a screenshot: give after.");
}

function latest(surface: Surface): string {
  const [frame] = surface.frames.recent(1);
  if (frame) return frame.id;
  throw new ToolError("not_found", "There is no screenshot to compare with.", { hint: "Call take_screenshot first." });
}

function needSameView({ pixels: a }: Picture, { pixels: b }: Picture): void {
  if (a.width === b.width && a.height === b.height) return;
  throw new ToolError(
    "invalid_argument",
    `The screenshots have different sizes: ${a.width}×${a.height} and ${b.width}×${b.height}.`,
    { hint: "Compare two of the same window, region or display; a resized window cannot be compared." },
  );
}

function highlighted({ pixels }: Picture, boxes: readonly ImageRect[], maxSide: number | undefined) {
  const copy = { ...pixels, data: Buffer.from(pixels.data) };
  drawMarks(
    copy,
    boxes.map((box, index) => ({ number: index + 1, rect: box })),
    { scale: scaleToBeRead(pixels, maxSide) },
  );
  return copy;
}
