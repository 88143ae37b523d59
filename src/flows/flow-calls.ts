import { relative } from "node:path";
import { callerFolder } from "../base/caller-folder.ts";
import { ToolError } from "../base/errors.ts";
import type { FlowChecked, FlowDone, FlowRequest, Session } from "../tools/session.ts";
import { loadFlow, type LoadedFlow } from "./file/load-flow.ts";
import { problemLine } from "./file/read-flow.ts";
import { playFlow } from "./play/play-flow.ts";
import type { RunRecord } from "./play/run-record.ts";
import { FlowReporter } from "./report/flow-reporter.ts";

/** What run_flow and check_flow do, for whoever called them. */

export async function checkFlow(
  file: string,
  vars: readonly string[],
  needRead: FlowRequest["needRead"],
): Promise<FlowChecked> {
  const { flow, problems, files } = loadFlow(file, { vars });
  for (const each of files) await needRead(each);
  return { ok: flow !== undefined, problems: [...problems], ...(flow ? { steps: flow.flow.steps.length } : {}) };
}

const flowsOf = new WeakMap<Session["journal"], number>();

export async function runFlow(session: Session, request: FlowRequest): Promise<FlowDone> {
  const { vars, signal, ask, from, until, onStep } = request;
  const loaded = await needFlow(request);
  needDesktop(session, loaded);
  if ((from ?? until) !== undefined && loaded.rows)
    throw new ToolError("invalid_argument", "from and until are for flows without data.");
  const number = (flowsOf.get(session.journal) ?? 0) + 1;
  flowsOf.set(session.journal, number);
  const name = `flow-${number}`;
  const shelf = {
    save: (each: string, bytes: Uint8Array) => session.journal.saveArtifact(`${name}-${each}`, bytes),
    read: (each: string) => session.journal.readArtifact(each),
  };
  const reporter = new FlowReporter(shelf, (value) => session.secrets.conceal(value));
  const runs: RunRecord[] = [];
  for (const row of loaded.rows ?? [undefined]) {
    const run = await playFlow(session, loaded, {
      signal,
      ask,
      vars,
      row,
      from,
      until,
      keep: reporter.keep,
      onStep: (step, at) => {
        if (step.status === "running") onStep(`${step.id}. ${step.what}`);
        reporter.onStep(step, at);
      },
    });
    // A cancelled run has nothing to report: whoever cancelled it does not wait for the answer.
    if (signal.aborted) throw new ToolError("cancelled", "The flow was cancelled.");
    runs.push(run);
    reporter.ended(run);
  }
  reporter.finish();
  return {
    ok: runs.every(({ status }) => status === "passed"),
    runs: runs.map(toResult),
    report: `handsight://reports/${name}`,
  };
}

async function needFlow({ file, vars, needRead }: FlowRequest): Promise<LoadedFlow> {
  const { flow, problems, files } = loadFlow(file, { vars: Object.keys(vars) });
  // Before a problem is reported: it may quote what must not be read.
  for (const each of files) await needRead(each);
  if (flow) return flow;
  throw new ToolError("invalid_argument", problems.map(problemLine).join("\n"), {
    hint: "Nothing was executed. docs/guides/flows.md describes the format.",
  });
}

/** A flow must not end up on another desktop than the one it was written for. */
function needDesktop({ isPrivateDesktop = false }: Session, { flow, file }: LoadedFlow): void {
  if (flow.desktop === undefined || (flow.desktop === "virtual") === isPrivateDesktop) return;
  const [wants, has] =
    flow.desktop === "virtual"
      ? ["a private desktop", "the person's own"]
      : ["the person's own desktop", "a private one"];
  throw new ToolError(
    "not_supported",
    `${relative(callerFolder(), file)} wants ${wants}, and this session has ${has}.`,
    {
      hint: `Start handsight with --desktop ${flow.desktop}, or leave out desktop in the flow.`,
    },
  );
}

function toResult({ name, row, status, ms, steps, failed, read, now }: RunRecord): FlowDone["runs"][number] {
  return {
    name,
    ...(row ? { row: { ...row } } : {}),
    status: status === "running" ? "cancelled" : status,
    ms,
    steps: steps.map(({ id, line, what, status: became, effect, saw, note, ms: took }) => ({
      step: id,
      line,
      what,
      status: became,
      ...(effect === undefined ? {} : { effect }),
      ...(saw === undefined ? {} : { saw }),
      ...(note === undefined ? {} : { note }),
      ms: took,
    })),
    ...(failed ? { failed: { ...failed, ...(failed.candidates ? { candidates: [...failed.candidates] } : {}) } } : {}),
    ...(Object.keys(read).length > 0 ? { read } : {}),
    ...(now === undefined ? {} : { now }),
  };
}
