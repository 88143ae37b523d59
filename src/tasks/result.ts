/** The result of one attempt at a task. */
export interface Attempt {
  /** "error": it could not be set up or checked. "skipped": something it needs is not installed. */
  readonly outcome: "success" | "failure" | "error" | "skipped";
  /** What the check found wrong, or why there was none. */
  readonly problems: readonly string[];
  /** How the agent itself said it ended: "done", or "stopped (refused)". */
  readonly said: string | null;
  /** The agent's last message. */
  readonly message: string | null;
  readonly steps: number;
  readonly seconds: number;
  readonly tokens: number;
  readonly run_folder: string | null;
  readonly report: string | null;
}

export interface TaskResult {
  readonly task: string;
  readonly app: string;
  readonly infeasible: boolean;
  /** Which of the two the model was given. */
  readonly told: "goal" | "steps";
  readonly attempts: readonly Attempt[];
}

export interface Totals {
  /** Attempts that were judged: all but the skipped ones. */
  readonly attempts: number;
  readonly successes: number;
  /** Null when nothing was judged. */
  readonly success_rate: number | null;
  readonly feasible: { readonly attempts: number; readonly successes: number };
  readonly infeasible: { readonly attempts: number; readonly successes: number };
  readonly errors: number;
  readonly skipped: number;
  /** The agent claimed to be done, but the check failed. */
  readonly false_claims: number;
  readonly apps: number;
  readonly mean_steps: number | null;
  readonly median_seconds: number | null;
  readonly seconds: number;
  readonly tokens: number;
}

export function sumUp(results: readonly TaskResult[]): Totals {
  const all = results.flatMap(({ attempts, infeasible, app }) =>
    attempts.map((attempt) => ({ ...attempt, infeasible, app })),
  );
  const judged = all.filter(({ outcome }) => outcome !== "skipped");
  const ran = judged.filter(({ outcome }) => outcome !== "error");
  const count = (some: readonly { readonly outcome: string }[]) => ({
    attempts: some.length,
    successes: some.filter(({ outcome }) => outcome === "success").length,
  });
  const { successes } = count(judged);
  return {
    attempts: judged.length,
    successes,
    success_rate: judged.length === 0 ? null : successes / judged.length,
    feasible: count(judged.filter(({ infeasible }) => !infeasible)),
    infeasible: count(judged.filter(({ infeasible }) => infeasible)),
    errors: judged.length - ran.length,
    skipped: all.length - judged.length,
    false_claims: ran.filter(({ outcome, said }) => outcome === "failure" && said === "done").length,
    apps: new Set(ran.map(({ app }) => app)).size,
    mean_steps: mean(ran.map(({ steps }) => steps)),
    median_seconds: median(ran.map(({ seconds }) => seconds)),
    seconds: total(judged.map(({ seconds }) => seconds)),
    tokens: total(judged.map(({ tokens }) => tokens)),
  };
}

const total = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

export const mean = (values: readonly number[]): number | null =>
  values.length === 0 ? null : total(values) / values.length;

export function median(values: readonly number[]): number | null {
  const sorted = values.toSorted((a, b) => a - b);
  const [low, high] = [sorted[Math.floor((sorted.length - 1) / 2)], sorted[Math.floor(sorted.length / 2)]];
  return low === undefined || high === undefined ? null : (low + high) / 2;
}
