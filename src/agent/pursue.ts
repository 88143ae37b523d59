import { ToolError } from "../base/errors.ts";
import type { Pursued, Pursuit, PursuitResult, Session } from "../tools/session.ts";
import { openSampling } from "./models/sampling.ts";
import type { VisionModel } from "./model.ts";
import type { StepRecord } from "./record.ts";
import { runRecorded, type AgentOptions, type AgentResult } from "./run.ts";

/** The agent's settings, unless a call says otherwise. */
export type AgentDefaults = Pick<AgentOptions, "model" | "access" | "limits" | "price" | "env">;

/** Runs the agent for somebody who called a tool, and tells in brief what came of it. */
export async function pursue(session: Session, defaults: AgentDefaults, request: Pursuit): Promise<Pursued> {
  const { goal, where, limits, background, dryRun, ask, signal, onStep } = request;
  const { result, written } = await runRecorded(session, {
    ...defaults,
    goal,
    where,
    model: modelFor(request, defaults),
    limits: { ...defaults.limits, ...limits },
    background,
    dryRun,
    signal,
    ...(ask ? { ask } : {}),
    onStep: (step) => {
      if (step.state === "done") onStep(step.step, whatWasDone(step));
    },
  });
  return { result: toResult(result), written: toResult(written) };
}

function modelFor({ model, lent }: Pursuit, { model: configured }: AgentDefaults): string | VisionModel {
  const isConfigured = configured !== undefined && configured !== "rules";
  if (model === "rules" || (model === undefined && !isConfigured && !lent)) return "rules";
  if (model === "configured" || (model === undefined && isConfigured)) {
    if (isConfigured) return configured;
    throw new ToolError("not_supported", "No model is configured.", {
      hint: 'Set model (HANDSIGHT_MODEL), or use "rules" with plain instructions.',
    });
  }
  if (lent) return openSampling(lent);
  throw new ToolError("not_supported", "This client does not lend its model.", {
    hint: 'It would have to declare "sampling". Set model (HANDSIGHT_MODEL), use "rules", or drive the tools yourself.',
  });
}

const whatWasDone = ({ actions }: StepRecord): string =>
  actions.map(({ action, effect }) => `${describe(action)}: ${effect}`).join("; ") || "nothing done";

const describe = (action: Readonly<Record<string, unknown>>): string =>
  typeof action["why"] === "string" ? action["why"] : String(action["action"]);

function toResult({ verdict, history, model, usage, ms, run_id, report }: AgentResult): PursuitResult {
  const { status, reason, message, hint, candidates } = verdict;
  return {
    status,
    reason,
    message,
    hint,
    candidates,
    model,
    steps: history.flatMap(({ step, actions }) =>
      actions.map(({ action, effect, changes, error }) => ({
        step,
        what: describe(action),
        effect,
        changes: changes.slice(0, 3),
        error: error && `${error.code}: ${error.message}`,
      })),
    ),
    input_tokens: usage.input_tokens,
    output_tokens: usage.output_tokens,
    ms: Math.round(ms),
    run_id,
    report,
  };
}
