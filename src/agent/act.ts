import { ToolError } from "../base/errors.ts";
import { entersText, type AgentAction } from "./action.ts";
import type { Arguments, Called, Caller } from "../tools/caller.ts";
import { dragArguments } from "./drag.ts";
import { nothing, readEffect, type ActingTool, type Seen } from "./seen.ts";
import type { Shot } from "./look.ts";
import { appArguments, surfaceArguments, windowArguments, type Workplace } from "./workplace.ts";
import { Stop } from "./stop.ts";
import { wait } from "./wait.ts";

/** The outcome of one action. */
export interface Acted extends Seen {
  readonly action: AgentAction;
  readonly tool: string | undefined;
  readonly error: ToolError | undefined;
  readonly ms: number;
  /** It entered text that no file may show; undefined when it entered none. */
  readonly hidesText: boolean | undefined;
}

export interface ActOptions {
  readonly call: Caller;
  readonly place: Workplace;
  readonly shot: Shot | undefined;
  /** Use only native actions, which move neither the pointer nor the focus. */
  readonly isBackground: boolean;
  readonly signal: AbortSignal;
}

interface Request {
  readonly tool: ActingTool;
  readonly arguments: Arguments;
}

const notches = 3;

/** Performs one action through the tools. A refusal by a tool is reported to the model; a denial ends the run. */
export async function act(action: AgentAction, options: ActOptions): Promise<Acted> {
  needInPicture(action, options.shot);
  const started = performance.now();
  let hides = false;
  const ended = (tool: string | undefined, seen: Seen, error?: ToolError): Acted => ({
    ...seen,
    action,
    tool,
    error,
    ms: Math.round(performance.now() - started),
    hidesText: entersText(action) ? hides || error !== undefined : undefined,
  });
  let tool: string | undefined;
  try {
    if (action.action === "noop" || action.action === "done") return ended(undefined, nothing);
    if (action.action === "wait") return ended("wait", await wait(action, options));
    let seen: Seen = nothing;
    for (const request of await requestsFor(action, options)) {
      ({ tool } = request);
      const { data, hidesText } = await send(request, action, options);
      seen = readEffect(data);
      hides ||= hidesText;
    }
    return ended(tool, seen);
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    if (error.code === "out_of_bounds") throw new Stop("out_of_bounds", error.message);
    if (["denied", "cancelled", "internal"].includes(error.code)) throw error;
    return ended(tool, nothing, error);
  }
}

/** An element that is scrolled out of view has no point to aim at, so it is brought into view once. */
async function send(
  { tool, arguments: args }: Request,
  { ref }: AgentAction,
  { call, place }: ActOptions,
): Promise<Called<ActingTool>> {
  try {
    return await call(tool, args);
  } catch (error) {
    const isHidden = error instanceof ToolError && error.code === "not_dispatchable" && ref;
    if (!isHidden || args["delivery"] === "background") throw error;
    await bringIntoView(call, { ...surfaceArguments(place), uid: ref });
    return call(tool, args);
  }
}

/** GTK 3 cannot scroll to a row, but it shows the row that gets the focus, as the action to come would. */
async function bringIntoView(call: Caller, element: Arguments): Promise<void> {
  try {
    await call("ax_scroll", element);
  } catch (error) {
    if (!(error instanceof ToolError) || error.code !== "not_dispatchable") throw error;
    await call("ax_focus", element);
  }
}

/** A pixel outside the picture means that the model sees something other than we do. */
function needInPicture({ x, y, to_x, to_y }: AgentAction, shot: Shot | undefined): void {
  for (const [px, py] of [
    [x, y],
    [to_x, to_y],
  ]) {
    if (px === undefined || px === null || py === undefined || py === null) continue;
    if (!shot) throw new Stop("out_of_bounds", `The model points at ${px},${py}, but it was shown no picture.`);
    const { width, height } = shot.size;
    if (px >= 0 && py >= 0 && px < width && py < height) continue;
    throw new Stop(
      "out_of_bounds",
      `The model points at ${px},${py}, outside the picture of ${width}x${height} pixels.`,
    );
  }
}

async function requestsFor(action: AgentAction, options: ActOptions): Promise<readonly Request[]> {
  const { place, isBackground } = options;
  const where = targetOf(action, options);
  switch (action.action) {
    case "click":
      if (!where) throw incomplete(action, "a target");
      return [{ tool: "click", arguments: { ...where, ...pressing(action), ...(isBackground ? background : {}) } }];
    case "type":
      return typing(action, where, options);
    case "key":
      if (!action.key) throw incomplete(action, "key");
      return [{ tool: "press_key", arguments: { key: action.key, ...windowArguments(place) } }];
    case "scroll": {
      const amount = Math.max(1, Math.round(action.amount ?? notches));
      const over = where ?? middleOf(options);
      return [{ tool: "scroll", arguments: { ...over, direction: action.direction ?? "down", amount } }];
    }
    case "drag":
      return [{ tool: "drag", arguments: await dragArguments(action, options) }];
    default:
      return [];
  }
}

const background: Arguments = { delivery: "background" };

const pressing = ({ button, count }: AgentAction): Arguments => ({ button, clicks: count });

/** The action's target: a ref, a number, a pixel or a name, the most exact first. */
function targetOf({ ref, region, x, y, target }: AgentAction, { place, shot }: ActOptions): Arguments | undefined {
  const surface = surfaceArguments(place);
  if (ref) return { ...surface, uid: ref };
  if (region) return { ...surface, region };
  if (isNumber(x) && isNumber(y)) return { ...surface, screenshot_id: shot?.frameId, screenshot_x: x, screenshot_y: y };
  return target ? { ...appArguments(place), text: target } : undefined;
}

const isGiven = (value: number | null | undefined): boolean => value !== undefined && value !== null;

function typing(action: AgentAction, where: Arguments | undefined, options: ActOptions): readonly Request[] {
  const { text, ref } = action;
  const { place, isBackground } = options;
  if (!text) throw incomplete(action, "text");
  const surface = surfaceArguments(place);
  if (isBackground) {
    if (!ref) throw new ToolError("not_dispatchable", "Text can be entered in the background by ref only.");
    return [{ tool: "ax_set_value", arguments: { ...surface, uid: ref, text } }];
  }
  if (ref && action.replace) {
    return [{ tool: "act", arguments: { ...surface, action: "set_value", uid: ref, value: text, fallback: "type" } }];
  }
  if (ref) return [{ tool: "type_text", arguments: { ...surface, uid: ref, text } }];
  // A click on the name could also hit the label beside the field.
  if (action.target && !action.region && !isGiven(action.x)) {
    return [{ tool: "type_text", arguments: { ...windowArguments(place), into: action.target, text } }];
  }
  if (!where) return [{ tool: "type_text", arguments: { ...windowArguments(place), text } }];
  return [
    { tool: "click", arguments: where },
    { tool: "type_text", arguments: { ...surface, text } },
  ];
}

function middleOf({ place, shot }: ActOptions): Arguments {
  if (!shot) return surfaceArguments(place);
  const { width, height } = shot.size;
  const middle = { screenshot_x: Math.floor(width / 2), screenshot_y: Math.floor(height / 2) };
  return { ...surfaceArguments(place), screenshot_id: shot.frameId, ...middle };
}

const isNumber = (value: number | null | undefined): value is number => typeof value === "number";

const incomplete = ({ action }: AgentAction, what: string): ToolError =>
  new ToolError("invalid_argument", `The action ${action} needs ${what}.`);
