import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { runRecord, stepRecord, type RunRecord, type StepRecord } from "./record.ts";

export interface AgentRun {
  readonly run: RunRecord;
  readonly steps: readonly StepRecord[];
}

/** What the agents of a session have recorded in its run folder, even if they were killed. */
export function readAgentRuns(folder: string): readonly AgentRun[] {
  const names = readdirSync(join(folder, "agent")).filter((name) => name.endsWith(".json"));
  const read = (name: string): unknown => JSON.parse(readFileSync(join(folder, "agent", name), "utf8"));
  return names
    .filter((name) => name.endsWith("-run.json"))
    .toSorted()
    .map((name) => {
      const steps = names.filter((each) => each.startsWith(name.replace("run.json", "step-"))).toSorted();
      return { run: runRecord.parse(read(name)), steps: steps.map((each) => stepRecord.parse(read(each))) };
    });
}
