import { z } from "zod";
import type { Picture } from "../../base/frame.ts";
import type { Rect } from "../../base/geometry.ts";
import type { Sighting } from "../../surface/fuse-regions.ts";
import { findRegions, type MarkRegionsOptions } from "../../surface/mark-regions.ts";
import { regionSources, type Region } from "../../surface/regions.ts";
import type { Surface } from "../../surface/surface.ts";
import { pixelsPerUnit, toImageRect } from "../../surface/view.ts";
import { pictureWithPopups } from "../../surface/window-picture.ts";
import { toSearchable } from "../../vision/find-image/haystack.ts";
import type { Needle } from "../../vision/find-image/needle.ts";
import { drawMarks, scaleToBeRead } from "../../vision/marks.ts";
import type { CaptureArea } from "../../platform/backend.ts";
import type { MarkAgain } from "../observe/overlay-session.ts";
import { defineAction } from "../action.ts";
import { areaElementFields, areaFields, areaOf, checkArea } from "./capture-area.ts";
import { templateOf } from "./find-image.ts";
import { shortened } from "./ocr.ts";
import { click, toClick } from "../desktop/pointer.ts";
import { actionResult, rect, regionFields } from "../schema.ts";
import { encodeOptions, pictureFields, pictureOf, shotData, shotResult } from "../desktop/screen.ts";
import type { Session } from "../session.ts";
import { defineTool, type ToolContext } from "../tool.ts";

const { include_cursor: _, ...encodeFields } = pictureFields;

/** What to look for; the same fields in every tool that marks regions. */
export const markFields = {
  sources: z
    .array(z.enum(regionSources))
    .min(1)
    .default([...regionSources]),
  template_ids: z
    .array(z.string().max(60))
    .max(20)
    .default([])
    .describe("Loaded images (load_image) to look for too; each place found is a region of that name"),
  max_regions: z.int().min(1).max(500).default(100),
};

export const markRegions = defineTool({
  name: "mark_regions",
  title: "Number what can be clicked",
  summary:
    "Number everything that can be acted on in a window (default: the active one) or on the screen: elements, pictures you loaded, " +
    "text read from the pixels, and shapes that look like controls. Returns the picture with the numbers and a legend; then click {region: 12}.",
  set: "vision",
  access: "observe",
  needs: ["screen"],
  captures: true,
  input: z.strictObject({
    ...areaFields,
    ...areaElementFields,
    ...markFields,
    include_image: z.boolean().default(true),
    details: z.boolean().default(false).describe("Also bounds, ids and confidence of each region as JSON"),
    ...encodeFields,
  }),
  output: shotResult.extend({
    legend: z.string().describe("One line per region: number, role, name; ~ marks what was read or only looks like it"),
    count: z.number(),
    cut: z.number().describe("Regions left out for max_regions"),
    regions: z
      .array(
        z.object({
          region: z.number(),
          region_id: z.string(),
          role: z.string(),
          name: z.string(),
          x: z.number(),
          y: z.number(),
          bounds: rect,
          source: z.enum(regionSources),
          confidence: z.number(),
          uid: z.string().optional(),
        }),
      )
      .optional(),
    warnings: z.array(z.string()).optional(),
  }),
  positional: ["mode"],
  check: checkArea,
  async run(input, context) {
    const surface = await context.surface();
    const { session, signal } = context;
    const mark = marker(input, session);
    const area = await areaOf(surface, input, signal);
    const picture = await pictureWithPopups(surface, area, signal);
    const { regions, cut, texts, warnings } = await findRegions(surface, picture, mark(signal));
    session.overlay.marked(surface, remarker(surface, area, mark));
    const encode = encodeOptions(input, context);
    const look = await surface.show(picture, encode, marked(picture, { regions, texts }, encode.maxSide));
    return {
      data: {
        ...(await shotData(surface, look, signal)),
        legend: legendOf(regions),
        count: regions.length,
        cut,
        ...(input.details ? { regions: regions.map((region) => toRecord(surface, region)) } : {}),
        ...(warnings.length > 0 ? { warnings: [...warnings] } : {}),
      },
      images: input.include_image ? [pictureOf(look)] : [],
    };
  },
});

/** How regions are looked for with this input. */
export function marker(
  { sources, template_ids, max_regions }: z.infer<z.ZodObject<typeof markFields>>,
  session: Session,
): (signal: AbortSignal) => MarkRegionsOptions {
  const templates = template_ids.map((id) => ({ id, needle: templateOf(session, id) }));
  return (signal) => ({
    sources,
    maxRegions: max_regions,
    findTemplates: (where) => findTemplates(where, templates, { session, signal }),
    signal,
  });
}

/** Marks the same area again; what was there keeps its number. */
export function remarker(surface: Surface, area: CaptureArea, mark: ReturnType<typeof marker>): MarkAgain {
  return async (seen, signal) => {
    const picture = await pictureWithPopups(surface, area, signal);
    await findRegions(surface, picture, { ...mark(signal), seen, numbering: "kept" });
  };
}

// One icon may appear many times on a screen; more than this is a pattern.
const mostOfATemplate = 20;

async function findTemplates(
  { pixels, bounds }: Picture,
  templates: readonly { readonly id: string; readonly needle: Needle }[],
  { session, signal }: Pick<ToolContext, "session" | "signal">,
): Promise<readonly Sighting<"image">[]> {
  const screen = toSearchable(pixels);
  const hits: Sighting<"image">[] = [];
  for (const { id, needle } of templates) {
    const { matches } = await session.finder.find(screen, needle, {
      mode: "fast",
      maxResults: mostOfATemplate,
      rotations: [0],
      likelyScale: pixelsPerUnit({ bounds, image: pixels }),
      signal,
    });
    hits.push(...matches.map((box) => ({ text: id, confidence: box.score, box })));
  }
  return hits;
}

/** The picture with numbers large enough to read after it is shrunk. */
function marked(
  { pixels, bounds }: Picture,
  { regions, texts }: { readonly regions: readonly Region[]; readonly texts: readonly Rect[] },
  maxSide: number | undefined,
) {
  const copy = { ...pixels, data: Buffer.from(pixels.data) };
  const view = { bounds, image: pixels };
  drawMarks(
    copy,
    regions.map(({ number, rect: place }) => ({ number, rect: toImageRect(view, place) })),
    { scale: scaleToBeRead(pixels, maxSide), avoid: texts.map((box) => toImageRect(view, box)) },
  );
  return copy;
}

const longestName = 60;

/** One line per region. */
export const legendOf = (regions: readonly Region[]): string => regions.map(describe).join("\n");

function describe({ number, role, name, source }: Region): string {
  const short = name.length > longestName ? `${name.slice(0, longestName)}…` : name;
  return `${number} ${source === "accessibility" || source === "dom" ? "" : "~"}${role}${short === "" ? "" : ` ${JSON.stringify(short)}`}`;
}

function toRecord(surface: Surface, region: Region) {
  return {
    region: region.number,
    region_id: region.id,
    role: region.role,
    name: region.name,
    x: region.point.x,
    y: region.point.y,
    bounds: region.rect,
    source: region.source,
    confidence: shortened(region.confidence),
    ...(region.node ? { uid: surface.snapshots.refOf(region.node) } : {}),
  };
}

const { button, clicks, modifiers, delivery, settle_ms } = click.input.shape;

export const clickRegion = defineAction({
  name: "click_region",
  title: "Click a region",
  summary: "Click what mark_regions has numbered. The same as click {region}; says what changed.",
  set: "vision",
  needs: ["pointer", "screen"],
  input: z.strictObject({ ...regionFields, button, clicks, modifiers, delivery, settle_ms }),
  output: actionResult,
  positional: ["region"],
  acts: (input) => toClick(click.input.parse(input)),
});
