import { throwIfCancelled } from "../base/async.ts";
import { ToolError } from "../base/errors.ts";
import { openCaller, type Caller } from "../tools/caller.ts";
import type { Session, StepsDone, StepsRequest } from "../tools/session.ts";
import { readStepTarget, type Step, type StepTarget } from "../tools/steps.ts";
import type { ToolImage } from "../tools/tool.ts";
import { performStep, type Outcome } from "./perform-step.ts";
import { stepWords } from "./step-words.ts";

type Result = StepsDone["result"];
type Ran = Result["steps"][number];
type Stopped = NonNullable<Result["stopped"]>;
type Reason = Omit<Stopped, "step">;

/**
 * Does the steps one after the other, each through the tools that a caller would use, so that every one of them is
 * asked about, counted and written down. Ends at the first that is not confirmed.
 */
export async function runSteps(session: Session, request: StepsRequest): Promise<StepsDone> {
  const { steps, signal, ask } = request;
  const call = openCaller(session, { client: "run_steps", signal, ask });
  const ran: Ran[] = [];
  const images: ToolImage[] = [];
  const read: Record<string, string> = {};
  let surface = request.surface ?? "desktop";
  let last: Outcome["acted"];
  const stop = async (stopped: Stopped): Promise<StepsDone> => {
    // A cancelled run has nothing to report: whoever cancelled it does not wait for the answer.
    throwIfCancelled(signal);
    const now = await lookAround(call, surface);
    throwIfCancelled(signal);
    const result = { ok: false, ran: stopped.step - 1, total: steps.length, steps: ran, ...readOf(read), stopped };
    return { result: now ? { ...result, now } : result, images };
  };
  for (const [index, step] of steps.entries()) {
    const what = stepWords(step);
    request.onStep(index, what);
    const started = performance.now();
    const number = index + 1;
    const note = (facts: Omit<Ran, "step" | "what" | "ms">) =>
      ran.push({ step: number, what, ...facts, ms: Math.round(performance.now() - started) });
    surface = surfaceOf(step) ?? surface;
    try {
      const outcome = await performStep(step, { ...sceneOf(step, request), call, surface, lastEffect: last?.effect });
      surface = outcome.surface ?? surface;
      last = outcome.acted ?? last;
      images.push(...(outcome.images ?? []));
      if (outcome.read) read[outcome.read.name ?? String(number)] = outcome.read.text;
      const problem = problemOf(outcome, request.strict);
      note({ ok: problem === undefined, ...factsOf(outcome) });
      if (problem) return await stop({ step: number, ...problem });
    } catch (error) {
      throwIfCancelled(signal);
      if (!(error instanceof ToolError)) throw error;
      note({ ok: false });
      return stop({ step: number, ...reasonOf(error) });
    }
  }
  const done = { ok: true, ran: steps.length, total: steps.length, steps: ran };
  return { result: { ...done, ...changesOf(last), ...readOf(read) }, images };
}

/** What is there after the last action, with the uids to go on with. */
const changesOf = (last: Outcome["acted"]): Pick<Result, "changes" | "node_after"> =>
  last?.changes ? { changes: last.changes, ...(last.node_after ? { node_after: last.node_after } : {}) } : {};

const readOf = (read: Readonly<Record<string, string>>): Pick<Result, "read"> =>
  Object.keys(read).length === 0 ? {} : { read };

const sceneOf = ({ window, timeout_ms, ...step }: Step, { timeoutMs, signal }: StepsRequest) => ({
  window,
  timeoutMs: timeout_ms ?? timeoutMs,
  signal,
  expect: step.verb === "expect" ? undefined : "expect" in step ? step.expect : undefined,
});

/** A step says itself where it acts, or its target does. */
function surfaceOf(step: Step): string | undefined {
  if (step.surface !== undefined) return step.surface;
  const targets = [step.with, ...(typeof step.with === "object" ? Object.values(step.with) : [])];
  const named = targets.find((each) => typeof each === "object" && each !== null && "surface" in each);
  return named === undefined ? undefined : readStepTarget(named as StepTarget).surface;
}

/** Why a step that was done does not count as done. */
function problemOf({ acted, mayChangeNothing = false }: Outcome, strict: boolean): Reason | undefined {
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

function factsOf({ acted, via, saw, note }: Outcome): Pick<Ran, "effect" | "via" | "saw" | "note"> {
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

const reasonOf = ({ code, message, details: { hint, candidates } }: ToolError): Reason => ({
  code,
  reason: message,
  ...(hint === undefined ? {} : { hint }),
  ...(candidates ? { candidates: [...candidates] } : {}),
});

const aroundTokens = 600;

/** A short snapshot of where the steps act; undefined where nothing can be seen. */
async function lookAround(call: Caller, surface: string): Promise<Record<string, unknown> | undefined> {
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
