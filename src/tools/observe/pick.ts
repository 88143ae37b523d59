import { z } from "zod";
import { centre, intersect, type Rect } from "../../base/geometry.ts";
import { pointOf } from "../../surface/find-element.ts";
import { pickEndings, pickPoint, type PickEnding } from "../../surface/pick.ts";
import { findPicked, type Picked } from "../../surface/picked.ts";
import type { Surface } from "../../surface/surface.ts";
import { underSources } from "../../surface/under-pointer.ts";
import { encodeOptions, pictureFields, pictureOf, shotData, shotResult } from "../desktop/screen.ts";
import { elementRecord, toElementRecord } from "../elements/elements.ts";
import { defineTool, type ToolContext } from "../tool.ts";
import { indicate } from "./indicate.ts";
import { permitsWindow } from "./permits-window.ts";

const { format, quality, max_side, max_bytes } = pictureFields;
const point = z.object({ x: z.number(), y: z.number() });

export const pickElement = defineTool({
  name: "pick_element",
  command: "pick",
  title: "Take the pointer until the person clicks on something",
  summary:
    "Let the person at the screen point at something: what is under the pointer is outlined, the click reaches no app, and you get the " +
    "element there with a picture of it. Tell them first what to click. Escape cancels.",
  set: "observe",
  access: "observe",
  needs: ["input", "windows"],
  captures: true,
  watchesPerson: true,
  input: z.strictObject({
    timeout_ms: z.int().min(1_000).max(600_000).default(45_000).describe("How long the person has"),
    format: format.unwrap().default("png"),
    quality,
    max_side,
    max_bytes,
  }),
  output: shotResult
    .omit({ screenshot_window_id: true, window_title: true })
    .partial()
    .extend({
      ended: z.enum(pickEndings),
      message: z.string().optional(),
      at: point.optional().describe("Where the person clicked"),
      element: elementRecord
        .partial({ uid: true, states: true, actions: true })
        .extend({
          source: z.enum(underSources).describe("ocr: no element is there, the text was read from the pixels"),
        })
        .optional(),
      selector: z.string().optional().describe("Finds this element, and no other, in its window"),
      window: z
        .object({ window_id: z.number(), title: z.string(), app_name: z.string(), pid: z.number().optional() })
        .optional(),
      region: z.number().optional().describe("Its number in the latest mark_regions"),
      region_id: z.string().optional(),
    }),
  positional: [],
  async run(input, context) {
    const surface = await context.surface();
    const ending = await letPoint(surface, input.timeout_ms, context);
    if (ending.ended !== "picked") return { data: { ended: ending.ended, message: nothingPicked[ending.ended] } };
    const { session, signal } = context;
    const permits = permitsWindow(pickElement, session);
    const picked = await findPicked(surface, ending.at, { permits, signal });
    const { x, y } = ending.at;
    const head = { ended: ending.ended, at: { x, y } };
    if (!picked) return { data: { ...head, message: "No window is there." } };
    const area = { kind: "region", rect: closeUp(picked) } as const;
    const look = await surface.look(area, { encode: encodeOptions(input, context), includeCursor: false, signal });
    return {
      data: { ...head, ...toData(surface, picked), ...(await shotData(surface, look, signal)) },
      images: [pictureOf(look)],
    };
  },
});

const nothingPicked = {
  cancelled: "The person pressed Escape.",
  timeout: "The person has not clicked on anything.",
};

/** Nobody else acts meanwhile: without the pointer a click would be lost, or taken for the person's. */
async function letPoint(surface: Surface, timeoutMs: number, context: ToolContext): Promise<PickEnding> {
  const { session, signal, progress } = context;
  const end = await session.turns?.(surface.id).take(
    { client: "handsight", tool: pickElement.name },
    {
      signal,
      timeoutMs: session.gate.rules.turnSeconds * 1_000,
      onWait: (holder) => progress({ done: 0, message: `Waiting for ${holder}` }),
    },
  );
  try {
    await using _indicator = await indicate(session);
    return await pickPoint(surface, {
      timeoutMs,
      permits: permitsWindow(pickElement, session),
      onStart: () => progress({ done: 0, message: "Click on something; Escape cancels" }),
      signal,
    });
  } finally {
    end?.();
  }
}

// What is beside it says which one it is.
const margin = 8;

/** The place with a little of what is around it, within its window. */
function closeUp({ bounds, window }: Picked): Rect {
  const { x, y, width, height } = bounds;
  const wide = { x: x - margin, y: y - margin, width: width + 2 * margin, height: height + 2 * margin };
  return intersect(wide, window.bounds) ?? bounds;
}

function toData(surface: Surface, { node, source, role, name, bounds, window, ...picked }: Picked) {
  const { stableId, selector, region } = picked;
  const { x, y } = (node && pointOf(node)) ?? centre(bounds);
  const pid = window.pid === undefined ? {} : { pid: window.pid };
  return {
    element: {
      ...(node ? toElementRecord(surface, node) : { role, name, ...pid }),
      ...(stableId ? { stable_id: stableId } : {}),
      bounds,
      click_point: { x, y },
      source,
    },
    ...(selector === undefined ? {} : { selector }),
    window: { window_id: window.id, title: window.title, app_name: window.appName, ...pid },
    ...(region ? { region: region.number, region_id: region.id } : {}),
  };
}
