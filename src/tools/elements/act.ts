import { z } from "zod";
import { ToolError } from "../../base/errors.ts";
import { parseChord } from "../../base/keys.ts";
import type { Action } from "../../surface/engine/action.ts";
import type { Target } from "../../surface/target.ts";
import { defineAction } from "../action.ts";
import { axSetValue, boxOf } from "./ax.ts";
import { pressKey, typeText } from "../desktop/keyboard.ts";
import { drag, scroll } from "../desktop/pointer.ts";
import { actionResult, elementFields, readWindowQuery, regionFields, settleMs, windowFields } from "../schema.ts";
import { inScope, needPlace } from "../targets.ts";

/** What an element can be asked for in its own way. */
const natives = ["focus", "select", "expand", "collapse", "scroll_into_view"] as const;
const actions = ["click", "set_value", "type", "key", "scroll", "drag", ...natives] as const;

const actInput = z.strictObject({
  action: z.enum(actions),
  uid: elementFields.uid,
  selector: elementFields.selector,
  ...regionFields,
  stable_id: z.string().max(40).optional().describe("Instead of uid; survives snapshots and restarts"),
  ...windowFields,
  value: z
    .union([z.number(), z.string().max(100_000)])
    .optional()
    .describe("For set_value"),
  fallback: z.enum(["type"]).optional().describe("For set_value: type what cannot be set natively"),
  text: z.string().min(1).max(100_000).optional().describe("For type"),
  key: z.string().min(1).max(100).optional().describe("For key"),
  modifiers: z.array(z.string().max(20)).max(5).default([]).describe("For key: ctrl, shift, alt, cmd"),
  direction: z.enum(["up", "down", "left", "right"]).optional().describe("For scroll"),
  amount: z.int().min(1).max(100).default(3).describe("For scroll, in wheel notches"),
  to_uid: elementFields.uid.describe("For drag: where to"),
  to_selector: elementFields.selector.describe("For drag: where to"),
  to_region: regionFields.region,
  to_region_id: regionFields.region_id,
  to_stable_id: z.string().max(40).optional(),
  settle_ms: settleMs,
});

/** What each action adds to the common result. */
const actResult = actionResult.extend({
  bbox: axSetValue.output.shape.bbox.optional(),
  characters: typeText.output.shape.characters.optional(),
  keys: pressKey.output.shape.keys.optional(),
  notches: scroll.output.shape.notches.optional(),
  end: drag.output.shape.end.optional(),
});

export const act = defineAction({
  name: "act",
  title: "Act on an element",
  summary:
    "One verified action on an element: click, set_value, type, scroll, drag, focus, select, expand, collapse, scroll_into_view; or key for the app. " +
    "Native first, then input; set_value types only with fallback; " +
    "answers with the element before and after and whether anything changed.",
  set: "desktop",
  needs: ["elements", "windows"],
  input: actInput,
  output: actResult,
  positional: ["action", "uid"],
  enters: ["text", "value"],
  keys: "key",
  acts: toAction,
  adds(input, acted) {
    switch (input.action) {
      case "click":
        return {};
      case "set_value":
        return acted.method === "ax" ? { bbox: boxOf(acted) } : {};
      case "type":
        return { characters: [...needOf(input, "text")].length };
      case "key":
        return { keys: [...chordOf(input)] };
      case "scroll":
        return { notches: notchesOf(input) };
      case "drag":
        return acted.end ? { end: { x: acted.end.x, y: acted.end.y } } : {};
      default:
        return {};
    }
  },
});

/** Does the same as the tool of that name by default. */
export function toAction(input: ActInput): Action {
  if (input.action === "key") {
    return { do: "press", window: readWindowQuery(input), chord: chordOf(input), repeat: 1, holdMs: 0 };
  }
  const at = targetOf(input, namesOf(input), "");
  switch (input.action) {
    case "click":
      return { do: "click", at, button: "left", clicks: 1, delayMs: 50, hold: [], delivery: "auto" };
    case "set_value":
      return { do: "set value", at, value: needOf(input, "value"), orType: input.fallback === "type" };
    case "type":
      return { do: "type", into: at, window: {}, text: needOf(input, "text"), delayMs: 0 };
    case "scroll":
      return { do: "scroll", at, notches: notchesOf(input), hold: [] };
    case "drag": {
      const to = targetOf(input, destinationOf(input), "to_");
      return { do: "drag", from: at, to, button: "left", steps: 10, stepMs: 16, hold: [] };
    }
    default:
      return { do: "native", at, action: { name: input.action } };
  }
}

const chordOf = (input: ActInput) => parseChord({ ...input, key: needOf(input, "key") });

function notchesOf(input: ActInput): { readonly x: number; readonly y: number } {
  const { amount } = input;
  const direction = needOf(input, "direction");
  const by = direction === "up" || direction === "left" ? -amount : amount;
  return direction === "up" || direction === "down" ? { x: 0, y: by } : { x: by, y: 0 };
}

type ActInput = z.infer<typeof actInput>;

type Names = { readonly [name in "uid" | "selector" | "region_id" | "stableId"]: string | undefined } & {
  readonly region: number | undefined;
};

const namesOf = ({ uid, selector, region, region_id, stable_id: stableId }: ActInput): Names => ({
  uid,
  selector,
  region,
  region_id,
  stableId,
});

const destinationOf = (input: ActInput): Names => ({
  uid: input.to_uid,
  selector: input.to_selector,
  region: input.to_region,
  region_id: input.to_region_id,
  stableId: input.to_stable_id,
});

/** Throws unless exactly one name is given. */
function readNames(input: ActInput, names: Names, prefix: "" | "to_"): Names {
  const others = ["selector", "region", "region_id", "stable_id"].map((form) => prefix + form).join(", ");
  const given = Object.values(names).filter((name) => name !== undefined).length;
  if (given > 1) throw new ToolError("invalid_argument", `Give one of ${prefix}uid, ${others}.`);
  if (given === 0)
    throw new ToolError("invalid_argument", `${input.action} needs ${prefix}uid.`, { hint: `Or one of ${others}.` });
  return names;
}

/** What was named, as a target. */
function targetOf(input: ActInput, names: Names, prefix: "" | "to_"): Target {
  const { uid, selector, region, region_id, stableId } = readNames(input, names, prefix);
  if (stableId !== undefined) return { form: "stable id", stableId, window: readWindowQuery(input) };
  return inScope(needPlace({ uid, selector, region, region_id }), input);
}

function needOf<Field extends "key" | "value" | "text" | "direction">(
  input: ActInput,
  field: Field,
): NonNullable<ActInput[Field]> {
  const value = input[field];
  if (value !== undefined) return value;
  throw new ToolError("invalid_argument", `${input.action} needs ${field}.`);
}
