import { mean, median, type TaskResult, type Totals } from "../tasks/result.ts";
import type { Task } from "../tasks/task.ts";
import { printable } from "./text.ts";

export interface BenchTable {
  readonly heading: string;
  readonly row: (result: TaskResult) => string;
}

const longestNote = 160;

/** Lines that can be printed one by one and still align. */
export function openTable(tasks: readonly Pick<Task, "id" | "app">[]): BenchTable {
  const widest = (texts: readonly string[]): number => Math.max(...texts.map((text) => text.length));
  const [first, second] = [
    widest(["task", ...tasks.map(({ id }) => id)]),
    widest(["app", ...tasks.map(({ app }) => app)]),
  ];
  const line = (cells: readonly string[]): string => {
    const [task = "", app = "", outcome = "", steps = "", seconds = "", tokens = "", note = ""] = cells;
    const numbers = [steps.padStart(5), seconds.padStart(7), tokens.padStart(7)];
    return [task.padEnd(first), app.padEnd(second), outcome.padEnd(8), ...numbers, note].join("  ").trimEnd();
  };
  return {
    heading: line(["task", "app", "outcome", "steps", "seconds", "tokens", ""]),
    row: ({ task, app, attempts }) => {
      const ran = attempts.filter(({ outcome }) => outcome === "success" || outcome === "failure");
      const show = (value: number | null, digits: number): string => (value === null ? "" : value.toFixed(digits));
      return line([
        task,
        app,
        outcomeOf(attempts),
        show(mean(ran.map(({ steps }) => steps)), attempts.length > 1 ? 1 : 0),
        show(median(ran.map(({ seconds }) => seconds)), 1),
        show(mean(ran.map(({ tokens }) => tokens)), 0),
        noteOf(attempts),
      ]);
    },
  };
}

function outcomeOf(attempts: TaskResult["attempts"]): string {
  const [only, ...others] = attempts;
  if (only && (others.length === 0 || only.outcome === "skipped")) return only.outcome;
  return `${attempts.filter(({ outcome }) => outcome === "success").length} of ${attempts.length}`;
}

/** Why the first failed attempt failed, and what the agent said about it if that differs. */
function noteOf(attempts: TaskResult["attempts"]): string {
  const bad = attempts.find(({ outcome }) => outcome !== "success");
  if (!bad) return "";
  const { problems, said, message } = bad;
  const own = said === null ? "" : said === "done" ? "; the agent said done" : `; ${said}: ${message ?? ""}`;
  const note = printable(`${problems.join("; ")}${own}`);
  return note.length > longestNote ? `${note.slice(0, longestNote)}…` : note;
}

export function renderTotals(totals: Totals): string {
  const { attempts, successes, success_rate, feasible, infeasible, errors, skipped, false_claims } = totals;
  const parts = [
    `${feasible.successes} of ${feasible.attempts} that can be done`,
    `${infeasible.successes} of ${infeasible.attempts} that cannot`,
  ];
  const rate =
    success_rate === null
      ? "nothing was tried"
      : `${successes} of ${attempts} (${(100 * success_rate).toFixed(1)} %): ${parts.join(", ")}; ${totals.apps} apps`;
  const rows = [
    ["success", rate],
    ["steps", `mean ${totals.mean_steps?.toFixed(1) ?? "–"}`],
    ["time", `median ${totals.median_seconds?.toFixed(1) ?? "–"} s, ${totals.seconds.toFixed(0)} s in all`],
    ["tokens", `${totals.tokens}`],
    ["false done", `${false_claims}`],
    ...(errors === 0 ? [] : [["errors", `${errors} could not be set up or checked; they do not count as successes`]]),
    ...(skipped === 0 ? [] : [["skipped", `${skipped}, not counted`]]),
  ];
  return rows.map(([name = "", text = ""]) => `${name.padEnd(12)}${text}`).join("\n");
}
