import { ToolError } from "../base/errors.ts";
import type { Caller } from "../tools/caller.ts";
import type { StepsDone } from "../tools/session.ts";
import { readStepTarget, type Step, type StepTarget } from "../tools/steps.ts";
import type { Outcome } from "./perform-step.ts";

type Result = StepsDone["result"];
type Ran = Result["steps"][number];
/** Why a step does not count as done. */
export type Reason = Omit<NonNullable<Result["stopped"]>, "step">;

/** A step says itself where it acts, or its target does. */
export function surfaceOf(step: Step): string | undefined {
  if (step.surface !== undefined) return step.surface;
  const targets = [step.with, ...(typeof step.with === "object" ? Object.values(step.with) : [])];
  const named = targets.find((each) => typeof each === "object" && each !== null && "surface" in each);
  return named === undefined ? undefined : readStepTarget(named as StepTarget).surface;
}

/** Why a step that was done does not count as done. */
export function problemOf({ acted, mayChangeNothing = false }: Outcome, strict: boolean): Reason | undefined {
  if (!acted) return undefined;
  const { effect, expected } = acted;
  if (expected) {
    const { met, what, seen = `${what} was not met.`, candidates } = expected;
    return met ? undefined : { code: "not_met", reason: seen, ...(candidates ? { candidates } : {}) };
  }
  if (!acted.ok)
    return { code: "incomplete", reason: `Part of the text is missing: ${JSON.stringify(acted.arrived ?? "")}.` };
  if (effect === "no_change" && !mayChangeNothing) {
    return { code: effect, reason: "Nothing changed.", hint: "Find out why before you repeat it." };
  }
  return effect === "unverifiable" && strict ? { code: effect, reason: "Its effect cannot be verified." } : undefined;
}

export function factsOf({ acted, via, saw, note }: Outcome): Pick<Ran, "effect" | "via" | "saw" | "note"> {
  const change = saw ?? firstChange(acted);
  const unsure = acted?.effect === "unverifiable" ? "its effect could not be verified" : undefined;
  const remark = [note, unsure, acted?.warning].filter((each) => each !== undefined).join("; ");
  return {
    ...(acted ? { effect: acted.effect } : {}),
    ...(via === undefined ? {} : { via }),
    ...(change === undefined ? {} : { saw: change }),
    ...(remark === "" ? {} : { note: remark }),
  };
}

function firstChange(acted: Outcome["acted"]): string | undefined {
  const { windows = [], tree = [] } = acted?.changes ?? {};
  return [...windows, ...tree][0];
}

export const reasonOf = ({ code, message, details: { hint, candidates } }: ToolError): Reason => ({
  code,
  reason: message,
  ...(hint === undefined ? {} : { hint }),
  ...(candidates ? { candidates: [...candidates] } : {}),
});

const aroundTokens = 600;

/** A short snapshot of where the steps act; undefined where nothing can be seen. */
export async function lookAround(call: Caller, surface: string): Promise<Record<string, unknown> | undefined> {
  const budget = { max_tokens: aroundTokens };
  try {
    const { data } = surface.startsWith("page:")
      ? await call("cdp_take_dom_snapshot", { surface, ...budget })
      : surface.startsWith("android:")
        ? await call("android_snapshot", { serial: surface.slice("android:".length), ...budget })
        : await call("take_ax_snapshot", budget);
    const { untrusted_text: _marked, suspicious_text: _orders, ...seen } = data as Record<string, unknown>;
    return seen;
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    return undefined;
  }
}
