import { z } from "zod";
import { parseChord, writtenBy } from "../base/keys.ts";

/**
 * What an agent may ask for, in one flat object: some vendors' strict JSON schemas do not allow a union at the root.
 * Absent and null mean the same.
 */
export const actionSchema = z.object({
  action: z.enum(["click", "type", "key", "scroll", "drag", "wait", "noop", "done"]),
  /** A pixel of the last picture the model was shown, already converted from the model's own convention. */
  x: z.number().nullish(),
  y: z.number().nullish(),
  /** Where a drag ends. */
  to_x: z.number().nullish(),
  to_y: z.number().nullish(),
  to_ref: z.string().max(200).nullish(),
  to_target: z.string().max(1_000).nullish(),
  /** The number drawn beside something in the picture. */
  region: z.int().min(1).nullish(),
  /** A ref of the tree, e.g. "a12g3". */
  ref: z.string().max(200).nullish(),
  /** The visible name of the target. */
  target: z.string().max(1_000).nullish(),
  /** What to type. */
  text: z.string().max(100_000).nullish(),
  /** With a ref: replaces the field's value instead of adding to it. */
  replace: z.boolean().nullish(),
  /** A key or chord, e.g. "ctrl+s". */
  key: z.string().max(200).nullish(),
  button: z.enum(["left", "right", "middle"]).nullish(),
  count: z.int().min(1).max(3).nullish(),
  direction: z.enum(["up", "down", "left", "right"]).nullish(),
  amount: z.number().min(0).max(100).nullish(),
  /** The maximum time to wait; with `target`, until that text is seen. */
  ms: z.number().min(0).max(60_000).nullish(),
  done: z.boolean().nullish(),
  why: z.string().max(4_000).nullish(),
  confidence: z.number().min(0).max(1).nullish(),
});

export type AgentAction = z.output<typeof actionSchema>;

/** Whether it puts text somewhere: it types, or presses a key that writes a character. */
export function entersText({ action, text, key }: AgentAction): boolean {
  if (action === "type") return Boolean(text);
  if (action !== "key" || !key) return false;
  try {
    return writtenBy(parseChord({ key })) !== undefined;
  } catch {
    return true;
  }
}
