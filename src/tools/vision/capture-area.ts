import { z } from "zod";
import { ToolError } from "../../base/errors.ts";
import type { Rect } from "../../base/geometry.ts";
import type { CaptureArea } from "../../platform/backend.ts";
import { chooseWindow, isEmptyQuery, needActive, type WindowQuery } from "../../surface/choose-window.ts";
import type { UiNode } from "../../base/node.ts";
import { findRegion } from "../../surface/engine/place.ts";
import { describeNode, findElement } from "../../surface/find-element.ts";
import type { Surface } from "../../surface/surface.ts";
import type { NamedElement } from "../../surface/target.ts";
import {
  elementFields,
  readElementTarget,
  readRegionTarget,
  readWindowQuery,
  regionFields,
  windowFields,
} from "../schema.ts";

export const areaModes = ["screen", "window", "region", "display", "element"] as const;

/** Which part of the screen to look at; the same fields in every tool that looks. */
export const areaFields = {
  mode: z.enum(areaModes).default("window"),
  ...windowFields,
  display_id: z.int().optional().describe("For mode display, from list_displays"),
  x: z.int().optional().describe("For mode region, in screen units"),
  y: z.int().optional(),
  width: z.int().positive().optional(),
  height: z.int().positive().optional(),
};

/** How mode "element" names its element. */
export const areaElementFields = { ...elementFields, ...regionFields };

type AreaInput = z.infer<z.ZodObject<typeof areaFields>> & Partial<z.infer<z.ZodObject<typeof areaElementFields>>>;

/** Throws when the mode lacks a field, or a field belongs to another mode. */
export function checkArea(input: AreaInput): void {
  readArea(input);
}

type Area =
  | CaptureArea
  | {
      readonly kind: "element";
      readonly target: NamedElement | undefined;
      readonly region: number | string | undefined;
    }
  | { readonly kind: "query"; readonly query: WindowQuery };

function readArea(input: AreaInput): Area {
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
    case "element": {
      const target = readElementTarget(input);
      const region = readRegionTarget(input);
      if ((target === undefined) === (region === undefined)) {
        throw new ToolError("invalid_argument", "Mode element needs one of uid, selector, text, region and region_id.");
      }
      return { kind: "element", target, region };
    }
    case "window":
      return { kind: "query", query: readWindowQuery(input) };
  }
}

export async function areaOf(surface: Surface, input: AreaInput, signal: AbortSignal): Promise<CaptureArea> {
  const area = readArea(input);
  if (area.kind === "query") return windowArea(surface, area.query, signal);
  if (area.kind !== "element") return area;
  if (area.region !== undefined) return regionArea(surface, area.region, signal);
  return nodeArea(await findElement(surface, area.target as NamedElement, { window: readWindowQuery(input) }, signal));
}

async function windowArea(surface: Surface, query: WindowQuery, signal: AbortSignal): Promise<CaptureArea> {
  const all = await surface.need("windows").list({ signal });
  const window = isEmptyQuery(query) ? needActive(all, 'Name one, or use mode "screen".') : chooseWindow(all, query);
  return { kind: "window", windowId: window.id };
}

/** A part of the screen: a rectangle, or a marked region at its current place. */
export async function partArea(
  surface: Surface,
  part: Rect | number | string,
  signal: AbortSignal,
): Promise<CaptureArea> {
  return typeof part === "object" ? { kind: "region", rect: part } : regionArea(surface, part, signal);
}

async function regionArea(surface: Surface, wanted: number | string, signal: AbortSignal): Promise<CaptureArea> {
  const { node, rect } = await findRegion(surface, wanted, signal);
  if (rect) return { kind: "region", rect };
  if (node) return nodeArea(node);
  throw new ToolError("not_found", `Region ${wanted} is not on the screen.`);
}

function nodeArea(node: UiNode): CaptureArea {
  if (node.bounds && node.bounds.width > 0 && node.bounds.height > 0 && node.states.includes("showing")) {
    return { kind: "region", rect: node.bounds };
  }
  throw new ToolError("not_dispatchable", `${describeNode(node)} is not visible.`, {
    hint: "Scroll it into view with ax_scroll first.",
  });
}

/** For a tool that was given a picture: an additional part of the screen would be ignored silently. */
export function refuseArea(input: AreaInput, given: string): void {
  const names = Object.keys({ ...areaFields, ...areaElementFields }) as (keyof AreaInput)[];
  const stray = names.find((name) => input[name] !== undefined && (name !== "mode" || input.mode !== "window"));
  if (stray === undefined) return;
  throw new ToolError("invalid_argument", `"${stray}" names a part of the screen, but ${given} is given too.`, {
    hint: "Leave out one of them.",
  });
}

/** A field of another mode would be ignored silently, although the caller meant something by it. */
function refuseStray(input: AreaInput): void {
  const names = ["window_id", "window_title", "app_name", "pid"] as const;
  const own: Record<AreaInput["mode"], readonly (keyof AreaInput)[]> = {
    screen: [],
    display: ["display_id"],
    region: ["x", "y", "width", "height"],
    window: names,
    element: ["uid", "selector", "text", "region", "region_id", ...names],
  };
  const mine = own[input.mode];
  for (const [mode, fields] of Object.entries(own)) {
    const stray = fields.find((field) => !mine.includes(field) && input[field] !== undefined);
    if (stray) {
      throw new ToolError(
        "invalid_argument",
        `"${stray}" belongs to mode "${mode}", but the mode is "${input.mode}".`,
        {
          hint: `Pass mode "${mode}", or leave out ${stray}.`,
        },
      );
    }
  }
}
