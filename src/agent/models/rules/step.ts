import type { Among } from "./items.ts";
import type { Target } from "./target.ts";

/** One thing to do, understood but not yet located. */
export type Step =
  | {
      readonly do: "click";
      readonly target: Target;
      readonly count: number;
      readonly button: "left" | "right";
      /** It is to be selected in the end, which it may be already. */
      readonly selects?: boolean;
      readonly among?: Among;
      /** What is to be gone afterwards. */
      readonly closes?: Target;
      /** It is only on the way to an entry of its menu. */
      readonly leads?: boolean;
    }
  /** A word that may name a key of the keyboard or something to click. */
  | {
      readonly do: "press";
      readonly word: string;
      readonly key: string;
      readonly target: Target;
      readonly isKey: boolean;
      readonly closes?: Target;
    }
  | { readonly do: "type"; readonly text: string; readonly into: Target | undefined; readonly replaces: boolean }
  | { readonly do: "clear"; readonly into: Target }
  | { readonly do: "check"; readonly target: Target; readonly on: boolean; readonly among?: Among }
  | { readonly do: "choose"; readonly option: Target; readonly from: Target }
  | { readonly do: "drag"; readonly target: Target; readonly onto: Target }
  | { readonly do: "wait"; readonly text: string; readonly ms: number | undefined }
  | { readonly do: "scroll"; readonly direction: "up" | "down" | "left" | "right"; readonly amount: number };

/** The part of a step that is not understood. */
export const problemIn = (step: Step): string | undefined =>
  targetsOf(step).find(({ problem }) => problem !== undefined)?.problem;

function targetsOf(step: Step): readonly Target[] {
  switch (step.do) {
    case "click":
    case "press":
      return step.closes ? [step.target, step.closes] : [step.target];
    case "check":
      return [step.target];
    case "type":
      return step.into ? [step.into] : [];
    case "clear":
      return [step.into];
    case "choose":
      return [step.option, step.from];
    case "drag":
      return [step.target, step.onto];
    case "wait":
    case "scroll":
      return [];
  }
}
