import { z } from "zod";
import { ToolError } from "../../base/errors.ts";
import { findRegions } from "../../surface/mark-regions.ts";
import { activityParts } from "../../surface/overlay/activity-overlay.ts";
import type { Surface } from "../../surface/surface.ts";
import { pictureWithPopups } from "../../surface/window-picture.ts";
import { defineTool } from "../tool.ts";
import { areaFields, areaModes, areaOf, checkArea } from "../vision/capture-area.ts";
import { legendOf, markFields, marker, remarker } from "../vision/regions.ts";

const exposures = ["excluded", "unverifiable"] as const;

export const showOverlay = defineTool({
  name: "show_overlay",
  title: "Show the numbers on the screen",
  summary:
    "Number everything that can be acted on, as mark_regions does, and draw outlines and numbers on the person's screen until " +
    "hide_overlay. They follow windows and changes; numbers stay valid for click {region: 12}. Also shows where and what you act on, " +
    "and what came of it. Clicks go through, and no picture shows it.",
  set: "observe",
  access: "observe",
  needs: ["overlay", "screen", "windows"],
  captures: true,
  endedBy: "hide_overlay",
  input: z.strictObject({
    ...areaFields,
    mode: z.enum(areaModes).exclude(["element"]).default("window"),
    ...markFields,
    activity: z
      .array(z.enum(activityParts))
      .default([...activityParts])
      .describe("What to show of your actions: a cursor, a flash, the effect (✓ – ?), a status line; [] for nothing"),
  }),
  output: z.object({
    legend: z.string().describe("One line per region, as in mark_regions"),
    count: z.number(),
    cut: z.number().describe("Regions left out for max_regions"),
    captures: z
      .enum(exposures)
      .describe("excluded: drawn and seen to be in no capture; unverifiable: it was not seen on the screen"),
    warnings: z.array(z.string()).optional(),
  }),
  positional: ["mode"],
  check: checkArea,
  async run(input, { session, surface: open, signal, lasting = {} }) {
    const surface = await open();
    const mark = marker(input, session);
    const captures = await needExcluded(surface, signal);
    const area = await areaOf(surface, input, signal);
    const picture = await pictureWithPopups(surface, area, signal);
    const { regions, cut, warnings } = await findRegions(surface, picture, mark(signal));
    const overlay = await session.overlay.show({ surface, lasting, activity: input.activity });
    try {
      await overlay.showRegions(remarker(surface, area, mark), signal);
    } catch (error) {
      await overlay.end();
      throw error;
    }
    return {
      data: {
        legend: legendOf(regions),
        count: regions.length,
        cut,
        captures,
        ...(warnings.length > 0 ? { warnings: [...warnings] } : {}),
      },
    };
  },
});

/** Whoever compares pictures would take the overlay for an effect of an action. */
async function needExcluded(surface: Surface, signal: AbortSignal): Promise<(typeof exposures)[number]> {
  const exposure = (await surface.need("overlay").probe({ signal })) ?? "unverifiable";
  if (exposure !== "leaked") return exposure;
  throw new ToolError("not_supported", "Captures of this screen would show the overlay, so it is not drawn.", {
    hint: "Use mark_regions: it draws the numbers into its own picture.",
  });
}

export const hideOverlay = defineTool({
  name: "hide_overlay",
  title: "Remove the overlay",
  summary: "Remove what show_overlay has drawn on the screen. The numbers stay valid.",
  set: "observe",
  access: "observe",
  needs: [],
  isTrusted: true,
  input: z.strictObject({}),
  output: z.object({ was_shown: z.boolean() }),
  positional: [],
  async run(_input, { session }) {
    return { data: { was_shown: await session.overlay.hide() } };
  },
});
