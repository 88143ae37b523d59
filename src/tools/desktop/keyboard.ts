import { z } from "zod";
import { ToolError } from "../../base/errors.ts";
import { parseChord } from "../../base/keys.ts";
import type { Press, TypeText } from "../../surface/engine/action.ts";
import type { Target } from "../../surface/target.ts";
import { defineAction } from "../action.ts";
import {
  actionResult,
  elementFields,
  readElementTarget,
  readRegionTarget,
  readWindowQuery,
  regionFields,
  settleMs,
  windowFields,
  withinFields,
} from "../schema.ts";
import { inScope } from "../targets.ts";

const typeInput = z.strictObject({
  text: z.string().min(1).max(100_000),
  uid: elementFields.uid,
  selector: elementFields.selector,
  into: z.string().min(1).max(500).optional().describe("Accessible name of the field"),
  ...regionFields,
  ...windowFields,
  ...withinFields,
  delay_ms: z.int().min(0).max(1_000).default(0).describe("Pause after each character, for apps that lose fast input"),
  settle_ms: settleMs,
});

export const typeText = defineAction({
  name: "type_text",
  title: "Type text",
  summary:
    "Type text at the cursor, any language and emoji, or into the field named by uid, selector, into or region. " +
    "A window named here is focused first. A line break presses Enter.",
  set: "desktop",
  needs: ["keyboard"],
  input: typeInput,
  output: actionResult.extend({ characters: z.number() }),
  positional: ["text"],
  enters: ["text"],
  acts: toTyping,
  adds: ({ text }) => ({ characters: [...text].length }),
});

export function toTyping(input: z.infer<typeof typeInput>): TypeText {
  const { text, delay_ms: delayMs } = input;
  return { do: "type", into: readField(input), window: readWindowQuery(input), text, delayMs };
}

/** The field to type into; undefined to type at the cursor. */
function readField(input: z.infer<typeof typeInput>): Target | undefined {
  const region = readRegionTarget(input);
  const named = readElementTarget({ uid: input.uid, selector: input.selector, text: input.into });
  if (region !== undefined && named) {
    throw new ToolError("invalid_argument", "A region and an element are both given.", { hint: "Use exactly one." });
  }
  if (region !== undefined) return inScope({ form: "region", region }, input);
  return named && inScope(named.form === "text" ? { ...named, isField: true } : named, input);
}

const pressInput = z.strictObject({
  key: z.union([z.string().min(1).max(100), z.array(z.string().min(1).max(40)).min(1).max(8)]),
  modifiers: z.array(z.string().min(1).max(20)).max(5).default([]).describe("ctrl, shift, alt, meta (cmd, win)"),
  ...windowFields,
  repeat: z.int().min(1).max(100).default(1),
  hold_ms: z.int().min(0).max(5_000).default(0).describe("How long to keep it down"),
  settle_ms: settleMs,
});

export const pressKey = defineAction({
  name: "press_key",
  title: "Press a key",
  summary: 'Press a key or shortcut: "enter", "ctrl+s", "Control+A", ["ctrl", "s"], or key with modifiers.',
  set: "desktop",
  needs: ["keyboard"],
  input: pressInput,
  output: actionResult.extend({ keys: z.array(z.string()) }),
  positional: ["key"],
  keys: "key",
  acts: toPress,
  adds: (input) => ({ keys: [...parseChord(input)] }),
});

export function toPress(input: z.infer<typeof pressInput>): Press {
  const { repeat, hold_ms: holdMs } = input;
  return { do: "press", window: readWindowQuery(input), chord: parseChord(input), repeat, holdMs };
}
