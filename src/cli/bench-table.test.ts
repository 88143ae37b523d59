import { expect, test } from "vitest";
import type { Attempt, TaskResult } from "../tasks/result.ts";
import { sumUp } from "../tasks/result.ts";
import { openTable, renderTotals } from "./bench-table.ts";

const attempt = (outcome: Attempt["outcome"], more: Partial<Attempt> = {}): Attempt => ({
  outcome,
  problems: outcome === "success" ? [] : ["a.txt does not exist"],
  said: "done",
  message: "All steps were carried out.",
  steps: 4,
  seconds: 2.25,
  tokens: 0,
  run_folder: null,
  report: null,
  ...more,
});
const result = (task: string, ...attempts: readonly Attempt[]): TaskResult => ({
  task,
  app: "editor",
  infeasible: false,
  told: "steps",
  attempts,
});

test("the line of each task aligns with its heading", () => {
  const { heading, row } = openTable([
    { id: "save", app: "editor" },
    { id: "save-as-well", app: "editor" },
  ]);
  expect(heading).toBe("task          app     outcome   steps  seconds   tokens");
  expect(row(result("save", attempt("success")))).toBe("save          editor  success       4      2.3        0");
  expect(row(result("save-as-well", attempt("failure")))).toBe(
    "save-as-well  editor  failure       4      2.3        0  a.txt does not exist; the agent said done",
  );
});

test("several rounds are one line", () => {
  const { row } = openTable([{ id: "save", app: "editor" }]);
  const failed = attempt("failure", { steps: 5, seconds: 4, said: "stopped (refused)", message: "No Save." });
  expect(row(result("save", attempt("success"), failed))).toBe(
    "save  editor  1 of 2      4.5      3.1        0  a.txt does not exist; stopped (refused): No Save.",
  );
});

test("what was skipped has no figures, and what a window says cannot move the cursor", () => {
  const { row } = openTable([{ id: "save", app: "editor" }]);
  const skipped = attempt("skipped", { said: null, problems: ["editor is not installed\u001B[2J"] });
  expect(row(result("save", skipped))).toMatch(/^save {2}editor {2}skipped +editor is not installed\\u\{1b\}\[2J$/);
});

test("the sum names the rate, its parts, and what did not count", () => {
  const results = [result("a", attempt("success")), result("b", attempt("failure")), result("c", attempt("skipped"))];
  expect(renderTotals(sumUp(results))).toBe(
    [
      "success     1 of 2 (50.0 %): 1 of 2 that can be done, 0 of 0 that cannot; 1 apps",
      "steps       mean 4.0",
      "time        median 2.3 s, 5 s in all",
      "tokens      0",
      "false done  1",
      "skipped     1, not counted",
    ].join("\n"),
  );
});
