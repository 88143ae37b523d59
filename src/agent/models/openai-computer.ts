import { z } from "zod";
import { actionSchema, type AgentAction } from "../action.ts";
import type { Usage } from "../model.ts";
import { lookAgain, notOffered, toNotches } from "./wire.ts";

const point = z.object({ x: z.number(), y: z.number() });
const held = { keys: z.array(z.string()).nullish() };
const action = z.discriminatedUnion("type", [
  z.object({ type: z.literal("click"), ...point.shape, button: z.string().default("left"), ...held }),
  z.object({ type: z.literal("double_click"), ...point.shape, ...held }),
  z.object({ type: z.literal("drag"), path: z.array(point).min(2), ...held }),
  z.object({ type: z.literal("keypress"), keys: z.array(z.string()).min(1) }),
  z.object({ type: z.literal("move"), ...point.shape, ...held }),
  z.object({ type: z.literal("screenshot") }),
  z.object({ type: z.literal("scroll"), ...point.shape, scroll_x: z.number(), scroll_y: z.number(), ...held }),
  z.object({ type: z.literal("type"), text: z.string() }),
  z.object({ type: z.literal("wait") }),
]);

type Action = z.output<typeof action>;

const check = z.object({ id: z.string(), code: z.string().nullish(), message: z.string().nullish() });

/** `actions` from the newer tool, `action` from the preview. */
export const computerCall = z.object({
  type: z.literal("computer_call"),
  call_id: z.string(),
  pending_safety_checks: z.array(check).default([]),
  action: z.unknown().optional(),
  actions: z.array(z.unknown()).nullish(),
});

export const safetyChecks = (item: unknown): readonly z.output<typeof check>[] =>
  computerCall.safeParse(item).data?.pending_safety_checks ?? [];

export function toOpenAiActions(
  call: z.output<typeof computerCall>,
  usage: Usage,
  why: string,
): readonly AgentAction[] {
  const reason = why === "" ? {} : { why: why.slice(0, 4_000) };
  return (call.actions ?? [call.action]).flatMap((one) => {
    const parsed = action.safeParse(one);
    if (!parsed.success) throw notOffered(one, z.prettifyError(parsed.error), usage);
    const found = actionsOf(parsed.data);
    if (typeof found === "string") throw notOffered(one, found, usage);
    return found.map((each) => (each === lookAgain ? each : actionSchema.parse({ ...each, ...reason })));
  });
}

const buttons: Readonly<Record<string, "left" | "right" | "middle">> = {
  left: "left",
  right: "right",
  wheel: "middle",
};

/** The actions, or why there are none. */
function actionsOf(one: Action): readonly AgentAction[] | string {
  if (one.type !== "keypress" && "keys" in one && one.keys && one.keys.length > 0) {
    return `Keys cannot be held during ${one.type} here.`;
  }
  switch (one.type) {
    case "click": {
      const button = buttons[one.button];
      if (button === undefined) return `There is no button "${one.button}" here; press alt+left or alt+right instead.`;
      return [{ action: "click", x: one.x, y: one.y, button }];
    }
    case "double_click":
      return [{ action: "click", x: one.x, y: one.y, count: 2 }];
    case "drag": {
      const [from, to] = [one.path[0], one.path.at(-1)];
      return [{ action: "drag", x: from?.x, y: from?.y, to_x: to?.x, to_y: to?.y }];
    }
    case "keypress":
      return [{ action: "key", key: one.keys.join("+") }];
    case "move":
      return "The pointer cannot be moved without a click here.";
    case "screenshot":
      return [lookAgain];
    case "wait":
      return [{ action: "wait", ms: 2_000 }];
    case "type":
      return [{ action: "type", text: one.text }];
    case "scroll":
      return scrolls(one);
  }
}

function scrolls({ x, y, scroll_x, scroll_y }: Extract<Action, { type: "scroll" }>): readonly AgentAction[] | string {
  const found: AgentAction[] = [];
  if (scroll_y !== 0) {
    found.push({ action: "scroll", x, y, direction: scroll_y > 0 ? "down" : "up", amount: toNotches(scroll_y) });
  }
  if (scroll_x !== 0) {
    found.push({ action: "scroll", x, y, direction: scroll_x > 0 ? "right" : "left", amount: toNotches(scroll_x) });
  }
  return found.length > 0 ? found : "scroll needs a distance.";
}
