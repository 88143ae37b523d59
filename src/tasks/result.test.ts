import { expect, test } from "vitest";
import { mean, median, sumUp, type Attempt, type TaskResult } from "./result.ts";

const attempt = (outcome: Attempt["outcome"], more: Partial<Attempt> = {}): Attempt => ({
  outcome,
  problems: [],
  said: "done",
  message: "",
  steps: 4,
  seconds: 2,
  tokens: 0,
  run_folder: null,
  report: null,
  ...more,
});
const result = (app: string, attempts: readonly Attempt[], infeasible = false): TaskResult => ({
  task: `${app}-task`,
  app,
  infeasible,
  told: "steps",
  attempts,
});

test("skipped attempts count neither way, broken ones as failures", () => {
  const totals = sumUp([
    result("editor", [attempt("success"), attempt("failure", { steps: 8, seconds: 10, tokens: 50 })]),
    result("terminal", [attempt("error", { steps: 0, said: null })]),
    result("painter", [attempt("skipped", { steps: 0, seconds: 0 })]),
    result("editor", [attempt("success", { said: "stopped (refused)", steps: 0, seconds: 1 })], true),
  ]);
  expect(totals).toEqual({
    attempts: 4,
    successes: 2,
    success_rate: 0.5,
    feasible: { attempts: 3, successes: 1 },
    infeasible: { attempts: 1, successes: 1 },
    errors: 1,
    skipped: 1,
    false_claims: 1,
    apps: 1,
    mean_steps: 4,
    median_seconds: 2,
    seconds: 15,
    tokens: 50,
  });
});

test("without attempts there is no rate", () => {
  expect(sumUp([result("painter", [attempt("skipped")])])).toMatchObject({
    success_rate: null,
    mean_steps: null,
    median_seconds: null,
    skipped: 1,
  });
});

test("the median of an even number is between the two middle values", () => {
  expect(median([3, 1, 2])).toBe(2);
  expect(median([4, 1, 2, 3])).toBe(2.5);
  expect(mean([1, 2, 6])).toBe(3);
});
