import { z } from "zod";
import { ToolError } from "../../base/errors.ts";
import type { UiNode } from "../../base/node.ts";
import { findElement } from "../../surface/find-element.ts";
import { readScreen } from "../../surface/read-screen.ts";
import type { Surface } from "../../surface/surface.ts";
import { elementRecord, toElementRecord } from "./elements.ts";
import {
  elementFields,
  readElementTarget,
  readRegionTarget,
  readWindowQuery,
  regionFields,
  windowFields,
  withinFields,
} from "../schema.ts";
import { defineTool } from "../tool.ts";
import { findRegion, windowOf, type Place } from "../../surface/engine/place.ts";

const readTextInput = z.strictObject({
  ...elementFields,
  ...regionFields,
  ...windowFields,
  ...withinFields,
  max_chars: z.int().min(1).max(200_000).default(8_000),
});

export const readText = defineTool({
  name: "read_text",
  title: "Read text",
  summary:
    "The text of a field, label or document, by uid, selector, name or region; read from its pixels if it gives none. A " +
    "password field returns nothing.",
  set: "desktop",
  access: "observe",
  needs: ["elements", "windows"],
  input: readTextInput,
  output: z.object({
    text: z.string(),
    length: z.number(),
    truncated: z.boolean(),
    source: z.enum(["accessibility", "ocr"]),
    element: elementRecord.optional().describe("Absent for a region that is not an element"),
  }),
  positional: ["uid"],
  check: (input) => void readWhat(input),
  async run(input, { session: { secrets }, surface: open, signal }) {
    const surface = await open();
    const place = await find(surface, input, signal);
    const { node } = place;
    const told = node ? await toldText(surface, node, input.max_chars + secrets.longest, signal) : undefined;
    const isSecret = node?.states.includes("password") ?? false;
    const seen = (told?.text ?? "") === "" && !isSecret ? await seenText(surface, place, signal) : undefined;
    const known = seen ?? told?.text ?? "";
    const length = seen?.length ?? told?.length ?? 0;
    const source = told && seen === undefined ? ("accessibility" as const) : ("ocr" as const);
    const element = node ? { element: toElementRecord(surface, node) } : {};
    const truncated = length > known.length || [...known].length > input.max_chars;
    return { data: { text: secrets.concealStart(known, input.max_chars), length, truncated, source, ...element } };
  },
});

async function find(surface: Surface, input: z.infer<typeof readTextInput>, signal: AbortSignal): Promise<Place> {
  const what = readWhat(input);
  if ("region" in what) return findRegion(surface, what.region, signal);
  const within = { window: readWindowQuery(input), ref: input.within };
  return { node: await findElement(surface, what.target, within, signal) };
}

function readWhat(input: z.infer<typeof readTextInput>) {
  const target = readElementTarget(input);
  const region = readRegionTarget(input);
  if (target && region === undefined) return { target };
  if (!target && region !== undefined) return { region };
  throw new ToolError("invalid_argument", "Say what to read: one of uid, selector, text, region and region_id.");
}

async function toldText(surface: Surface, node: UiNode, maxChars: number, signal: AbortSignal) {
  if (node.states.includes("password")) return { text: "", length: 0 };
  const text = String(node.value ?? node.name);
  return (await surface.need("elements").text(node.runtimeId, { maxChars, signal })) ?? { text, length: text.length };
}

/** Text recognised in something that has no text of its own, such as a picture or a canvas. */
async function seenText(surface: Surface, { node, ...place }: Place, signal: AbortSignal): Promise<string | undefined> {
  const bounds = node ? node.bounds : place.rect;
  if (!bounds || node?.states.includes("showing") === false || !surface.can("screen")) return undefined;
  try {
    // Capture the window, not the screen: another window may cover it.
    const window = node ? await windowOf(surface, node, signal) : place.window;
    const area = window
      ? ({ kind: "window", windowId: window.id } as const)
      : ({ kind: "region", rect: bounds } as const);
    const picture = await surface.picture(area, { includeCursor: false, signal });
    const { lines } = await readScreen(surface, picture, { part: bounds, signal });
    return lines.length === 0 ? undefined : lines.map(({ text }) => text).join("\n");
  } catch (error) {
    // An element has already given what it could; a region has nothing but its pixels.
    if (!node || signal.aborted || !(error instanceof ToolError)) throw error;
    return undefined;
  }
}
