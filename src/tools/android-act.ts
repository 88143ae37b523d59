import { z } from "zod";
import { ToolError } from "../base/errors.ts";
import { imagePoint, screenPoint } from "../base/geometry.ts";
import type { UiNode } from "../base/node.ts";
import type { Device } from "../platform/devices.ts";
import { describeNode, liveElement, pointOf } from "../surface/find-element.ts";
import type { Expectation } from "../surface/judge.ts";
import type { Subject } from "../surface/state.ts";
import type { Surface } from "../surface/surface.ts";
import { aim, type Aim } from "../surface/target.ts";
import { insideScreen } from "../surface/view.ts";
import { runAction } from "./action.ts";
import { deviceResult, display, needDevice, screenTrouble, serial } from "./android-schema.ts";
import { focusedElement } from "./keyboard.ts";
import { clickExpectation } from "./pointer.ts";
import { elementFields, enteredText, readRegionTarget, regionFields, settleMs, targetFields } from "./schema.ts";
import { defineTool, type ToolContext } from "./tool.ts";
import { findRegion, nodeAt, windowAt } from "./where.ts";

const screenshot_id = targetFields.screenshot_id.describe(
  "The numbers are pixels of this screenshot, not of the display",
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

const drawn: Expectation = { focusCounts: true, pixelsCount: true, movingCounts: false };

export const androidClick = defineTool({
  name: "android_click",
  title: "Tap on the device",
  summary:
    "Tap a point of the display (x, y from android_find_text or a screenshot), or an element by uid. Says what changed.",
  set: "android",
  access: "act",
  needs: [],
  input: z.strictObject({ ...placeFields, serial, settle_ms: settleMs }),
  output: deviceResult,
  positional: ["x", "y"],
  check: checkPoint,
  async run(input, context) {
    const { device, surface } = await needDevice(context, input.serial);
    const place = await findPoint(device, surface, input, context.signal);
    const subject = await subjectAt(device, surface, place, input.settle_ms, context.signal);
    return act(
      { device, surface, context, ...place, subject, signature: `tap ${place.aim.point.x},${place.aim.point.y}` },
      { settle: input.settle_ms, words: `Tapped ${wordsOf(place)}`, expect: clickExpectation(subject.node) },
      () => device.tap(place.aim.point, { signal: context.signal }),
    );
  },
});

export const androidLongPress = defineTool({
  name: "android_long_press",
  title: "Press long on the device",
  summary: "Hold a finger on a point or element, to open a menu, select text or pick something up.",
  set: "android",
  access: "act",
  needs: [],
  input: z.strictObject({
    ...placeFields,
    duration_ms: z.int().min(400).max(10_000).default(700),
    serial,
    settle_ms: settleMs,
  }),
  output: deviceResult,
  positional: ["x", "y"],
  check: checkPoint,
  async run(input, context) {
    const { device, surface } = await needDevice(context, input.serial);
    const { signal } = context;
    const place = await findPoint(device, surface, input, signal);
    const { point } = place.aim;
    const subject = await subjectAt(device, surface, place, input.settle_ms, signal);
    return act(
      { device, surface, context, ...place, subject, signature: `hold ${point.x},${point.y}` },
      { settle: input.settle_ms, words: `Held ${wordsOf(place)}`, expect: clickExpectation(subject.node) },
      () => device.swipe(point, point, { durationMs: input.duration_ms, signal }),
    );
  },
});

export const androidSwipe = defineTool({
  name: "android_swipe",
  title: "Swipe on the device",
  summary:
    "Move a finger from one point to another. To scroll down, swipe up; a longer duration stops the list where the finger stops.",
  set: "android",
  access: "act",
  needs: [],
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
  check: (input) => void readSwipe(input),
  async run(input, context) {
    const { device, surface } = await needDevice(context, input.serial);
    const { signal } = context;
    const [start, end] = readSwipe(input);
    const { aim: from, display: shown } = await aimAt(device, surface, start, signal);
    const { aim: to } = await aimAt(device, surface, end, signal);
    const ends = `${from.point.x},${from.point.y} to ${to.point.x},${to.point.y}`;
    return act(
      { device, surface, context, aim: from, subject: screenOf(shown), signature: `swipe ${ends}` },
      { settle: input.settle_ms, words: `Swiped from ${ends}`, expect: { ...drawn, movingCounts: true } },
      () => device.swipe(from.point, to.point, { durationMs: input.duration_ms, signal }),
    );
  },
});

export const androidTypeText = defineTool({
  name: "android_type_text",
  title: "Type on the device",
  summary:
    "Type text into the focused field, exactly as given; a line break presses Enter. Other than plain ASCII needs a helper on " +
    "the device; without it nothing is typed and the characters are named.",
  set: "android",
  access: "act",
  needs: [],
  input: z.strictObject({ text: z.string().min(1).max(20_000), display, serial, settle_ms: settleMs }),
  output: deviceResult.extend({ characters: z.number() }),
  positional: ["text"],
  secret: [...enteredText, "node_before", "node_after"],
  async run(input, context) {
    const { device, surface } = await needDevice(context, input.serial);
    const { signal } = context;
    const isRead = device.readsElementsQuickly && (input.display ?? 0) === 0 && input.settle_ms !== 0;
    const node = isRead ? await focusedElement(surface, signal) : undefined;
    const characters = [...input.text].length;
    const { data } = await act(
      {
        device,
        surface,
        context,
        node,
        subject: { ...screenOf(input.display), node },
        signature: `type ${characters}`,
      },
      { settle: input.settle_ms, words: `Typed ${characters} characters`, expect: { ...drawn, focusCounts: false } },
      () => device.type(input.text, { display: input.display, signal }),
    );
    return { data: { ...data, characters } };
  },
});

export const androidPressKey = defineTool({
  name: "android_press_key",
  title: "Press a key of the device",
  summary:
    "Press a key: KEYCODE_HOME, KEYCODE_BACK, KEYCODE_ENTER, KEYCODE_APP_SWITCH, KEYCODE_WAKEUP, KEYCODE_VOLUME_UP, … (home and 3 mean " +
    "KEYCODE_HOME too).",
  set: "android",
  access: "act",
  needs: [],
  input: z.strictObject({ key: z.string().min(1).max(60), display, serial, settle_ms: settleMs }),
  output: deviceResult.extend({ key: z.string() }),
  positional: ["key"],
  async run(input, context) {
    const { device, surface } = await needDevice(context, input.serial);
    const key = device.keyCode(input.key);
    const { data } = await act(
      { device, surface, context, subject: screenOf(input.display), signature: `key ${key}` },
      { settle: input.settle_ms, words: `Pressed ${key}`, expect: drawn },
      () => device.press(key, { display: input.display, signal: context.signal }),
    );
    return { data: { ...data, key } };
  },
});

interface DeviceAction {
  readonly device: Device;
  readonly surface: Surface;
  readonly context: ToolContext;
  readonly aim?: Aim | undefined;
  readonly node?: UiNode | undefined;
  readonly subject: Subject;
  readonly signature: string;
}

interface Manner {
  readonly settle: number | undefined;
  readonly words: string;
  readonly expect: Expectation;
}

async function act(action: DeviceAction, { settle, words, expect }: Manner, dispatch: () => Promise<string>) {
  const { device, context } = action;
  const { signal, session } = context;
  const data = await runAction({ ...action, expect, settleMs: settle ?? session.limits.settleMs }, async () => ({
    method: "adb",
    via: await dispatch(),
  }));
  // The usual reason why nothing happens.
  const trouble = data.effect === "no_change" ? await screenTrouble(device, { signal }) : undefined;
  const warning = [data.warning, trouble].filter((text) => text !== undefined).join(" ");
  return { data: { ...data, ...(warning === "" ? {} : { warning }), message: `${words}.`, device: device.serial } };
}

/** A display shows one app at a time, as large as it is. */
const screenOf = (id = 0): Subject => ({ pid: id + 1, windowId: id + 1, node: undefined });

interface Place {
  readonly aim: Aim;
  readonly node?: UiNode | undefined;
  readonly display?: number | undefined;
}

const wordsOf = ({ aim: { point }, node }: Place): string => (node ? describeNode(node) : `(${point.x}, ${point.y})`);

type PointInput = z.infer<z.ZodObject<typeof placeFields>>;

/** The one target that is given. */
function readPoint(input: PointInput) {
  const { x, y, uid, screenshot_id: frame, display: on } = input;
  const region = readRegionTarget(input);
  const isPoint = x !== undefined || y !== undefined || frame !== undefined;
  if ([uid !== undefined, region !== undefined, isPoint].filter(Boolean).length > 1)
    throw new ToolError("invalid_argument", "Several targets are given: an element, a region or a point.", {
      hint: "Use uid, or region, or x and y.",
    });
  if (uid !== undefined) return { uid };
  if (region !== undefined) return { region };
  if (x === undefined || y === undefined) {
    throw new ToolError("invalid_argument", "No target given.", { hint: "Give x and y, uid or region." });
  }
  return { given: readGiven({ x, y, frame, on }) };
}

function checkPoint(input: PointInput): void {
  readPoint(input);
}

async function findPoint(device: Device, surface: Surface, input: PointInput, signal: AbortSignal): Promise<Place> {
  const { uid, region, given } = readPoint(input);
  if (uid !== undefined) return onNode(await liveElement(surface, uid, signal));
  if (region !== undefined) {
    const { node, aim: seen, window } = await findRegion(surface, region, signal);
    return seen ? { aim: seen, display: window && window.id - 1 } : onNode(node);
  }
  return aimAt(device, surface, given, signal);
}

function onNode(node: UiNode | undefined): Place {
  const point = node && pointOf(node);
  if (point) return { aim: { form: "element", point }, node };
  throw new ToolError("not_dispatchable", `${node ? describeNode(node) : "The region"} is not on the screen.`);
}

interface Given {
  readonly x: number;
  readonly y: number;
  readonly frame: string | undefined;
  readonly on: number | undefined;
}

interface SwipeInput extends Readonly<Record<"start_x" | "start_y" | "end_x" | "end_y", number>> {
  readonly screenshot_id?: string | undefined;
  readonly display?: number | undefined;
}

function readSwipe({ start_x, start_y, end_x, end_y, screenshot_id: frame, display: on }: SwipeInput) {
  return [readGiven({ x: start_x, y: start_y, frame, on }), readGiven({ x: end_x, y: end_y, frame, on })] as const;
}

function readGiven(given: Given): Given {
  if (given.frame === undefined || given.on === undefined) return given;
  throw new ToolError("invalid_argument", "Both a screenshot and a display are given.", {
    hint: "A screenshot knows which display it is of.",
  });
}

/** Whether a point of the display is on it is looked at by the device when it acts: it may be turned until then. */
async function aimAt(
  device: Device,
  surface: Surface,
  { x, y, frame, on }: Given,
  signal: AbortSignal,
): Promise<Place> {
  const point = screenPoint(Math.floor(x), Math.floor(y));
  if (frame !== undefined) {
    const { source } = surface.frames.get(frame);
    const target = { form: "frame pixel", frameId: frame, pixel: imagePoint(x, y) } as const;
    const display = source.kind === "display" ? source.displayId : undefined;
    return { aim: await aim(surface, target, { clamp: false, signal }), display };
  }
  if (on === undefined || on === 0) return { aim: { form: "screen point", point } };
  const { x: left, y: top, width, height } = await device.display({ display: on, signal });
  const inside = insideScreen({ x: 0, y: 0, width, height }, point, false);
  return { aim: { form: "screen point", point: screenPoint(left + inside.x, top + inside.y) }, display: on };
}

/** With the element there, where finding out is quick and somebody wants to know what became of it. */
async function subjectAt(
  device: Device,
  surface: Surface,
  place: Place,
  settle: number | undefined,
  signal: AbortSignal,
): Promise<Subject> {
  const whole = screenOf(place.display);
  const { node: own } = place;
  if (own) return { pid: own.pid ?? whole.pid, windowId: own.windowId ?? whole.windowId, node: own };
  if (!device.readsElementsQuickly || settle === 0) return whole;
  const { point } = place.aim;
  const [window, node] = await Promise.all([
    windowAt(surface, point, signal),
    nodeAt(surface, point, whole.pid, signal),
  ]);
  return { pid: window?.pid, windowId: window?.id, node };
}
