import { findFlows } from "../flows/file/find-flows.ts";
import { loadFlow } from "../flows/file/load-flow.ts";
import { problemLine } from "../flows/file/read-flow.ts";
import { exitCodes } from "./exit.ts";
import { printable } from "./text.ts";

export interface FlowCheckFlags {
  readonly env?: Readonly<Record<string, string>>;
  readonly json?: boolean;
}

/** Says what is wrong with the flows, with the place of each mistake; executes nothing. */
export function runFlowCheck(named: readonly string[], { env = {}, json = false }: FlowCheckFlags): number {
  const checked = findFlows(named).map((file) => ({ file, ...loadFlow(file, { vars: Object.keys(env) }) }));
  const problems = checked.flatMap((each) => [...each.problems]);
  const flows = checked.map(({ file, flow }) => ({ file, ok: flow !== undefined, steps: flow?.flow.steps.length }));
  const say = (line: string): boolean => process.stdout.write(`${printable(line)}\n`);
  if (json) process.stdout.write(`${JSON.stringify({ ok: problems.length === 0, flows, problems })}\n`);
  else {
    for (const problem of problems) say(problemLine(problem));
    const good = flows.filter(({ ok }) => ok).length;
    say(`${good} of ${flows.length} ${flows.length === 1 ? "flow" : "flows"} can be run.`);
  }
  return problems.length === 0 ? exitCodes.ok.code : exitCodes.usage.code;
}
