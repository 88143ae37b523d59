import { z } from "zod";
import { actionSchema, type AgentAction } from "../action.ts";
import type { Usage } from "../model.ts";
import { lookAgain, notOffered, toNotches } from "./wire.ts";

const inputs = z
  .object({
    x: z.number(),
    y: z.number(),
    start_x: z.number(),
    start_y: z.number(),
    end_x: z.number(),
    end_y: z.number(),
    destination_x: z.number(),
    destination_y: z.number(),
    text: z.string(),
    press_enter: z.boolean(),
    clear_before_typing: z.boolean(),
    key: z.string(),
    keys: z.union([z.string(), z.array(z.string())]),
    seconds: z.number().min(0),
    direction: z.enum(["up", "down", "left", "right"]),
    magnitude: z.number(),
    magnitude_in_pixels: z.number(),
    intent: z.string(),
  })
  .partial();

type Input = z.output<typeof inputs>;

const clicks: Readonly<Record<string, Partial<AgentAction>>> = {
  click: {},
  click_at: {},
  double_click: { count: 2 },
  triple_click: { count: 3 },
  middle_click: { button: "middle" },
  right_click: { button: "right" },
};

/** One call of a predefined function, from Gemini 3.5 or 2.5; coordinates stay on the grid. */
export function toGeminiActions(name: string, args: unknown, usage: Usage): readonly AgentAction[] {
  const call = { name, args };
  const parsed = inputs.safeParse(args);
  if (!parsed.success) throw notOffered(call, z.prettifyError(parsed.error), usage);
  const found = actionsOf(name, parsed.data);
  if (typeof found === "string") throw notOffered(call, found, usage);
  const { intent } = parsed.data;
  const reason = intent ? { why: intent.slice(0, 4_000) } : {};
  return found.map((action) => (action === lookAgain ? action : actionSchema.parse({ ...action, ...reason })));
}

/** The actions, or why there are none. */
function actionsOf(name: string, input: Input): readonly AgentAction[] | string {
  const { x, y, text, direction } = input;
  const click = clicks[name];
  if (click !== undefined) {
    return x === undefined || y === undefined ? `${name} needs x and y.` : [{ action: "click", x, y, ...click }];
  }
  const enter: readonly AgentAction[] = [{ action: "key", key: "enter" }];
  switch (name) {
    case "take_screenshot":
      return [lookAgain];
    case "wait":
      return [{ action: "wait", ms: Math.min(60, input.seconds ?? 1) * 1_000 }];
    case "wait_5_seconds":
      return [{ action: "wait", ms: 5_000 }];
    case "type":
      return text === undefined
        ? "type needs a text."
        : [{ action: "type", text }, ...(input.press_enter ? enter : [])];
    case "type_text_at":
      if (x === undefined || y === undefined || text === undefined) return "type_text_at needs x, y and text.";
      return [
        { action: "click", x, y },
        // Both default to true, according to the table of functions.
        ...(input.clear_before_typing === false ? [] : [{ action: "key", key: "ctrl+a" } as const]),
        { action: "type", text },
        ...(input.press_enter === false ? [] : enter),
      ];
    case "press_key":
    case "hotkey":
    case "key_combination": {
      const keys = input.keys ?? input.key;
      return keys === undefined ? `${name} needs keys.` : [{ action: "key", key: [keys].flat().join("+") }];
    }
    case "drag_and_drop": {
      const [from, to] = [
        { x: input.start_x ?? x, y: input.start_y ?? y },
        { x: input.end_x ?? input.destination_x, y: input.end_y ?? input.destination_y },
      ];
      if ([from.x, from.y, to.x, to.y].includes(undefined)) return "drag_and_drop needs a start and an end.";
      return [{ action: "drag", x: from.x, y: from.y, to_x: to.x, to_y: to.y }];
    }
    case "scroll":
    case "scroll_at":
    case "scroll_document":
      if (direction === undefined) return `${name} needs a direction.`;
      return [
        {
          action: "scroll",
          direction,
          amount: toNotches(input.magnitude_in_pixels ?? input.magnitude ?? (name === "scroll" ? 300 : 800)),
          ...(x === undefined || y === undefined ? {} : { x, y }),
        },
      ];
    default:
      return `${name} is not offered here; use click, type, press_key, hotkey, scroll, drag_and_drop, wait, or act.`;
  }
}
