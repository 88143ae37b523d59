import { z } from "zod";
import { ToolError } from "../base/errors.ts";
import { parseChord, type Key } from "../base/keys.ts";
import type { UiNode } from "../base/node.ts";
import { calm } from "../surface/effect.ts";
import type { Expectation } from "../surface/judge.ts";
import type { Subject } from "../surface/state.ts";
import { aim, type Aim, type Target } from "../surface/target.ts";
import type { Surface } from "../surface/surface.ts";
import { actionDone, runAction, type Dispatch } from "./action.ts";
import { delivery, orElse, pressNatively } from "./delivery.ts";
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
  windowFields,
  withinFields,
} from "./schema.ts";
import { defineTool } from "./tool.ts";
import { checkPlace, findPlace, needAim, needPlace, pointAt, readPlace, subjectOf, type Place } from "./where.ts";

const { window_title, app_name, pid } = windowFields;

/** Every way to say where: an element, a region, or a point of the screen, a window or a screenshot. */
export const placeFields = {
  ...elementFields,
  ...regionFields,
  ...targetFields,
  window_title,
  app_name,
  pid,
  ...withinFields,
};

export const click = defineTool({
  name: "click",
  title: "Click",
  summary:
    "Click an element (uid, selector or text) or a point: screen (x, y), pixel of a window's last screenshot (window_id, x, y), of " +
    "a window (window_id, window_x, window_y) or of any screenshot (screenshot_id, screenshot_x, screenshot_y). Says what changed.",
  set: "desktop",
  access: "act",
  needs: ["pointer", "screen"],
  input: z.strictObject({
    ...placeFields,
    button,
    clicks: z.int().min(1).max(3).optional().describe("2 for a double click"),
    click_count: z.int().min(1).max(3).optional().describe("Same as clicks"),
    delay_ms: z.int().min(0).max(1_000).default(50).describe("Pause between the clicks of a double click"),
    modifiers: heldModifiers,
    delivery,
    settle_ms: settleMs,
  }),
  output: actionResult,
  positional: ["x", "y"],
  check: checkPlace,
  async run(input, context) {
    const surface = await context.surface();
    const { signal, session } = context;
    const place = await needPlace(surface, input, signal);
    const clicks = input.clicks ?? input.click_count ?? 1;
    const plain = clicks === 1 && input.button === "left" && input.modifiers.length === 0;
    const subject = await subjectOf(surface, place, signal);
    const common = {
      surface,
      context,
      subject,
      ...place,
      expect: clickExpectation(subject.node),
      signature: `click ${input.button} ${clicks} ${place.node?.runtimeId ?? JSON.stringify(place.aim?.point)}`,
      settleMs: input.settle_ms ?? session.limits.settleMs,
    };
    const withPointer = async (where: Aim): Promise<Dispatch> => {
      await surface.hands.click(where.point, {
        button: readButton(input.button),
        clicks,
        delayMs: input.delay_ms,
        hold: readModifiers(input.modifiers),
        signal,
      });
      await surface.inputTaken(signal);
      return { method: "input", via: "pointer" };
    };
    const reach = async (): Promise<Aim> => {
      if (place.window) await surface.ensureShown(place.window, signal);
      const where = await needAim(surface, place, signal);
      await focusAim(surface, where, signal);
      return place.node || common.settleMs > 0 ? pointAt(surface, place, signal) : where;
    };
    const native = plain ? await pressNatively(surface, input.delivery, place, subject.node, signal) : undefined;
    if (native) {
      const orPointer = async (reason: ToolError): Promise<Dispatch> => ({
        ...(await withPointer(await reach())),
        warning: `The native action was refused (${reason.message}), so the pointer was used.`,
      });
      const dispatch = input.delivery === "auto" ? () => orElse(native, orPointer) : native;
      return { data: await runAction({ ...common, node: subject.node }, dispatch) };
    }
    if (input.delivery === "background") throw notInBackground(subject.node, place.aim);
    const where = await reach();
    return { data: await runAction({ ...common, aim: where }, () => withPointer(where)) };
  },
});

export const moveMouse = defineTool({
  name: "move_mouse",
  title: "Move the mouse",
  summary: "Move the pointer without clicking, to hover something.",
  set: "desktop",
  access: "act",
  idempotent: true,
  needs: ["pointer", "screen"],
  input: z.strictObject(placeFields),
  output: actionResult,
  positional: ["x", "y"],
  check: checkPlace,
  async run(input, context) {
    const surface = await context.surface();
    const { signal } = context;
    const pointer = surface.need("pointer");
    const place = await needPlace(surface, input, signal);
    const where = await needAim(surface, place, signal);
    await pointer.move(where.point, { signal });
    const now = await pointer.position({ signal });
    const seen = now.x === where.point.x && now.y === where.point.y;
    return {
      data: actionDone({ surface, context, via: "pointer", method: "input", aim: where, node: place.node, seen }),
    };
  },
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
    const { x, y } = await (await surface()).need("pointer").position({ signal });
    return { data: { x, y } };
  },
});

// One wheel notch moves most toolkits by about three lines of text.
const pixelsPerNotch = 50;

export const scroll = defineTool({
  name: "scroll",
  title: "Scroll",
  summary:
    "Turn the mouse wheel over an element or point. delta_y > 0 or direction down scrolls down. Without a target: where the pointer is.",
  set: "desktop",
  access: "act",
  needs: ["pointer", "screen"],
  input: z.strictObject({
    ...placeFields,
    delta_x: z.int().min(-10_000).max(10_000).default(0).describe("Pixels, positive is right"),
    delta_y: z.int().min(-10_000).max(10_000).default(0).describe("Pixels, positive is down; 50 are one wheel notch"),
    direction: z.enum(["up", "down", "left", "right"]).optional().describe("Instead of the deltas"),
    amount: z.int().min(1).max(100).default(3).describe("Notches, with direction"),
    modifiers: heldModifiers,
    settle_ms: settleMs,
  }),
  output: actionResult.extend({ notches: z.object({ x: z.number(), y: z.number() }) }),
  positional: ["x", "y", "delta_y"],
  check(input) {
    readNotches(input);
    readPlace(input);
  },
  async run(input, context) {
    const surface = await context.surface();
    const { signal, session } = context;
    const notches = readNotches(input);
    const settle = input.settle_ms ?? session.limits.settleMs;
    const place = await findPlace(surface, input, signal);
    const where = place && (await needAim(surface, place, signal));
    if (where) await focusAim(surface, where, signal);
    const subject = await subjectOf(surface, place ?? { aim: await pointerAim(surface, signal) }, signal);
    if (where && settle > 0) await hover(surface, where, subject, signal);
    const action = {
      surface,
      context,
      ...place,
      aim: where,
      subject,
      expect: { focusCounts: false, pixelsCount: true, movingCounts: true },
      signature: `scroll ${notches.x},${notches.y} ${JSON.stringify(where?.point)}`,
      settleMs: settle,
    };
    const data = await runAction(action, async () => {
      await surface.hands.scroll(where?.point, notches, readModifiers(input.modifiers), signal);
      await surface.inputTaken(signal);
      return { method: "input", via: "wheel" };
    });
    return { data: { ...data, notches } };
  },
});

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

export const drag = defineTool({
  name: "drag",
  title: "Drag",
  summary:
    "Press at the start, move in small steps, release at the end. From and to elements (uid, to_uid), regions (region, to_region), " +
    "or points: screen units, pixels of window_id's last screenshot, or of screenshot_id.",
  set: "desktop",
  access: "act",
  needs: ["pointer", "screen"],
  input: dragInput,
  output: actionResult.extend({ end: z.object({ x: z.number(), y: z.number() }) }),
  positional: ["start_x", "start_y", "end_x", "end_y"],
  check(input) {
    for (const end of endsOf(input)) readDragEnd(input, end);
  },
  async run(input, context) {
    const surface = await context.surface();
    const { signal, session } = context;
    const [start, end] = endsOf(input);
    const place = await dragEnd(surface, input, start, signal);
    const drop = await dragEnd(surface, input, end, signal);
    const to = await needAim(surface, drop, signal);
    const from = await needAim(surface, place, signal);
    await focusAim(surface, from, signal);
    const settle = input.settle_ms ?? session.limits.settleMs;
    // A dragged thing looks the same afterwards; what it was dropped on does not.
    const [main, other] = drop.node ? [drop, place] : [place, drop];
    const subject = { ...(await subjectOf(surface, main, signal)), others: other.node ? [other.node] : [] };
    if (settle > 0) await hover(surface, to, subject, signal);
    const action = {
      surface,
      context,
      ...place,
      aim: from,
      subject,
      expect: { focusCounts: false, pixelsCount: true, movingCounts: true },
      signature: `drag ${JSON.stringify([from.point, to.point])}`,
      settleMs: settle,
    };
    const data = await runAction(action, async () => {
      await surface.hands.drag(from.point, to.point, {
        button: readButton(input.button),
        steps: input.steps,
        stepMs: input.step_ms,
        hold: readModifiers(input.modifiers),
        signal,
      });
      await surface.inputTaken(signal);
      return { method: "input", via: "pointer" };
    });
    return { data: { ...data, end: { x: to.point.x, y: to.point.y } } };
  },
});

/** The pointer goes to where it will be in the end: what a hover draws there is no effect of what is done then. */
async function hover(surface: Surface, where: Aim, subject: Subject, signal: AbortSignal): Promise<void> {
  await surface.need("pointer").move(where.point, { signal });
  await calm(surface, subject, signal);
}

/** A point of a named window is only that window's when it is in front; another one may cover it there. */
export async function focusAim(surface: Surface, where: Aim, signal: AbortSignal): Promise<void> {
  if (where.window) await surface.ensureFocus(where.window, signal);
}

export function readModifiers(names: readonly string[]): readonly Key[] {
  return names.length === 0 ? [] : parseChord({ key: names });
}

const pixelRoles: ReadonlySet<string> = new Set([
  "canvas",
  "document",
  "image",
  "unknown",
  "application",
  "window",
  "group",
  "scrollarea",
]);

/** A click into a field is there to move the focus; a click on a drawing shows nowhere but in pixels. */
export function clickExpectation(node: UiNode | undefined): Expectation {
  const takesText =
    node?.states.includes("editable") === true || node?.role === "textbox" || node?.role === "spinbutton";
  return { focusCounts: takesText, pixelsCount: !node || pixelRoles.has(node.role), movingCounts: false };
}

function notInBackground(node: UiNode | undefined, where: Aim | undefined): ToolError {
  const fallback = where?.point ?? node?.clickPoint;
  return new ToolError(
    "not_dispatchable",
    `${node ? `${node.role} "${node.name}"` : "What is there"} has no native action for this click.`,
    {
      hint: 'Use delivery "foreground" (moves the pointer) or "auto".',
      ...(fallback ? { fallback: { x: fallback.x, y: fallback.y } } : {}),
    },
  );
}

async function pointerAim(surface: Surface, signal: AbortSignal): Promise<Aim> {
  return { form: "screen point", point: await surface.need("pointer").position({ signal }) };
}

function endsOf(input: z.infer<typeof dragInput>): readonly [DragEnd, DragEnd] {
  const { uid, region, region_id, to_uid, to_region, to_region_id, start_x, start_y, end_x, end_y } = input;
  return [
    { which: "start", uid, region, region_id, x: start_x, y: start_y },
    { which: "end", uid: to_uid, region: to_region, region_id: to_region_id, x: end_x, y: end_y },
  ];
}

interface DragInput {
  readonly window_id?: number | undefined;
  readonly screenshot_id?: string | undefined;
  readonly clamp: boolean;
}

interface DragEnd {
  readonly which: "start" | "end";
  readonly uid: string | undefined;
  readonly region: number | undefined;
  readonly region_id: string | undefined;
  readonly x: number | undefined;
  readonly y: number | undefined;
}

/** One end of a drag: something shown, or a point. */
function readDragEnd(input: DragInput, { which, uid, region, region_id, x, y }: DragEnd) {
  if (uid !== undefined || region !== undefined || region_id !== undefined) {
    if (x !== undefined || y !== undefined)
      throw new ToolError("invalid_argument", `The ${which} is given as something shown and as a point.`);
    const shown = { uid, region, region_id, clamp: input.clamp };
    checkPlace(shown);
    return { shown };
  }
  if (x === undefined || y === undefined) {
    const to = which === "start" ? "" : "to_";
    throw new ToolError("invalid_argument", `The ${which} is missing.`, {
      hint: `Give ${which}_x and ${which}_y, ${to}uid or ${to}region.`,
    });
  }
  return { target: dragTarget(input, x, y) };
}

async function dragEnd(surface: Surface, input: DragInput, end: DragEnd, signal: AbortSignal): Promise<Place> {
  const { shown, target } = readDragEnd(input, end);
  if (shown) return needPlace(surface, shown, signal);
  const found = await aim(surface, target, { clamp: input.clamp, signal });
  return { aim: found, window: found.window };
}

function dragTarget({ window_id, screenshot_id, clamp }: DragInput, x: number, y: number): Target {
  const fields =
    screenshot_id === undefined ? { x, y, window_id } : { screenshot_x: x, screenshot_y: y, screenshot_id, window_id };
  return needTarget({ ...fields, clamp });
}

interface ScrollInput {
  readonly delta_x: number;
  readonly delta_y: number;
  readonly direction?: "up" | "down" | "left" | "right" | undefined;
  readonly amount: number;
}

export function readNotches({ delta_x, delta_y, direction, amount }: ScrollInput): { x: number; y: number } {
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
