import { z } from "zod";
import { ToolError } from "../base/errors.ts";
import { parseChord } from "../base/keys.ts";
import type { UiNode } from "../base/node.ts";
import { chooseWindow, isEmptyQuery } from "../surface/choose-window.ts";
import { calm } from "../surface/effect.ts";
import { findElement } from "../surface/find-element.ts";
import type { Surface } from "../surface/surface.ts";
import type { WindowInfo } from "../platform/backend.ts";
import { runAction } from "./action.ts";
import { focusAim } from "./pointer.ts";
import {
  actionResult,
  elementFields,
  enteredText,
  readElementTarget,
  readRegionTarget,
  readWindowQuery,
  regionFields,
  settleMs,
  windowFields,
  withinFields,
} from "./schema.ts";
import { defineTool } from "./tool.ts";
import { evidenceMs, findRegion, needAim, needPlace, subjectOf, type Place } from "./where.ts";

export const typeText = defineTool({
  name: "type_text",
  title: "Type text",
  summary:
    "Type text at the cursor, any language and emoji, or into the field named by uid, selector, into or region. " +
    "A window named here is focused first. A line break presses Enter.",
  set: "desktop",
  access: "act",
  needs: ["keyboard"],
  input: z.strictObject({
    text: z.string().min(1).max(100_000),
    uid: elementFields.uid,
    selector: elementFields.selector,
    into: z.string().min(1).max(500).optional().describe("Accessible name of the field"),
    ...regionFields,
    ...windowFields,
    ...withinFields,
    delay_ms: z
      .int()
      .min(0)
      .max(1_000)
      .default(0)
      .describe("Pause after each character, for apps that lose fast input"),
    settle_ms: settleMs,
  }),
  output: actionResult.extend({ characters: z.number() }),
  positional: ["text"],
  secret: enteredText,
  check: (input) => void readField(input),
  async run(input, context) {
    const surface = await context.surface();
    const { signal, session } = context;
    const place = await findField(surface, input, signal);
    if (place) await focusPlace(surface, place, signal);
    const window = place ? place.window : await focusNamed(surface, readWindowQuery(input), signal);
    const node = place?.node;
    const focused = node ?? (await focusedElement(surface, signal));
    const subject = await subjectOf(surface, { node: focused, window }, signal);
    const settle = input.settle_ms ?? session.limits.settleMs;
    if (place && settle > 0) await calm(surface, subject, signal);
    const action = {
      surface,
      context,
      node,
      window,
      subject,
      expect: { focusCounts: false, pixelsCount: true, movingCounts: false },
      signature: `type ${input.text.length} ${focused?.runtimeId ?? subject.windowId}`,
      settleMs: settle,
    };
    const data = await runAction(action, async () => {
      await surface.need("keyboard").text(input.text, { delayMs: input.delay_ms, signal });
      return { method: "input", via: "keyboard" };
    });
    return { data: { ...data, characters: [...input.text].length } };
  },
});

export const pressKey = defineTool({
  name: "press_key",
  title: "Press a key",
  summary: 'Press a key or shortcut: "enter", "ctrl+s", "Control+A", ["ctrl", "s"], or key with modifiers.',
  set: "desktop",
  access: "act",
  needs: ["keyboard"],
  input: z.strictObject({
    key: z.union([z.string().min(1).max(100), z.array(z.string().min(1).max(40)).min(1).max(8)]),
    modifiers: z.array(z.string().min(1).max(20)).max(5).default([]).describe("ctrl, shift, alt, meta (cmd, win)"),
    ...windowFields,
    repeat: z.int().min(1).max(100).default(1),
    hold_ms: z.int().min(0).max(5_000).default(0).describe("How long to keep it down"),
    settle_ms: settleMs,
  }),
  output: actionResult.extend({ keys: z.array(z.string()) }),
  positional: ["key"],
  keys: "key",
  check: (input) => void parseChord(input),
  async run(input, context) {
    const surface = await context.surface();
    const { signal, session } = context;
    const chord = parseChord(input);
    const window = await focusNamed(surface, readWindowQuery(input), signal);
    const action = {
      surface,
      context,
      window,
      subject: await subjectOf(surface, window ? { window } : undefined, signal),
      expect: { focusCounts: true, pixelsCount: true, movingCounts: false },
      signature: `press ${chord.join("+")} ${input.repeat}`,
      settleMs: input.settle_ms ?? session.limits.settleMs,
    };
    const data = await runAction(action, async () => {
      for (let count = 0; count < input.repeat; count++) await surface.hands.press(chord, input.hold_ms, signal);
      await surface.inputTaken(signal);
      return { method: "input", via: "keyboard" };
    });
    return { data: { ...data, keys: [...chord] } };
  },
});

async function focusNamed(
  surface: Surface,
  query: ReturnType<typeof readWindowQuery>,
  signal: AbortSignal,
): Promise<WindowInfo | undefined> {
  if (isEmptyQuery(query)) return undefined;
  const window = chooseWindow(await surface.need("windows").list({ signal }), query);
  await surface.ensureFocus(window, signal);
  return window;
}

type FieldInput = Pick<
  z.infer<typeof typeText.input>,
  "uid" | "selector" | "into" | "within" | keyof typeof regionFields
> &
  z.infer<z.ZodObject<typeof windowFields>>;

function readField(input: FieldInput) {
  const region = readRegionTarget(input);
  const named = readElementTarget({ uid: input.uid, selector: input.selector, text: input.into });
  if (region !== undefined && named) {
    throw new ToolError("invalid_argument", "A region and an element are both given.", { hint: "Use exactly one." });
  }
  return { region, named };
}

/** What text is to go into; undefined when it goes where the cursor is. */
async function findField(surface: Surface, input: FieldInput, signal: AbortSignal): Promise<Place | undefined> {
  const { region, named } = readField(input);
  if (region !== undefined) return findRegion(surface, region, signal);
  if (!named) return undefined;
  const target = named.form === "text" ? { ...named, isField: true } : named;
  const within = { window: readWindowQuery(input), ref: input.within };
  return placeOf(surface, await findElement(surface, target, within, signal), signal);
}

const placeOf = (surface: Surface, node: UiNode, signal: AbortSignal): Promise<Place> =>
  needPlace(surface, { uid: surface.snapshots.refOf(node), clamp: false }, signal);

/** Gives a field the keyboard: natively where it can, by a click into it where it cannot. */
export async function focusField(surface: Surface, node: UiNode, signal: AbortSignal): Promise<void> {
  await focusPlace(surface, await placeOf(surface, node, signal), signal);
}

async function focusPlace(surface: Surface, place: Place, signal: AbortSignal): Promise<void> {
  if (place.window) await surface.ensureFocus(place.window, signal);
  if (place.node && (await focusNatively(surface, place.node, signal))) return;
  const where = await needAim(surface, place, signal);
  await focusAim(surface, where, signal);
  await surface.hands.click(where.point, { button: "left", clicks: 1, delayMs: 0, hold: [], signal });
  await surface.inputTaken(signal);
}

async function focusNatively(surface: Surface, node: UiNode, signal: AbortSignal): Promise<boolean> {
  const elements = surface.need("elements");
  const isFocused = async () =>
    (await elements.read([node.runtimeId], { signal }))[0]?.states.includes("focused") === true;
  if (await isFocused()) return true;
  if (!node.actions.includes("focus")) return false;
  try {
    await elements.perform(node.runtimeId, { name: "focus" }, { signal });
  } catch (error) {
    if (signal.aborted || !(error instanceof ToolError)) throw error;
  }
  return isFocused();
}

export async function focusedElement(surface: Surface, signal: AbortSignal): Promise<UiNode | undefined> {
  try {
    return await surface.backend.elements?.focused({ timeoutMs: evidenceMs, signal });
  } catch (error) {
    if (signal.aborted || !(error instanceof ToolError)) throw error;
    return undefined;
  }
}
