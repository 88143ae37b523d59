import { throwIfCancelled } from "../base/async.ts";
import { ToolError } from "../base/errors.ts";
import { openCaller } from "../tools/caller.ts";
import type { Session, StepsDone, StepsRequest } from "../tools/session.ts";
import type { Step } from "../tools/steps.ts";
import type { ToolImage } from "../tools/tool.ts";
import { performStep, type Outcome } from "./perform-step.ts";
import { factsOf, lookAround, problemOf, reasonOf, surfaceOf } from "./step-outcome.ts";
import { stepWords } from "./step-words.ts";

type Result = StepsDone["result"];
type Ran = Result["steps"][number];
type Stopped = NonNullable<Result["stopped"]>;

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
