import type { Picture } from "../tools/session.ts";
import type { AgentAction } from "./action.ts";

export type { Picture };

/** What the model is shown in one turn. */
export interface Observation {
  /** Undefined when nothing can be captured, and for models that do not see. */
  readonly picture: Picture | undefined;
  /** The numbered regions and the short tree, as text, between the markers for untrusted text. */
  readonly outline: string;
  /** The current window or page, in one line. */
  readonly place: string;
}

/** One finished step, for the model's history. */
export interface PastStep {
  readonly observation: Observation;
  /** False once the picture of an old step was dropped. */
  readonly keepsPicture: boolean;
  readonly actions: readonly AgentAction[];
  /** The result of the actions: one line per effect, or the error. */
  readonly outcome: string;
  /** What the model must get back from its answer (vendor call ids, thinking signatures); opaque to the loop. */
  readonly memory: unknown;
}

export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedTokens: number;
}

export interface Turn {
  readonly goal: string;
  readonly observation: Observation;
  readonly history: readonly PastStep[];
  /** Why the last answer could not be used; set once, after a malformed answer. */
  readonly repair: { readonly answer: string; readonly problem: string } | undefined;
  readonly signal: AbortSignal;
}

export interface Decision {
  /** In order; usually one. Coordinates are pixels of `observation.picture`. */
  readonly actions: readonly AgentAction[];
  readonly usage: Usage;
  readonly memory: unknown;
  /** The request and the answer for the run folder, without image bytes and keys. */
  readonly prompt: unknown;
  readonly answer: unknown;
  /** What the vendor wants a person to confirm before the actions run. */
  readonly mustConfirm: readonly string[];
  /** A claim that the goal is reached counts only if the effect of the last action was seen. */
  readonly needsEffect?: boolean;
  /** The same words without texts to type, where the model knows which words those are. */
  readonly conceal?: (keeps: KeepsText) => ConcealedWords;
}

/** Whether a text that was to be typed was seen to show, and is no secret. */
export type KeepsText = (text: string) => boolean;

export interface ConcealedWords {
  readonly prompt: unknown;
  readonly answer: unknown;
  /** The reason of each action, in their order. */
  readonly reasons: readonly string[];
}

/** The largest picture that the vendor does not silently shrink. */
export interface PictureLimits {
  readonly maxSide: number;
  readonly maxPixels: number;
}

export interface VisionModel {
  /** As on the command line, e.g. "anthropic:claude-opus-5-5". */
  readonly name: string;
  /** If false, it is never sent a message with an image. */
  readonly sees: boolean;
  readonly limits: PictureLimits;
  next(turn: Turn): Promise<Decision>;
  /** The steps to a goal, if they can be known without looking; throws a Refusal for a goal it will not pursue. */
  plan?(goal: string): readonly string[];
  /** The goal without the texts that it says to type, where the model can tell them from the rest. */
  conceal?(goal: string, keeps: KeepsText): string;
  /** A question about one picture, answered in words. */
  describe?(picture: Picture, question: string, signal: AbortSignal): Promise<{ text: string; usage: Usage }>;
}

/** An unusable answer: the loop asks once more with the reason, then stops. */
export class MalformedAnswer extends Error {
  override readonly name = "MalformedAnswer";
  readonly answer: string;
  readonly usage: Usage;

  constructor(answer: string, problem: string, usage: Usage) {
    super(problem);
    this.answer = answer;
    this.usage = usage;
  }
}
