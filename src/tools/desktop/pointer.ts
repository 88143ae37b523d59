import { z } from "zod";
import { ToolError } from "../../base/errors.ts";
import { parseChord, type Key } from "../../base/keys.ts";
import { deliveries, type Click, type Drag, type Scroll } from "../../surface/engine/action.ts";
import type { Target } from "../../surface/target.ts";
import { defineAction } from "../action.ts";
import {
  actionResult,
  button,
  elementFields,
  heldModifiers,
  needTarget,
  readButton,
  regionFields,
  settleMs,
  targetFields,
} from "../schema.ts";
import { inScope, needPlace, placeFields, readPlace } from "../targets.ts";
import { defineTool } from "../tool.ts";

const delivery = z
  .enum(deliveries)
  .default("auto")
  .describe(
    "background: native action, pointer and focus stay; foreground: real input; auto: native for elements, else input",
  );

const clickInput = z.strictObject({
  ...placeFields,
  button,
  clicks: z.int().min(1).max(3).optional().describe("2 for a double click"),
  click_count: z.int().min(1).max(3).optional().describe("Same as clicks"),
  delay_ms: z.int().min(0).max(1_000).default(50).describe("Pause between the clicks of a double click"),
  modifiers: heldModifiers,
  delivery,
  settle_ms: settleMs,
});

export const click = defineAction({
  name: "click",
  title: "Click",
  summary:
    "Click an element (uid, selector or text) or a point: screen (x, y), pixel of a window's last screenshot (window_id, x, y), of " +
    "a window (window_id, window_x, window_y) or of any screenshot (screenshot_id, screenshot_x, screenshot_y). Says what changed.",
  set: "desktop",
  needs: ["pointer", "screen"],
  input: clickInput,
  output: actionResult,
  positional: ["x", "y"],
  acts: toClick,
});

export function toClick(input: z.infer<typeof clickInput>): Click {
  return {
    do: "click",
    at: needPlace(input),
    button: readButton(input.button),
    clicks: input.clicks ?? input.click_count ?? 1,
    delayMs: input.delay_ms,
    hold: readModifiers(input.modifiers),
    delivery: input.delivery,
  };
}

export const moveMouse = defineAction({
  name: "move_mouse",
  title: "Move the mouse",
  summary: "Move the pointer without clicking, to hover something.",
  set: "desktop",
  idempotent: true,
  needs: ["pointer", "screen"],
  input: z.strictObject(placeFields),
  output: actionResult,
  positional: ["x", "y"],
  acts: (input) => ({ do: "hover", at: needPlace(input) }),
});

export const getMousePosition = defineTool({
  name: "get_mouse_position",
  title: "Get the mouse position",
  summary: "Where the pointer is, in screen units.",
  set: "desktop",
  access: "observe",
  needs: ["pointer"],
  isTrusted: true,
  input: z.strictObject({}),
  output: z.object({ x: z.number(), y: z.number() }),
  positional: [],
  async run(_input, { surface, signal }) {
    const { x, y } = await (await surface()).pointerPosition(signal);
    return { data: { x, y } };
  },
});

// In most toolkits one wheel notch scrolls about three lines of text.
const pixelsPerNotch = 50;

const scrollInput = z.strictObject({
  ...placeFields,
  delta_x: z.int().min(-10_000).max(10_000).default(0).describe("Pixels, positive is right"),
  delta_y: z.int().min(-10_000).max(10_000).default(0).describe("Pixels, positive is down; 50 are one wheel notch"),
  direction: z.enum(["up", "down", "left", "right"]).optional().describe("Instead of the deltas"),
  amount: z.int().min(1).max(100).default(3).describe("Notches, with direction"),
  modifiers: heldModifiers,
  settle_ms: settleMs,
});

export const scroll = defineAction({
  name: "scroll",
  title: "Scroll",
  summary:
    "Turn the mouse wheel over an element or point. delta_y > 0 or direction down scrolls down. Without a target: where the pointer is.",
  set: "desktop",
  needs: ["pointer", "screen"],
  input: scrollInput,
  output: actionResult.extend({ notches: z.object({ x: z.number(), y: z.number() }) }),
  positional: ["x", "y", "delta_y"],
  acts: toScroll,
  adds: (input) => ({ notches: readNotches(input) }),
});

export function toScroll(input: z.infer<typeof scrollInput>): Scroll {
  const notches = readNotches(input);
  return { do: "scroll", at: readPlace(input), notches, hold: readModifiers(input.modifiers) };
}

const dragInput = z.strictObject({
  uid: elementFields.uid,
  to_uid: elementFields.uid,
  ...regionFields,
  to_region: regionFields.region,
  to_region_id: regionFields.region_id,
  start_x: z.number().optional(),
  start_y: z.number().optional(),
  end_x: z.number().optional(),
  end_y: z.number().optional(),
  window_id: targetFields.window_id,
  screenshot_id: targetFields.screenshot_id,
  clamp: targetFields.clamp,
  button,
  modifiers: heldModifiers,
  steps: z.int().min(1).max(200).default(10),
  step_ms: z.int().min(0).max(200).default(16).describe("Pause before each step"),
  settle_ms: settleMs,
});

export const drag = defineAction({
  name: "drag",
  title: "Drag",
  summary:
    "Press at the start, move in small steps, release at the end. From and to elements (uid, to_uid), regions (region, to_region), " +
    "or points: screen units, pixels of window_id's last screenshot, or of screenshot_id.",
  set: "desktop",
  needs: ["pointer", "screen"],
  input: dragInput,
  output: actionResult.extend({ end: z.object({ x: z.number(), y: z.number() }) }),
  positional: ["start_x", "start_y", "end_x", "end_y"],
  acts: toDrag,
  adds: (_input, { end = { x: 0, y: 0 } }) => ({ end: { x: end.x, y: end.y } }),
});

export function toDrag(input: z.infer<typeof dragInput>): Drag {
  const { uid, region, region_id, to_uid, to_region, to_region_id, start_x, start_y, end_x, end_y } = input;
  const { steps, step_ms: stepMs } = input;
  return {
    do: "drag",
    from: readDragEnd(input, { which: "start", uid, region, region_id, x: start_x, y: start_y }),
    to: readDragEnd(input, {
      which: "end",
      uid: to_uid,
      region: to_region,
      region_id: to_region_id,
      x: end_x,
      y: end_y,
    }),
    button: readButton(input.button),
    steps,
    stepMs,
    hold: readModifiers(input.modifiers),
  };
}

interface DragEnd {
  readonly which: "start" | "end";
  readonly uid: string | undefined;
  readonly region: number | undefined;
  readonly region_id: string | undefined;
  readonly x: number | undefined;
  readonly y: number | undefined;
}

/** One end of a drag: an element or region, or a point. */
function readDragEnd(
  { window_id, screenshot_id, clamp, ...ends }: z.infer<typeof dragInput>,
  { which, uid, region, region_id, x, y }: DragEnd,
): Target {
  // Where one end is a point, the window says where that is counted from.
  const isOfPoint = ends.start_x !== undefined || ends.end_x !== undefined;
  if (uid !== undefined || region !== undefined || region_id !== undefined) {
    if (x !== undefined || y !== undefined)
      throw new ToolError("invalid_argument", `The ${which} is given both as an element or region and as a point.`);
    const target = needPlace({ uid, region, region_id });
    return isOfPoint ? target : inScope(target, { window_id });
  }
  if (x === undefined || y === undefined) {
    const to = which === "start" ? "" : "to_";
    throw new ToolError("invalid_argument", `The ${which} is missing.`, {
      hint: `Give ${which}_x and ${which}_y, ${to}uid or ${to}region.`,
    });
  }
  const fields =
    screenshot_id === undefined ? { x, y, window_id } : { screenshot_x: x, screenshot_y: y, screenshot_id, window_id };
  return needTarget({ ...fields, clamp });
}

function readModifiers(names: readonly string[]): readonly Key[] {
  return names.length === 0 ? [] : parseChord({ key: names });
}

interface ScrollInput {
  readonly delta_x: number;
  readonly delta_y: number;
  readonly direction?: "up" | "down" | "left" | "right" | undefined;
  readonly amount: number;
}

function readNotches({ delta_x, delta_y, direction, amount }: ScrollInput): { x: number; y: number } {
  const deltas = { x: toNotches(delta_x), y: toNotches(delta_y) };
  switch (direction) {
    case "up":
      return { x: 0, y: -amount };
    case "down":
      return { x: 0, y: amount };
    case "left":
      return { x: -amount, y: 0 };
    case "right":
      return { x: amount, y: 0 };
    case undefined:
      if (deltas.x !== 0 || deltas.y !== 0) return deltas;
      throw new ToolError("invalid_argument", "Nothing to scroll by.", {
        hint: "Give delta_y (or delta_x), or direction.",
      });
  }
}

function toNotches(pixels: number): number {
  return pixels === 0 ? 0 : Math.sign(pixels) * Math.max(1, Math.round(Math.abs(pixels) / pixelsPerNotch));
}
