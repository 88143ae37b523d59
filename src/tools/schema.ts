import { z } from "zod";
import { ToolError } from "../base/errors.ts";
import type { Rect } from "../base/geometry.ts";
import { modifiers } from "../base/keys.ts";
import type { WindowQuery } from "../surface/choose-window.ts";
import { parseSelector, quoteInSelector } from "../surface/selector.ts";
import type { NamedElement, PointTarget } from "../surface/target.ts";

export { quoteInSelector };

/** Input and output fields that several tools share, so that a name means the same everywhere. */

// A check instead of a range: the range would be sent with each of a dozen coordinates of every pointer tool.
const coordinate = z.number().refine((value) => Math.abs(value) <= 100_000, "must lie between -100000 and 100000");
const windowIdField = z.int().min(0).max(0xffffffff);

/** A picture inside the message. The transports limit its size: 4 MB over HTTP. */
export const encodedImage = z.string().min(1).max(4_000_000).optional();

export const rect = z.object({ x: z.number(), y: z.number(), width: z.number(), height: z.number() });

const isArea = ({ width, height }: Rect): boolean => width >= 1 && height >= 1;

/** Targets that need no element tree. Exactly one per call. */
export const targetFields = {
  x: coordinate.optional().describe("Screen x; with window_id: pixel of that window's last screenshot"),
  y: coordinate.optional(),
  window_id: windowIdField.optional().describe("The point's window; it is focused first"),
  window_x: coordinate.optional().describe("From its left edge, in screen units (needs window_id)"),
  window_y: coordinate.optional(),
  screenshot_x: coordinate.optional().describe("Pixel of screenshot_id"),
  screenshot_y: coordinate.optional(),
  screenshot_id: z.string().max(40).optional().describe("From take_screenshot"),
  screenshot_origin_x: coordinate.optional().describe("Instead of screenshot_id, with scale"),
  screenshot_origin_y: coordinate.optional(),
  screenshot_scale: z.number().positive().max(16).optional(),
  clamp: z.boolean().default(false).describe("Move a point outside to the nearest edge"),
};

/** Targets that name an element. */
export const elementFields = {
  uid: z.string().max(20).optional().describe("From a snapshot or find_elements, e.g. a12g3"),
  selector: z.string().min(1).max(1_000).optional().describe('E.g. Button:Submit, TextBox:"Full name", #id'),
  text: z.string().min(1).max(500).optional().describe("Its accessible name"),
};

/** Targets that name something numbered by mark_regions. */
export const regionFields = {
  region: z.int().min(1).max(10_000).optional().describe("Number drawn by mark_regions"),
  region_id: z.string().max(40).optional(),
};

/** Where a tool watches or looks: a rectangle of the screen, or a region by number. */
export const partFields = {
  region: z.union([z.int().min(1).max(10_000), rect.refine(isArea, "must not be empty")]).optional(),
  region_id: regionFields.region_id,
};

export function readRegionTarget(input: z.infer<z.ZodObject<typeof regionFields>>): number | string | undefined {
  const { region, region_id } = input;
  if (region !== undefined && region_id !== undefined) {
    throw new ToolError("invalid_argument", "region and region_id are both given.", { hint: "Use exactly one." });
  }
  return region ?? region_id;
}

export function readPart(input: z.infer<z.ZodObject<typeof partFields>>): Rect | number | string | undefined {
  const { region, region_id } = input;
  if (typeof region !== "object") return readRegionTarget({ region, region_id });
  if (region_id === undefined) return region;
  throw new ToolError("invalid_argument", "region and region_id are both given.", { hint: "Use exactly one." });
}

export const withinFields = {
  within: z.string().max(20).optional().describe("Only below this uid"),
};

export function readElementTarget(input: z.infer<z.ZodObject<typeof elementFields>>): NamedElement | undefined {
  const { uid, selector, text } = input;
  if ([uid, selector, text].filter((given) => given !== undefined).length > 1) {
    throw new ToolError("invalid_argument", "uid, selector and text are mixed in one call.", {
      hint: "Use exactly one.",
    });
  }
  if (uid !== undefined) return { form: "element", ref: uid };
  if (selector !== undefined) {
    parseSelector(selector);
    return { form: "selector", selector };
  }
  return text === undefined ? undefined : { form: "text", text };
}

export type TargetInput = z.infer<z.ZodObject<typeof targetFields>>;

const forms = "x + y; window_id + x + y; window_id + window_x + window_y; screenshot_x + screenshot_y + screenshot_id";

/** Reads the one target given; undefined when there is none. */
export function readTarget(input: TargetInput): PointTarget | undefined {
  const screen = pair(input.x, input.y, "x and y");
  const inWindow = pair(input.window_x, input.window_y, "window_x and window_y");
  const inShot = pair(input.screenshot_x, input.screenshot_y, "screenshot_x and screenshot_y");
  const origin = pair(
    input.screenshot_origin_x,
    input.screenshot_origin_y,
    "screenshot_origin_x and screenshot_origin_y",
  );
  if ([screen, inWindow, inShot].filter((given) => given !== undefined).length > 1) {
    throw new ToolError("invalid_argument", "Several target forms are mixed in one call.", {
      hint: `Use exactly one of: ${forms}.`,
    });
  }
  if (!inShot && (input.screenshot_id !== undefined || origin || input.screenshot_scale !== undefined)) {
    throw new ToolError("invalid_argument", "A screenshot is named but screenshot_x and screenshot_y are missing.");
  }
  if (inShot) return screenshotTarget(input, inShot, origin);
  if (inWindow) {
    if (input.window_id === undefined) throw new ToolError("invalid_argument", "window_x and window_y need window_id.");
    return { form: "window point", windowId: input.window_id, point: inWindow, clamp: input.clamp };
  }
  if (!screen) return undefined;
  return input.window_id === undefined
    ? { form: "screen point", point: { x: Math.floor(screen.x), y: Math.floor(screen.y) }, clamp: input.clamp }
    : { form: "window pixel", windowId: input.window_id, pixel: screen, clamp: input.clamp };
}

export function needTarget(input: TargetInput): PointTarget {
  const target = readTarget(input);
  if (target) return target;
  throw new ToolError("invalid_argument", "No target given.", { hint: `Use exactly one of: ${forms}.` });
}

type Pair = { readonly x: number; readonly y: number };

function screenshotTarget(input: TargetInput, at: Pair, origin: Pair | undefined): PointTarget {
  const { clamp } = input;
  if (input.window_id !== undefined) {
    throw new ToolError(
      "invalid_argument",
      "screenshot_x and screenshot_y already say which window: leave out window_id.",
    );
  }
  if (input.screenshot_id !== undefined) {
    if (origin || input.screenshot_scale !== undefined) {
      throw new ToolError(
        "invalid_argument",
        "Give either screenshot_id, or screenshot_origin_x/y with screenshot_scale.",
      );
    }
    return { form: "frame pixel", frameId: input.screenshot_id, pixel: at, clamp };
  }
  if (origin && input.screenshot_scale !== undefined) {
    return { form: "placed pixel", origin, scale: input.screenshot_scale, pixel: at, clamp };
  }
  throw new ToolError("invalid_argument", "screenshot_x and screenshot_y need screenshot_id (or origin and scale).");
}

function pair(x: number | undefined, y: number | undefined, names: string): Pair | undefined {
  if (x === undefined && y === undefined) return undefined;
  if (x === undefined || y === undefined) throw new ToolError("invalid_argument", `${names} go together.`);
  return { x, y };
}

export const windowFields = {
  window_id: windowIdField.optional().describe("From list_windows"),
  window_title: z.string().min(1).max(500).optional().describe("Part of the title, any case"),
  app_name: z.string().min(1).max(200).optional().describe("Uses its topmost window"),
  pid: z.int().positive().optional(),
};

export function readWindowQuery(input: Partial<z.infer<z.ZodObject<typeof windowFields>>>): WindowQuery {
  return { windowId: input.window_id, title: input.window_title, appName: input.app_name, pid: input.pid };
}

// Some callers say "center" for the middle button.
export const button = z
  .enum(["left", "right", "middle", "center", "back", "forward"])
  .default("left")
  .describe('Mouse button; "center" means middle');

export const readButton = (name: z.infer<typeof button>) => (name === "center" ? "middle" : name);

export const heldModifiers = z
  .array(z.enum([...modifiers, "cmd", "control", "super", "win", "option"]))
  .max(4)
  .default([])
  .describe('Keys held meanwhile, e.g. ["ctrl"]');

export const timeoutMs = z.int().min(0).max(60_000);

export const nodeRecord = z.object({
  role: z.string(),
  name: z.string(),
  value: z.union([z.string(), z.number()]).optional(),
  states: z.array(z.string()),
  bounds: rect.optional(),
});

/** How long an acting tool looks for its effect; the session's default when not given. */
export const settleMs = z.int().min(0).max(30_000).optional().describe("How long to look for an effect; 0 to skip");

/** What every acting tool answers with. */
export const actionResult = z.object({
  ok: z.boolean().describe("false when part of the text did not arrive"),
  effect: z.enum(["confirmed", "no_change", "unverifiable"]).describe("What the action was seen to do"),
  changed: z.boolean().nullable().describe("null when it was not observed"),
  method: z.enum(["ax", "input", "cdp", "adb", "system"]),
  dispatched_via: z.string(),
  target: z
    .object({
      x: z.number().optional(),
      y: z.number().optional(),
      form: z.string().optional(),
      element: z.string().optional(),
      window_id: z.number().optional(),
      window_title: z.string().optional(),
    })
    .optional(),
  node_before: nodeRecord.nullable().optional(),
  node_after: nodeRecord.nullable().optional(),
  changes: z
    .object({
      focus: z.object({ from: z.string(), to: z.string() }).optional(),
      windows: z.array(z.string()).optional(),
      tree: z.array(z.string()).optional(),
      pixels: z.object({ ratio: z.number(), box: rect }).optional(),
      command: z.string().optional(),
      clipboard: z
        .array(z.enum(["clipboard", "primary selection"]))
        .optional()
        .describe("What the app has copied to"),
    })
    .optional(),
  arrived: z.string().optional().describe("What the field took, when part of the text is missing"),
  settle_ms: z.number().optional(),
  suspected_loop: z.boolean().optional().describe("The same action keeps leaving the same state"),
  surface: z.string(),
  step_id: z.string(),
  warning: z.string().optional(),
});
