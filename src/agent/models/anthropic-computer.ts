import { z } from "zod";
import { actionSchema, type AgentAction } from "../action.ts";
import type { Usage } from "../model.ts";
import { lookAgain, notOffered } from "./wire.ts";

const pair = z.array(z.number()).length(2);
const inputs = z.object({
  action: z.string().optional(),
  coordinate: pair.nullish(),
  start_coordinate: pair.nullish(),
  text: z.string().nullish(),
  key: z.string().nullish(),
  // The loop accepts at most this many actions at once.
  repeat: z.int().min(1).max(20).nullish(),
  duration: z.number().min(0).nullish(),
  scroll_direction: z.enum(["up", "down", "left", "right"]).nullish(),
  scroll_amount: z.number().min(0).nullish(),
});

type Input = z.output<typeof inputs>;

const clicks: Readonly<Record<string, Partial<AgentAction>>> = {
  left_click: {},
  right_click: { button: "right" },
  middle_click: { button: "middle" },
  double_click: { count: 2 },
  triple_click: { count: 3 },
};

/**
 * One call of Anthropic's computer tool: the older form (one tool with an action field) or the newer (one tool per
 * action).
 */
export function toComputerActions(name: string, input: unknown, usage: Usage, why: string): readonly AgentAction[] {
  const call = { name, input };
  const parsed = inputs.safeParse(input ?? {});
  if (!parsed.success) throw notOffered(call, z.prettifyError(parsed.error), usage);
  const member = name === "computer" ? (parsed.data.action ?? "") : name;
  const found = actionsOf(member, parsed.data);
  if (typeof found === "string") throw notOffered(call, found, usage);
  const reason = why === "" ? {} : { why: why.slice(0, 4_000) };
  return found.map((action) => (action === lookAgain ? action : actionSchema.parse({ ...action, ...reason })));
}

/** The actions, or why there are none. */
function actionsOf(member: string, input: Input): readonly AgentAction[] | string {
  const [x, y] = input.coordinate ?? [];
  const click = clicks[member];
  if (click !== undefined) {
    if (x === undefined || y === undefined) return `${member} needs a coordinate here.`;
    if (input.text) return `Keys cannot be held during ${member} here; use act or press the key by itself.`;
    return [{ action: "click", x, y, ...click }];
  }
  switch (member) {
    case "screenshot":
      return [lookAgain];
    case "wait":
      return [{ action: "wait", ms: Math.min(60_000, (input.duration ?? 1) * 1_000) }];
    case "type":
      return input.text ? [{ action: "type", text: input.text }] : "type needs a text.";
    case "key": {
      const key = input.text ?? input.key;
      return key
        ? Array.from({ length: input.repeat ?? 1 }, () => ({ action: "key", key }) as const)
        : "key needs a text.";
    }
    case "scroll": {
      const direction = input.scroll_direction;
      if (!direction) return "scroll needs a scroll_direction.";
      const amount = Math.min(100, input.scroll_amount ?? 3);
      return [{ action: "scroll", direction, amount, ...(x === undefined ? {} : { x, y }) }];
    }
    case "left_click_drag": {
      const [fromX, fromY] = input.start_coordinate ?? [];
      if (x === undefined || fromX === undefined) return "left_click_drag needs start_coordinate and coordinate.";
      return [{ action: "drag", x: fromX, y: fromY, to_x: x, to_y: y }];
    }
    default:
      return `${member} is not offered here; use a click, type, key, scroll, left_click_drag, wait, or act.`;
  }
}
