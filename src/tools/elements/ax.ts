import { z } from "zod";
import { ToolError } from "../../base/errors.ts";
import type { Acted, Native, SetValue } from "../../surface/engine/action.ts";
import type { Target } from "../../surface/target.ts";
import { defineAction } from "../action.ts";
import { actionResult, readRegionTarget, regionFields, settleMs } from "../schema.ts";

const named = {
  uid: z.string().max(20).optional().describe("From the latest take_ax_snapshot or find_elements"),
  ...regionFields,
};
type Named = Partial<z.infer<z.ZodObject<typeof named>>>;

const axResult = actionResult.extend({
  bbox: z.object({ x: z.number(), y: z.number(), w: z.number(), h: z.number() }).nullable(),
});

/** The one element given. */
function readNamed(input: Named): Target {
  const { uid } = input;
  const region = readRegionTarget(input);
  if (uid !== undefined && region === undefined) return { form: "element", ref: uid };
  if (uid === undefined && region !== undefined) return { form: "region", region };
  throw new ToolError("invalid_argument", "Give uid, region or region_id, one of them.");
}

/** Where the element was when it was acted on. */
export function boxOf({ node }: Acted): z.input<typeof axResult>["bbox"] {
  const bounds = node?.bounds;
  return bounds ? { x: bounds.x, y: bounds.y, w: bounds.width, h: bounds.height } : null;
}

const nativeInput = z.strictObject({ ...named, settle_ms: settleMs });

const common = {
  set: "desktop",
  needs: ["elements"],
  output: axResult,
  positional: ["uid"],
  adds: (_input: unknown, acted: Acted) => ({ bbox: boxOf(acted) }),
} as const;

const toNative =
  (name: Exclude<Native["action"]["name"], "scroll_to">) =>
  (input: Named): Native => ({ do: "native", at: readNamed(input), action: { name } });

export const axClick = defineAction({
  ...common,
  name: "ax_click",
  title: "Press an element",
  summary: "Press an element by uid through its native action: the pointer and the focus stay where they are.",
  input: nativeInput,
  acts: toNative("press"),
});

export const axSetValue = defineAction({
  ...common,
  name: "ax_set_value",
  title: "Set a value",
  summary:
    "Write the value of a field, slider or spin button by uid. An assignment, not typing: no key events, no input method, an undo " +
    "step only in Qt. On not_dispatchable (nothing to write) click the fallback point and type_text.",
  idempotent: true,
  input: z.strictObject({
    ...named,
    text: z.string().max(100_000).optional(),
    value: z
      .union([z.number(), z.string().max(100_000), z.boolean()])
      .optional()
      .describe("A number for sliders, or instead of text"),
    settle_ms: settleMs,
  }),
  positional: ["uid", "text"],
  enters: ["text", "value"],
  acts: (input) => ({ do: "set value", value: readValue(input), at: readNamed(input), orType: false }),
});

function readValue({ text, value }: Partial<Record<"text" | "value", SetValue["value"] | undefined>>) {
  const given = value ?? text;
  if (given !== undefined && (value === undefined || text === undefined)) return given;
  throw new ToolError("invalid_argument", "Give text or value, one of them.");
}

export const axSelect = defineAction({
  ...common,
  name: "ax_select",
  title: "Select a row",
  summary:
    "Select the list, table or tree row that the element is or is in. Rows often refuse ax_click; use this for them.",
  idempotent: true,
  input: nativeInput,
  acts: toNative("select"),
});

export const axToggle = defineAction({
  ...common,
  name: "ax_toggle",
  title: "Toggle",
  summary: "Switch a check box, toggle button or switch by uid.",
  idempotent: false,
  input: nativeInput,
  acts: toNative("toggle"),
});

export const axFocus = defineAction({
  ...common,
  name: "ax_focus",
  title: "Focus an element",
  summary: "Give an element the keyboard focus natively, by uid.",
  idempotent: true,
  input: nativeInput,
  acts: toNative("focus"),
});

export const axExpand = defineAction({
  ...common,
  name: "ax_expand",
  title: "Expand or collapse",
  summary: "Open or close a tree item, menu, combo box or expander by uid, without the pointer.",
  idempotent: true,
  input: z.strictObject({ ...named, expanded: z.boolean().default(true), settle_ms: settleMs }),
  acts: (input) => toNative(input.expanded ? "expand" : "collapse")(input),
});

export const axScroll = defineAction({
  ...common,
  name: "ax_scroll",
  title: "Scroll natively",
  summary:
    "Bring an element into view by uid, or scroll the list or area it is or is in: to a percent, or by notches in a direction. " +
    "The pointer stays; where nothing scrolls natively use scroll.",
  input: z.strictObject({
    ...named,
    percent: z.number().min(0).max(100).optional().describe("0 is the beginning, 100 the end"),
    direction: z
      .enum(["up", "down", "left", "right"])
      .optional()
      .describe("With percent, left or right means horizontal"),
    amount: z.number().positive().max(100).default(3).describe("Notches of a wheel, with direction"),
    settle_ms: settleMs,
  }),
  acts(input) {
    const { percent, direction, amount } = input;
    if (percent === undefined && direction === undefined) return toNative("scroll_into_view")(input);
    const isHorizontal = direction === "left" || direction === "right";
    const notches = direction === "up" || direction === "left" ? -amount : amount;
    return { do: "native", at: readNamed(input), action: { name: "scroll_to", isHorizontal, percent, notches } };
  },
});
