import { relative } from "node:path";
import { createInterface } from "node:readline/promises";
import { styleText } from "node:util";
import { callerFolder } from "../base/caller-folder.ts";
import type { LoadedFlow } from "../flows/file/load-flow.ts";
import type { Row } from "../flows/file/rows.ts";
import type { RunRecord, StepRecord } from "../flows/play/run-record.ts";
import { hasColours } from "./colour.ts";
import { printable } from "./text.ts";

export interface FlowLines {
  begin(flow: LoadedFlow, row: Row | undefined): void;
  /** A step has begun or ended. */
  step(step: StepRecord): void;
  ended(run: RunRecord): void;
  files(folder: string): void;
  totals(runs: readonly RunRecord[], about: { readonly planned: number; readonly report: string | undefined }): void;
  /** Hides the line of the running step meanwhile. */
  without<T>(run: () => Promise<T>): Promise<T>;
  readonly askBefore: (step: StepRecord) => Promise<"do" | "skip" | "stop">;
}

const signs: Readonly<Record<StepRecord["status"], string>> = {
  running: "…",
  passed: "✓",
  warned: "!",
  failed: "✗",
  skipped: "-",
};
const colours: Readonly<Record<StepRecord["status"], "green" | "red" | "yellow" | "gray" | "cyan">> = {
  running: "cyan",
  passed: "green",
  warned: "yellow",
  failed: "red",
  skipped: "gray",
};

/** One line per step: on a terminal it is there while the step runs; elsewhere it is written once the step has ended. */
export function openFlowLines(isSilent: boolean): FlowLines {
  const { stdout } = process;
  const isLive = stdout.isTTY && !isSilent;
  const tint = (colour: (typeof colours)["passed"] | "bold", text: string): string =>
    hasColours(stdout, process.env) ? styleText(colour, text) : text;
  let isShown = false;
  const clear = (): void => {
    if (isShown) stdout.write("\r\u001B[K");
    isShown = false;
  };
  const say = (line: string): void => {
    if (isSilent) return;
    clear();
    stdout.write(`${line}\n`);
  };
  return {
    begin(flow, row) {
      const of = row ? ` (${Object.values(row).map(String).join(", ")})` : "";
      const file = relative(callerFolder(), flow.file);
      say(`${tint("bold", printable((flow.flow.name ?? file) + of))}  ${tint("gray", printable(file))}`);
    },
    step(step) {
      const line = printable(stepLine(step));
      if (step.isBlock === true && (step.status === "running" || step.status === "passed")) {
        // A block is told before its steps; that they passed says the rest.
        if (step.status === "running") say(`    ${line}`);
      } else if (step.status !== "running") say(`  ${tint(colours[step.status], signs[step.status])} ${line}`);
      else if (isLive) {
        clear();
        stdout.write(`  ${tint("cyan", "…")} ${line}`.slice(0, (stdout.columns || 80) - 1));
        isShown = true;
      }
    },
    ended(run) {
      const { failed } = run;
      if (failed) for (const line of failureLines(run, failed)) say(`    ${printable(line)}`);
    },
    files: (folder) => say(`    report: ${folder}/report.html`),
    totals(runs, { planned, report }) {
      const passed = runs.filter(({ status }) => status === "passed").length;
      const flaky = runs.filter(({ status, attempts = 1 }) => status === "passed" && attempts > 1).length;
      const ms = runs.reduce((sum, run) => sum + run.ms, 0);
      const parts = [
        `${passed} passed`,
        `${runs.length - passed} failed`,
        ...(flaky > 0 ? [`${flaky} only after a retry`] : []),
        ...(planned > runs.length ? [`${planned - runs.length} not run`] : []),
        `${(ms / 1_000).toFixed(1)} s`,
      ];
      say(tint(passed === planned ? "green" : "red", parts.join(", ")));
      if (report !== undefined) say(`report: ${report}`);
    },
    async without(run) {
      clear();
      return run();
    },
    async askBefore(step) {
      clear();
      const ask = createInterface({ input: process.stdin, output: process.stderr });
      try {
        const answer = await ask.question(`  ${printable(stepLine(step))}  [enter] do  [s] skip  [q] stop: `);
        return answer.trim() === "s" ? "skip" : answer.trim() === "q" ? "stop" : "do";
      } finally {
        ask.close();
      }
    },
  };
}

function stepLine({ id, depth, what, status, ms, effect, saw, note, rung, attempts }: StepRecord): string {
  const head = `${"  ".repeat(depth)}${id}. ${what}`;
  if (status === "running") return head;
  const facts = [
    status === "skipped" ? "skipped" : `${ms} ms`,
    effect?.replace("_", " "),
    rung === undefined ? undefined : `found by ${rung}`,
    attempts === undefined ? undefined : `attempt ${attempts}`,
    saw?.slice(0, 80),
    note,
  ];
  return `${head}  ${facts.filter((fact) => fact !== undefined && fact !== "").join("  ")}`;
}

function failureLines(run: RunRecord, failed: NonNullable<RunRecord["failed"]>): readonly string[] {
  const file = relative(callerFolder(), run.steps.findLast(({ id }) => id === failed.step)?.file ?? run.file);
  return [
    `${file}:${failed.line}: step ${failed.step}: ${failed.code}: ${failed.reason}`,
    ...(failed.hint === undefined ? [] : [failed.hint]),
    ...(failed.candidates ?? []).slice(0, 5).map((candidate) => `- ${candidate}`),
    ...(run.events && run.events.length > 0 ? [`last calls: ${run.events.slice(-5).join(", ")}`] : []),
    ...(run.status === "failed" ? ["go on from there: --from failed"] : []),
  ];
}
