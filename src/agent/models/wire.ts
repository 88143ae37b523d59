import { ToolError } from "../../base/errors.ts";
import type { Size } from "../../base/geometry.ts";
import { fromGrid } from "../../surface/view.ts";
import type { AgentAction } from "../action.ts";
import { MalformedAnswer, type Usage } from "../model.ts";
import type { ModelFacts } from "./facts.ts";
import type { Endpoint } from "./http.ts";

/** Options common to all vendor APIs. */
export interface WireOptions {
  readonly name: string;
  readonly model: string;
  readonly facts: ModelFacts;
  readonly endpoint: Endpoint;
  /** The operating system of the desktop. */
  readonly system?: string | undefined;
}

// Enough for a reason and an action; a model that thinks aloud is cut off before it costs much.
export const longestAnswerTokens = 4_096;

/** Converts the model's coordinates to whole pixels of the picture it was shown. */
export function toPixels(action: AgentAction, { coordinates }: ModelFacts, picture: Size | undefined): AgentAction {
  if (picture === undefined) return action;
  const at = (x: number, y: number) =>
    coordinates === "grid" ? fromGrid(picture, { x, y }) : { x: Math.floor(x), y: Math.floor(y) };
  const { x, y, to_x, to_y } = action;
  const from = typeof x === "number" && typeof y === "number" ? at(x, y) : undefined;
  const to = typeof to_x === "number" && typeof to_y === "number" ? at(to_x, to_y) : undefined;
  return { ...action, ...from, ...(to && { to_x: to.x, to_y: to.y }) };
}

export const refused = (who: string, why: string): ToolError =>
  new ToolError("denied", `The model of ${who} refused: ${why}`, {
    hint: "Rephrase the goal, or use another model.",
  });

export const cutOff = (answer: string, usage: Usage): MalformedAnswer =>
  new MalformedAnswer(answer, "The answer was too long and was cut off. Answer in fewer words.", usage);

export const notThisWire = (who: string, wire: string): ToolError =>
  new ToolError("not_connected", `${who} answered, but not in the format of ${wire}.`, {
    hint: "Check the address of the model (modelUrl), and which kind of server it is.",
  });

/** A call of a vendor's tool that our vocabulary cannot express; the reason is sent back to the model. */
export const notOffered = (call: unknown, why: string, usage: Usage): MalformedAnswer =>
  new MalformedAnswer(JSON.stringify(call), why, usage);

/**
 * An answer in words where a call was requested. Accepting it as the end would mean believing it without evidence.
 */
export const noCall = (text: string, usage: Usage): MalformedAnswer =>
  new MalformedAnswer(
    text,
    'The answer calls no tool. If the goal is reached, call act with {"action":"done"} and the evidence in why; else act.',
    usage,
  );

// As in the scroll tool: in most toolkits one notch scrolls about three lines of text.
const pixelsPerNotch = 50;

export const toNotches = (pixels: number): number =>
  Math.min(100, Math.max(1, Math.round(Math.abs(pixels) / pixelsPerNotch)));

/** The model gets a new picture after every step, so a request for one needs only a moment. */
export const lookAgain: AgentAction = { action: "wait", ms: 200 };

/** A picture requested beside real actions comes anyway. */
export function withoutNeedlessLooks(actions: readonly AgentAction[]): readonly AgentAction[] {
  const acting = actions.filter((action) => action !== lookAgain);
  return acting.length > 0 ? acting : actions.slice(0, 1);
}
