import { z } from "zod";
import { ToolError } from "../base/errors.ts";
import { parseChord } from "../base/keys.ts";
import { findByStableId, liveElement } from "../surface/find-element.ts";
import type { Surface } from "../surface/surface.ts";
import { axSetValue } from "./ax.ts";
import { orElse } from "./delivery.ts";
import { enterValue, takesTyping } from "./enter-value.ts";
import { pressKey, typeText } from "./keyboard.ts";
import { click, drag, scroll } from "./pointer.ts";
import {
  actionResult,
  elementFields,
  enteredText,
  readWindowQuery,
  regionFields,
  settleMs,
  windowFields,
} from "./schema.ts";
import { defineTool, type ToolContext } from "./tool.ts";
import { needRegionNode } from "./where.ts";

const actions = ["click", "set_value", "type", "key", "scroll", "drag"] as const;

const actInput = z.strictObject({
  action: z.enum(actions),
  uid: elementFields.uid,
  ...regionFields,
  stable_id: z.string().max(40).optional().describe("Instead of uid; survives snapshots and restarts"),
  ...windowFields,
  value: z
    .union([z.number(), z.string().max(100_000)])
    .optional()
    .describe("For set_value"),
  text: z.string().min(1).max(100_000).optional().describe("For type"),
  key: z.string().min(1).max(100).optional().describe("For key"),
  modifiers: z.array(z.string().max(20)).max(5).default([]).describe("For key: ctrl, shift, alt, cmd"),
  direction: z.enum(["up", "down", "left", "right"]).optional().describe("For scroll"),
  amount: z.int().min(1).max(100).default(3).describe("For scroll, in wheel notches"),
  to_uid: elementFields.uid.describe("For drag: where to"),
  to_region: regionFields.region,
  to_region_id: regionFields.region_id,
  to_stable_id: z.string().max(40).optional(),
  settle_ms: settleMs,
});

/** What each action adds to the common result, where it was that one. */
const actResult = actionResult.extend({
  bbox: axSetValue.output.shape.bbox.optional(),
  characters: typeText.output.shape.characters.optional(),
  keys: pressKey.output.shape.keys.optional(),
  notches: scroll.output.shape.notches.optional(),
  end: drag.output.shape.end.optional(),
});

export const act = defineTool({
  name: "act",
  title: "Act on an element",
  summary:
    "One verified action on an element: click, set_value, type, scroll, drag; or key for the app. Native first, input as a fallback; " +
    "answers with the element before and after and whether anything changed.",
  set: "desktop",
  access: "act",
  needs: ["elements", "windows"],
  input: actInput,
  output: actResult,
  positional: ["action", "uid"],
  secret: enteredText,
  keys: "key",
  check(input) {
    if (input.action === "key") return void parseChord({ ...input, key: needOf(input, "key") });
    readNames(input, namesOf(input), "");
    if (input.action === "drag") readNames(input, destinationOf(input), "to_");
    const field = fieldsOf[input.action];
    if (field) needOf(input, field);
  },
  async run(input, context) {
    const surface = await context.surface();
    const { settle_ms } = input;
    if (input.action === "key") {
      const key = needOf(input, "key");
      const { data } = await pressKey.run(
        pressKey.input.parse({ key, modifiers: input.modifiers, ...windowsOf(input), settle_ms }),
        context,
      );
      return { data };
    }
    const target = await targetOf(surface, input, readNames(input, namesOf(input), ""), context);
    switch (input.action) {
      case "click":
        return { data: (await click.run(click.input.parse({ ...target, settle_ms }), context)).data };
      case "set_value": {
        const value = needOf(input, "value");
        return { data: await setValue(context, await refOf(surface, target, context), value, settle_ms) };
      }
      case "type": {
        const text = needOf(input, "text");
        return { data: (await typeText.run(typeText.input.parse({ text, ...target, settle_ms }), context)).data };
      }
      case "scroll": {
        const direction = needOf(input, "direction");
        const { amount } = input;
        return {
          data: (await scroll.run(scroll.input.parse({ ...target, direction, amount, settle_ms }), context)).data,
        };
      }
      case "drag": {
        const to = await targetOf(surface, input, readNames(input, destinationOf(input), "to_"), context);
        const ends = { ...target, to_uid: to.uid, to_region: to.region, to_region_id: to.region_id };
        return { data: (await drag.run(drag.input.parse({ ...ends, settle_ms }), context)).data };
      }
    }
  },
});

/** Natively, or as a person types it. */
async function setValue(context: ToolContext, uid: string, value: string | number, settle: number | undefined) {
  const node = await liveElement(await context.surface(), uid, context.signal);
  const native = async () =>
    (await axSetValue.run(axSetValue.input.parse({ uid, value, settle_ms: settle }), context)).data;
  if (!takesTyping(node)) return native();
  return orElse<z.input<typeof actionResult>>(native, (reason) =>
    enterValue(context, { uid, value: String(value), settleMs: settle, reason }),
  );
}

type ActInput = z.infer<typeof actInput>;

const windowsOf = ({ window_id, window_title, app_name, pid }: ActInput) => ({
  window_id,
  window_title,
  app_name,
  pid,
});

type Names = { readonly [name in "uid" | "region_id" | "stableId"]: string | undefined } & {
  readonly region: number | undefined;
};

const namesOf = ({ uid, region, region_id, stable_id: stableId }: ActInput): Names => ({
  uid,
  region,
  region_id,
  stableId,
});

const destinationOf = (input: ActInput): Names => ({
  uid: input.to_uid,
  region: input.to_region,
  region_id: input.to_region_id,
  stableId: input.to_stable_id,
});

/** Exactly one name, or it is an error. */
function readNames(input: ActInput, names: Names, prefix: "" | "to_"): Names {
  const others = ["region", "region_id", "stable_id"].map((form) => prefix + form).join(", ");
  const given = Object.values(names).filter((name) => name !== undefined).length;
  if (given > 1) throw new ToolError("invalid_argument", `Give one of ${prefix}uid, ${others}.`);
  if (given === 0)
    throw new ToolError("invalid_argument", `${input.action} needs ${prefix}uid.`, { hint: `Or one of ${others}.` });
  return names;
}

/** What was named, as the other tools take it: a region stays one, for it may have no element. */
async function targetOf(
  surface: Surface,
  input: ActInput,
  { stableId, ...names }: Names,
  { signal }: ToolContext,
): Promise<Omit<Names, "stableId">> {
  if (stableId === undefined) return names;
  const node = await findByStableId(surface, stableId, { window: readWindowQuery(input) }, signal);
  return { ...names, uid: surface.snapshots.refOf(node) };
}

async function refOf(
  surface: Surface,
  { uid, region, region_id }: Omit<Names, "stableId">,
  { signal }: ToolContext,
): Promise<string> {
  if (uid !== undefined) return uid;
  return surface.snapshots.refOf(await needRegionNode(surface, region ?? region_id ?? "", signal));
}

/** What an action cannot do without. */
const fieldsOf: Partial<Readonly<Record<ActInput["action"], "value" | "text" | "direction">>> = {
  set_value: "value",
  type: "text",
  scroll: "direction",
};

function needOf<Field extends "key" | "value" | "text" | "direction">(
  input: ActInput,
  field: Field,
): NonNullable<ActInput[Field]> {
  const value = input[field];
  if (value !== undefined) return value;
  throw new ToolError("invalid_argument", `${input.action} needs ${field}.`);
}
