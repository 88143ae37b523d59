import { ToolError } from "../base/errors.ts";
import type { Config } from "../config/options.ts";
import { chooseTasks, ownTasks, readTasks } from "../tasks/read.ts";
import { sumUp, type TaskResult } from "../tasks/result.ts";
import { runTasks } from "../tasks/run.ts";
import type { Task } from "../tasks/task.ts";
import { agentSettings } from "../config/agent.ts";
import { openTable, renderTotals } from "./bench-table.ts";
import { exitCodes } from "./exit.ts";
import { openInterrupt } from "./interrupt.ts";

/** Command-line flags besides the settings. */
export interface BenchFlags {
  readonly only?: string;
  readonly rounds: string;
  readonly tell?: string;
  readonly require?: string;
  readonly tasks?: string;
  readonly list?: boolean;
  readonly json?: boolean;
}

/** Tries the tasks, prints a line for each and the totals, and returns the exit code. */
export async function runBench(config: Config, flags: BenchFlags): Promise<number> {
  const { json = false } = flags;
  const rounds = needNumber("rounds", flags.rounds, { from: 1, to: 1_000, isWhole: true });
  const required = flags.require === undefined ? 0 : needNumber("require", flags.require, { from: 0, to: 1 });
  const folder = flags.tasks ?? ownTasks();
  const tasks = chooseTasks(readTasks(folder), flags.only);
  if (flags.list) return list(tasks, json);
  const agent = agentSettings(config);
  const tell = needTell(flags.tell) ?? (agent.model === "rules" ? "steps" : "goal");
  const table = openTable(tasks);
  const print = (line: string): void => void (json || process.stdout.write(`${line}\n`));
  print(
    `${tasks.length} ${tasks.length === 1 ? "task" : "tasks"}, model ${agent.model}, told the ${tell}${rounds === 1 ? "" : `, ${rounds} rounds`}\n`,
  );
  print(table.heading);
  using interrupt = openInterrupt();
  const results: TaskResult[] = [];
  const onResult = (result: TaskResult): void => {
    results.push(result);
    print(table.row(result));
  };
  let stopped: string | null = null;
  try {
    await runTasks(tasks, { config, agent, tell, folder, rounds, signal: interrupt.signal, onResult });
  } catch (error) {
    if (!(error instanceof ToolError) || error.code !== "cancelled") throw error;
    stopped = error.message;
  }
  const totals = sumUp(results);
  const report = { model: agent.model, tell, rounds, stopped, totals, tasks: results };
  if (json) process.stdout.write(`${JSON.stringify(report)}\n`);
  else print(`\n${renderTotals(totals)}${stopped === null ? "" : `\nstopped     before the end: ${stopped}`}`);
  if (stopped !== null) return exitCodes.cancelled.code;
  return (totals.success_rate ?? 0) < required ? exitCodes.failed.code : exitCodes.ok.code;
}

function list(tasks: readonly Task[], json: boolean): number {
  const rows = tasks.map(({ id, app, infeasible, goal, steps }) => ({ task: id, app, infeasible, goal, steps }));
  if (json) process.stdout.write(`${JSON.stringify({ tasks: rows })}\n`);
  else {
    for (const { task, app, infeasible, goal } of rows) {
      process.stdout.write(`${task} (${app}${infeasible ? ", cannot be done" : ""})\n  ${goal}\n`);
    }
  }
  return exitCodes.ok.code;
}

function needTell(tell: string | undefined): "goal" | "steps" | undefined {
  if (tell === undefined || tell === "goal" || tell === "steps") return tell;
  throw new ToolError("invalid_argument", `--tell takes goal or steps, not "${tell}".`);
}

interface Range {
  readonly from: number;
  readonly to: number;
  readonly isWhole?: boolean;
}

function needNumber(name: string, text: string, { from, to, isWhole = false }: Range): number {
  const value = text.trim() === "" ? Number.NaN : Number(text);
  if (value >= from && value <= to && (!isWhole || Number.isInteger(value))) return value;
  const kind = isWhole ? "a whole number" : "a number";
  throw new ToolError("invalid_argument", `--${name} takes ${kind} from ${from} to ${to}, not "${text}".`);
}
