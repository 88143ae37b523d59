import { ToolError } from "../base/errors.ts";
import type { Rect, Size } from "../base/geometry.ts";
import { screenMarks } from "../base/screen-content.ts";
import type { Journal } from "../journal/journal.ts";
import type { Called, Caller } from "../tools/caller.ts";
import type { Observation, PictureLimits, VisionModel } from "./model.ts";
import { appArguments, areaOf, onDesktop, surfaceArguments, type Workplace } from "./workplace.ts";

/** The picture of one look: its frame, and its file in the run folder. */
export interface Shot {
  readonly frameId: string;
  readonly size: Size;
  /** The rectangle of the screen it shows. */
  readonly bounds: Rect;
  readonly file: string | undefined;
}

export interface Look {
  readonly observation: Observation;
  readonly place: Workplace;
  readonly shot: Shot | undefined;
  readonly ms: number;
}

// More than a screenful of controls; longer lists are cheaper to request than to send every time.
const mostRegions = 80;
const mostNodes = 120;
const outlineTokens = 1_400;

/** Looks at the place: a picture with numbers for a model that sees, and a short list of what is in it. */
export async function look(call: Caller, place: Workplace, model: VisionModel, journal: Journal): Promise<Look> {
  const started = performance.now();
  const problems: string[] = [];
  const attempt = async <Answer>(what: () => Promise<Answer>): Promise<Answer | undefined> => {
    try {
      return await what();
    } catch (error) {
      // Picture and tree back each other up; only a refusal ends the run.
      if (!(error instanceof ToolError) || ["denied", "cancelled", "window_gone"].includes(error.code)) throw error;
      problems.push(error.message);
      return undefined;
    }
  };
  const picture = await attempt(() => takePicture(call, place, model));
  const tree = await attempt(() => takeTree(call, place));
  if (!picture && !tree)
    throw new ToolError("not_supported", `Nothing can be seen of ${place.title}: ${problems.join(" ")}`);
  const shot = picture && toShot(picture, journal);
  const image = picture?.images[0];
  const legend = picture && "legend" in picture.data ? picture.data.legend : undefined;
  const snapshot = tree?.data.snapshot;
  return {
    place,
    shot,
    observation: {
      picture:
        model.sees && shot && image ? { data: image.bytes, mimeType: image.mimeType, size: shot.size } : undefined,
      outline: untrusted([
        ...(legend ? [`Regions, by the number drawn on the picture:\n${legend}`] : []),
        ...(snapshot ? [`Elements, with their refs:\n${snapshot}`] : []),
        ...problems.map((problem) => `Not available: ${problem}`),
      ]),
      place: place.title,
    },
    ms: Math.round(performance.now() - started),
  };
}

type Pictured = Called<"mark_regions"> | Called<"take_screenshot">;

async function takePicture(call: Caller, place: Workplace, model: VisionModel): Promise<Pictured> {
  const { area, size } = await areaOf(call, place);
  const common = { ...area, max_side: longestSide(model.limits, size) };
  return model.sees
    ? call("mark_regions", { ...common, max_regions: mostRegions })
    : call("take_screenshot", { ...common, include_ocr: false });
}

function takeTree(call: Caller, place: Workplace): Promise<Called<"take_ax_snapshot">> {
  return call("take_ax_snapshot", {
    ...(onDesktop(place) ? appArguments(place) : surfaceArguments(place)),
    max_nodes: mostNodes,
    max_tokens: outlineTokens,
    bounds: "none",
  });
}

/** The longest side within both limits of the model; above it a vendor would silently shrink the picture. */
export function longestSide({ maxSide, maxPixels }: PictureLimits, size: Size | undefined) {
  const [long, short] = size
    ? [Math.max(size.width, size.height), Math.max(1, Math.min(size.width, size.height))]
    : [16, 9];
  // The tool accepts 64 to 8000.
  return Math.max(64, Math.min(8_000, maxSide, Math.floor(Math.sqrt((maxPixels * long) / short))));
}

export function toShot({ data, stepId }: Pictured, journal: Journal): Shot {
  const { screenshot_id, screenshot_pixel_width, screenshot_pixel_height, bounds } = data;
  return {
    frameId: screenshot_id,
    size: { width: screenshot_pixel_width, height: screenshot_pixel_height },
    bounds,
    file: journal.entries().findLast(({ step }) => step === stepId)?.artifacts[0],
  };
}

function untrusted(parts: readonly string[]): string {
  if (parts.length === 0) return "";
  const { opening, closing } = screenMarks();
  return [opening, ...parts, closing].join("\n");
}
