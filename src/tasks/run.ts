import { join } from "node:path";
import { runAgent, type AgentOptions, type AgentResult } from "../agent/run.ts";
import { poll, sleep, withDeadline } from "../base/async.ts";
import { ToolError } from "../base/errors.ts";
import type { Config } from "../config/options.ts";
import { findProgram, needPrograms } from "../platform/virtual/programs.ts";
import { findProblems, type Ending } from "./check.ts";
import type { Attempt, TaskResult } from "./result.ts";
import { onStage, type Stage } from "./stage.ts";
import { neededBy, type Task } from "./task.ts";

export interface TaskOptions {
  readonly config: Config;
  /** As for the agent; the model is a name such as "rules". */
  readonly agent: Pick<AgentOptions, "model" | "access" | "limits" | "price">;
  readonly tell: "goal" | "steps";
  /** Where the tasks are. */
  readonly folder: string;
  readonly rounds: number;
  readonly signal: AbortSignal;
  readonly onResult: (result: TaskResult) => void;
}

/** Lets the agent try every task, each on its own desktop; a failure does not affect the others. */
export async function runTasks(tasks: readonly Task[], options: TaskOptions): Promise<readonly TaskResult[]> {
  needPrograms(process.env);
  const results: TaskResult[] = [];
  for (const task of tasks) {
    const attempts: Attempt[] = [];
    for (let round = 0; round < options.rounds; round++) attempts.push(await attempt(task, options));
    const { id, app, infeasible } = task;
    const result = { task: id, app, infeasible, told: toldOf(task, options), attempts };
    results.push(result);
    options.onResult(result);
  }
  return results;
}

const toldOf = ({ steps }: Task, { tell }: TaskOptions): "goal" | "steps" =>
  tell === "steps" && steps !== undefined ? "steps" : "goal";

const nothing = { said: null, message: null, steps: 0, seconds: 0, tokens: 0, run_folder: null, report: null };

// The maximum time for starting, closing and checking, besides the agent's own time.
const aroundMs = 90_000;
const endMs = 10_000;

async function attempt(task: Task, options: TaskOptions): Promise<Attempt> {
  const missing = neededBy(task).filter((names) => !names.split("|").some((name) => findProgram(name, process.env)));
  if (missing.length > 0) {
    const problems = missing.map((names) => `${names.split("|")[0]} is not installed`);
    return { ...nothing, outcome: "skipped", problems };
  }
  const { config, folder } = options;
  const ms = aroundMs + config.maxTime * 1_000;
  const started = performance.now();
  let work: Promise<Attempt> | undefined;
  try {
    return await withDeadline({ ms, what: `The task ${task.id}`, signal: options.signal }, (signal) => {
      work = onStage(task, { config, folder, signal }, (stage) => pursue(task, stage, { ...options, signal }));
      return work;
    });
  } catch (error) {
    // What was started for it must end before anything else begins, and before the program ends.
    await Promise.race([work?.catch(() => {}), sleep(endMs)]);
    if (options.signal.aborted || (error instanceof ToolError && error.code === "cancelled")) throw error;
    const seconds = (performance.now() - started) / 1_000;
    return { ...nothing, seconds, outcome: "error", problems: [messageOf(error)] };
  }
}

async function pursue(task: Task, { session, where, ending, close }: Stage, options: TaskOptions): Promise<Attempt> {
  const { agent, signal } = options;
  const told = toldOf(task, options) === "steps" ? (task.steps ?? task.goal) : task.goal;
  const result = await runAgent(session, { ...agent, goal: told, where, signal });
  if (signal.aborted) throw signal.reason;
  if (result.verdict.reason === "emergency_stop") throw new ToolError("cancelled", result.verdict.message);
  if (task.finish === "close") await close();
  const problems = [...(task.infeasible ? undeclined(result) : []), ...(await settledProblems(task, ending, signal))];
  const { verdict, usage, steps, ms, run_id } = result;
  const judged = {
    outcome: problems.length === 0 ? ("success" as const) : ("failure" as const),
    problems,
    said: verdict.reason === null ? verdict.status : `${verdict.status} (${verdict.reason})`,
    message: verdict.message,
    steps,
    seconds: ms / 1_000,
    tokens: usage.input_tokens + usage.output_tokens,
  };
  const record = { task: task.id, told: toldOf(task, options), ...judged };
  session.journal.saveArtifact("agent-task.json", Buffer.from(`${JSON.stringify(record, null, 1)}\n`));
  const isKept = options.config.journal;
  const run = join(options.config.runsDir, run_id);
  return {
    ...judged,
    run_folder: isKept ? run : null,
    report: isKept && result.report !== null ? join(run, result.report) : null,
  };
}

/** An agent that ran out of steps has not noticed that it cannot be done; one that refuses or gives up has. */
function undeclined({ verdict: { status, reason } }: AgentResult): readonly string[] {
  const hasDeclined = status === "stopped" && (reason === "refused" || reason === "low_confidence");
  return hasDeclined ? [] : ["it cannot be done, but the agent did not say so"];
}

// An app may still be writing what it was told to save.
const settleMs = 3_000;

async function settledProblems(task: Task, ending: Ending, signal: AbortSignal): Promise<readonly string[]> {
  let problems: readonly string[] = [];
  const look = async () => {
    problems = await findProblems(task.check, ending);
    return problems.length === 0 ? true : undefined;
  };
  await poll(look, { timeoutMs: settleMs, everyMs: 100, signal });
  return problems;
}

function messageOf(error: unknown): string {
  if (error instanceof ToolError || error instanceof Error) return error.message;
  return String(error);
}
