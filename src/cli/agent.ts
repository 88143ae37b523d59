import { existsSync } from "node:fs";
import { join } from "node:path";
import type { StepRecord } from "../agent/record.ts";
import { runAgent, type AgentOptions, type AgentResult } from "../agent/run.ts";
import { openSession } from "../app.ts";
import { agentSettings } from "../config/agent.ts";
import type { Config } from "../config/options.ts";
import { allTools } from "../tools/registry.ts";
import { approve, canAsk } from "./approve.ts";
import { EmergencyStop } from "./emergency.ts";
import { exitCodeOf, exitCodes } from "./exit.ts";
import { openInterrupt } from "./interrupt.ts";
import { printable } from "./text.ts";

/** Command-line flags besides the settings. */
export interface AgentFlags {
  readonly window?: string;
  readonly app?: string;
  readonly pid?: string;
  readonly surface?: string;
  readonly url?: string;
  readonly background?: boolean;
  readonly requireConfidence?: boolean;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

/** Runs the agent in its own session, reports its steps as they happen, and returns the exit code. */
export async function runAgentCommand(goal: string, config: Config, flags: AgentFlags): Promise<number> {
  const emergency = new EmergencyStop();
  await using session = openSession(config, { tools: emergency.guard(allTools), handsOver: true });
  emergency.protect(session);
  using interrupt = openInterrupt();
  const { json = false } = flags;
  const tell = json ? () => {} : teller(flags.dryRun ?? false);
  const result = await runAgent(session, {
    ...toOptions(goal, config, flags),
    signal: interrupt.signal,
    onStep: tell,
    ...(canAsk() ? { ask: (question, signal) => approve(question, signal) } : {}),
  });
  const folder = join(config.runsDir, result.run_id);
  const report = result.report === null ? undefined : join(folder, result.report);
  const files = {
    run_folder: existsSync(folder) ? folder : null,
    report: report !== undefined && existsSync(report) ? report : null,
  };
  if (json) process.stdout.write(`${JSON.stringify({ ...result, ...files })}\n`);
  else process.stdout.write(`${describeResult(result)}\n${files.report === null ? "" : `report: ${files.report}\n`}`);
  return exitCodeFor(result);
}

function toOptions(goal: string, config: Config, flags: AgentFlags): AgentOptions {
  const { window, app, pid, surface, url, dryRun = false, background = false, requireConfidence = false } = flags;
  const settings = agentSettings(config);
  return {
    goal,
    ...settings,
    where: { window, app, surface, url, pid: pid === undefined ? undefined : Number(pid) },
    limits: { ...settings.limits, requiresConfidence: requireConfidence },
    dryRun,
    background,
  };
}

/** Prints what is about to be done, then the result. */
function teller(isDry: boolean): (step: StepRecord) => void {
  let isFirst = true;
  return (step) => {
    if (step.state === "acting") {
      if (isFirst && !isDry) for (const line of understoodIn(step)) say(line);
      isFirst = false;
      return;
    }
    for (const { action, effect, changes, error } of step.actions) {
      const why = typeof action["why"] === "string" ? action["why"] : String(action["action"]);
      const outcome = error ? `${error.code}: ${error.message}` : effect === "none" ? "nothing sent" : effect;
      say(`  ${step.step}. ${why}`);
      say(`     ${outcome}${changes.length > 0 ? ` — ${changes.slice(0, 2).join("; ")}` : ""}`);
    }
  };
}

function understoodIn({ prompt }: StepRecord): readonly string[] {
  const { understood } = (prompt ?? {}) as { readonly understood?: unknown };
  if (!Array.isArray(understood)) return [];
  return ["Understood:", ...understood.map((line, index) => `  ${index + 1}. ${String(line)}`), "Doing it:"];
}

const say = (line: string): boolean => process.stdout.write(`${printable(line)}\n`);

function describeResult({ verdict, steps, ms, usage, cost }: AgentResult): string {
  const { status, reason, message, hint, candidates, evidence } = verdict;
  const tokens = usage.input_tokens + usage.output_tokens;
  const spent = [
    `${steps} step${steps === 1 ? "" : "s"}`,
    `${(ms / 1_000).toFixed(1)} s`,
    `${tokens} tokens`,
    ...(cost === null ? [] : [`cost ${cost.toFixed(4)}`]),
    `${evidence.confirmed} effect${evidence.confirmed === 1 ? "" : "s"} seen`,
  ];
  return [
    `${reason === "dry_run" ? "dry run" : `${status}${reason === null ? "" : ` (${reason})`}`}: ${printable(message)}`,
    ...(hint === null ? [] : [`  ${printable(hint)}`]),
    ...candidates.map((candidate) => `  - ${printable(candidate)}`),
    ...(evidence.unconfirmed.length > 0
      ? [`  not confirmed: ${evidence.unconfirmed.map((line) => printable(line)).join(", ")}`]
      : []),
    `  ${spent.join(", ")}`,
  ].join("\n");
}

function exitCodeFor({ verdict: { status, reason } }: AgentResult): number {
  if (status === "done" || reason === "dry_run") return exitCodes.ok.code;
  if (reason === "denied") return exitCodes.denied.code;
  if (reason === "cancelled" || reason === "emergency_stop") return exitCodes.cancelled.code;
  if (reason === "invalid_argument" || reason === "not_connected") return exitCodeOf(reason);
  return exitCodes.failed.code;
}
