import { z } from "zod";
import { ToolError } from "../../base/errors.ts";
import type { Device } from "../../platform/devices.ts";
import type { Acted, Action } from "../../surface/engine/action.ts";
import { describeNode } from "../../surface/find-element.ts";
import type { Target } from "../../surface/target.ts";
import { toActionResult } from "../action.ts";
import { deviceResult, display, needDevice, screenTrouble, serial } from "./schema.ts";
import { elementFields, readRegionTarget, regionFields, settleMs, targetFields } from "../schema.ts";
import { defineTool, type Followed, type Tool } from "../tool.ts";
import { writesText } from "./writing-keys.ts";

const screenshot_id = targetFields.screenshot_id.describe(
  "The coordinates are pixels of this screenshot, not of the display",
);
const coordinate = z.number().min(-100_000).max(100_000);
const placeFields = {
  x: coordinate.optional(),
  y: coordinate.optional(),
  uid: elementFields.uid.describe("Instead of x and y, from android_snapshot"),
  ...regionFields,
  screenshot_id,
  display,
};

export const androidClick = defineTouch({
  name: "android_click",
  title: "Tap on the device",
  summary:
    "Tap a point of the display (x, y from android_find_text or a screenshot), or an element by uid. Says what changed.",
  input: z.strictObject({ ...placeFields, serial, settle_ms: settleMs }),
  output: deviceResult,
  positional: ["x", "y"],
  acts: (input) => ({ do: "tap", at: readPoint(input) }),
  says: (acted) => `Tapped ${wordsOf(acted)}`,
});

export const androidLongPress = defineTouch({
  name: "android_long_press",
  title: "Long-press on the device",
  summary: "Hold a finger on a point or element, to open a menu, select text or pick something up.",
  input: z.strictObject({
    ...placeFields,
    duration_ms: z.int().min(400).max(10_000).default(700),
    serial,
    settle_ms: settleMs,
  }),
  output: deviceResult,
  positional: ["x", "y"],
  acts: (input) => ({ do: "tap", at: readPoint(input), holdMs: input.duration_ms }),
  says: (acted) => `Held ${wordsOf(acted)}`,
});

export const androidSwipe = defineTouch({
  name: "android_swipe",
  title: "Swipe on the device",
  summary:
    "Move a finger from one point to another. To scroll down, swipe up; a longer duration stops the list where the finger stops.",
  input: z.strictObject({
    start_x: coordinate,
    start_y: coordinate,
    end_x: coordinate,
    end_y: coordinate,
    duration_ms: z.int().min(1).max(60_000).default(300),
    screenshot_id,
    display,
    serial,
    settle_ms: settleMs,
  }),
  output: deviceResult,
  positional: ["start_x", "start_y", "end_x", "end_y"],
  acts({ start_x, start_y, end_x, end_y, duration_ms: durationMs, screenshot_id: frame, display: on }) {
    const [from, to] = [pointOn({ x: start_x, y: start_y, frame, on }), pointOn({ x: end_x, y: end_y, frame, on })];
    return { do: "swipe", from, to, durationMs };
  },
  says: ({ aim, end }) => `Swiped from ${aim?.point.x},${aim?.point.y} to ${end?.x},${end?.y}`,
});

export const androidTypeText = defineTouch({
  name: "android_type_text",
  title: "Type on the device",
  summary:
    "Type text into the focused field, exactly as given; a line break presses Enter. Anything beyond ASCII needs a helper on " +
    "the device; without it nothing is typed and the error names the characters.",
  input: z.strictObject({ text: z.string().min(1).max(20_000), display, serial, settle_ms: settleMs }),
  output: deviceResult.extend({ characters: z.number() }),
  positional: ["text"],
  enters: ["text"],
  acts: ({ text, display: displayId }) => ({ do: "device keys", enter: { text }, displayId }),
  says: (_acted, { text }) => `Typed ${[...text].length} characters`,
  adds: ({ text }) => ({ characters: [...text].length }),
});

export const androidPressKey = defineTouch({
  name: "android_press_key",
  title: "Press a key on the device",
  summary:
    "Press a key: KEYCODE_HOME, KEYCODE_BACK, KEYCODE_ENTER, KEYCODE_APP_SWITCH, KEYCODE_WAKEUP, KEYCODE_VOLUME_UP, … (home and 3 mean " +
    "KEYCODE_HOME too).",
  input: z.strictObject({ key: z.string().min(1).max(60), display, serial, settle_ms: settleMs }),
  output: deviceResult.extend({ key: z.string() }),
  positional: ["key"],
  keys: "key",
  writes: writesText,
  acts: ({ key, display: displayId }) => ({ do: "device keys", enter: { key }, displayId }),
  says: (_acted, { key }, device) => `Pressed ${device.keyCode(key)}`,
  adds: ({ key }, device) => ({ key: device.keyCode(key) }),
});

type DeviceInput = z.ZodObject<{ serial: typeof serial; settle_ms: typeof settleMs }>;
type DeviceOutput = typeof deviceResult;

interface TouchTool<Input extends DeviceInput, Output extends DeviceOutput, Name extends string> extends Pick<
  Tool<Input, Output, Name>,
  "name" | "title" | "summary" | "input" | "output" | "positional" | "enters" | "keys" | "writes"
> {
  readonly acts: (input: z.infer<Input>) => Action;
  /** What was done, as a sentence without the full stop. */
  readonly says: (acted: Acted, input: z.infer<Input>, device: Device) => string;
  readonly adds?: (input: z.infer<Input>, device: Device) => Omit<z.input<Output>, keyof z.input<DeviceOutput>>;
}

/** A tool that touches a device. It acts like every other tool; only the wording of its answer is its own. */
function defineTouch<Input extends DeviceInput, Output extends DeviceOutput, Name extends string>({
  says,
  adds,
  ...tool
}: TouchTool<Input, Output, Name>): Tool<Followed<Input, Output>, Output, Name> {
  const { acts } = tool;
  return defineTool<Input, Output, Name, "android">({
    ...tool,
    set: "android",
    access: "act",
    needs: [],
    check: (input) => void acts(input),
    async run(input, context) {
      const { device, surface } = await needDevice(context, input.serial);
      const acted = await context.perform(acts(input), { settleMs: input.settle_ms, signal: context.signal });
      const data = toActionResult(acted, surface.id, context.stepId);
      // The usual reason why nothing happened.
      const trouble = acted.effect === "no_change" ? await screenTrouble(device, context) : undefined;
      const warning = [data.warning, trouble].filter((text) => text !== undefined).join(" ");
      const told = { message: `${says(acted, input, device)}.`, device: device.serial };
      const all = { ...data, ...(warning === "" ? {} : { warning }), ...told, ...adds?.(input, device) };
      return { data: all as z.input<Output> };
    },
  });
}

const wordsOf = ({ aim, node }: Acted): string => (node ? describeNode(node) : `(${aim?.point.x}, ${aim?.point.y})`);

type PointInput = z.infer<z.ZodObject<typeof placeFields>>;

/** The one target given. */
function readPoint(input: PointInput): Target {
  const { x, y, uid, screenshot_id: frame, display: on } = input;
  const region = readRegionTarget(input);
  const isPoint = x !== undefined || y !== undefined || frame !== undefined;
  if ([uid !== undefined, region !== undefined, isPoint].filter(Boolean).length > 1)
    throw new ToolError("invalid_argument", "Several targets are given: an element, a region or a point.", {
      hint: "Use uid, or region, or x and y.",
    });
  if (uid !== undefined) return { form: "element", ref: uid };
  if (region !== undefined) return { form: "region", region };
  if (x === undefined || y === undefined) {
    throw new ToolError("invalid_argument", "No target given.", { hint: "Give x and y, uid or region." });
  }
  return pointOn({ x, y, frame, on });
}

interface Given {
  readonly x: number;
  readonly y: number;
  readonly frame: string | undefined;
  readonly on: number | undefined;
}

function pointOn({ x, y, frame, on }: Given): Target {
  if (frame === undefined) {
    return { form: "display point", point: { x: Math.floor(x), y: Math.floor(y) }, displayId: on };
  }
  if (on === undefined) return { form: "frame pixel", frameId: frame, pixel: { x, y } };
  throw new ToolError("invalid_argument", "Both a screenshot and a display are given.", {
    hint: "Leave out the display: the screenshot is of one already.",
  });
}
