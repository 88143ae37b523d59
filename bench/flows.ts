import { runAgent } from "../src/agent/run.ts";
import { poll } from "../src/base/async.ts";
import { agentSettings } from "../src/config/agent.ts";
import { loadConfig } from "../src/config/load.ts";
import type { Config } from "../src/config/options.ts";
import { readFlow } from "../src/flows/file/read-flow.ts";
import type { FlowStep } from "../src/flows/file/flow-schema.ts";
import { findProblems } from "../src/tasks/check.ts";
import { chooseTasks, ownTasks, readTasks } from "../src/tasks/read.ts";
import { onStage, type Stage } from "../src/tasks/stage.ts";
import type { Task } from "../src/tasks/task.ts";
import { readSteps } from "../src/tools/steps.ts";
import type { Group } from "./group.ts";
import { figure, messageOf, type Row } from "./measure.ts";

const taskMs = 120_000;
const wanted = 50;

/** What the rules did in each task is saved as a flow, and played on a fresh stage without the agent. */
export const flows: Group = async ({ only, tell }) => {
  const config = loadConfig();
  const tasks = chooseTasks(readTasks(ownTasks()), only).filter(({ infeasible }) => !infeasible);
  const wrong: string[] = [];
  let right = 0;
  for (const task of tasks) {
    const problem = await tryTask(task, config).catch((error: unknown) => messageOf(error));
    if (problem === undefined) right++;
    else wrong.push(`${task.id}: ${problem}`);
    tell(`${task.id}: ${problem ?? "right"}`);
  }
  const rows: readonly Row[] = [
    { ...figure("tasks that their flow does", right, "right"), runs: tasks.length, note: `of ${tasks.length}` },
  ];
  const needed = Math.min(wanted, tasks.length);
  const verdicts = [
    {
      target: `${needed} of ${tasks.length} runs of the rules replay without the agent`,
      figure: `${right} of ${tasks.length}`,
      state: right >= needed ? ("met" as const) : ("MISSED" as const),
    },
  ];
  return [{ title: "Runs saved as flows", rows, verdicts, closing: wrong.join("; ") || "all right" }];
};

/** What is wrong with what the flow did; undefined when all is as the task wants it. */
async function tryTask(task: Task, config: Config): Promise<string | undefined> {
  const signal = AbortSignal.timeout(taskMs);
  const options = { config, folder: ownTasks(), signal };
  const text = await onStage(task, options, async (stage) => {
    const goal = task.steps ?? task.goal;
    await runAgent(stage.session, { ...agentSettings(config), model: "rules", goal, where: stage.where, signal });
    const problems = await problemsOf(task, stage, signal);
    if (problems.length > 0) throw new Error(`the rules themselves did not do it: ${problems.join("; ")}`);
    return (await stage.session.saveFlow?.(task.id))?.text ?? "";
  });
  const { text: read, problems } = readFlow(text, task.id);
  if (!read) return `the flow is none: ${problems.map(({ message }) => message).join("; ")}`;
  return onStage(task, options, async (stage) => {
    const { steps, problems: bad } = readSteps(plain(read.flow.steps));
    if (bad.length > 0) return bad.join("; ");
    const ran = await stage.session.runSteps?.({
      steps,
      surface: stage.where.surface,
      timeoutMs: 5_000,
      strict: false,
      ask: undefined,
      signal,
      onStep: () => {},
    });
    const stopped = ran?.result.stopped;
    if (stopped) return `step ${stopped.step} of ${steps.length}: ${stopped.code}: ${stopped.reason}`;
    const left = await problemsOf(task, stage, signal);
    return left.length === 0 ? undefined : left.join("; ");
  });
}

/** The stage has opened the page already. */
const plain = (steps: readonly FlowStep[]): readonly FlowStep[] =>
  steps.flatMap((step) => (step.page === undefined ? [step] : [...(step.steps ?? [])]));

// An app may still be writing what it was told to save.
const settleMs = 3_000;

async function problemsOf(task: Task, { ending, close }: Stage, signal: AbortSignal): Promise<readonly string[]> {
  if (task.finish === "close") await close();
  let problems: readonly string[] = [];
  await poll(
    async () => {
      problems = await findProblems(task.check, ending);
      return problems.length === 0 ? true : undefined;
    },
    { timeoutMs: settleMs, everyMs: 100, signal },
  );
  return problems;
}
