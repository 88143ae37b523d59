import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { exportTrace } from "../agent/trace.ts";
import { openSession } from "../app.ts";
import { callerFolder } from "../base/caller-folder.ts";
import { ToolError } from "../base/errors.ts";
import { writeOwnFile } from "../base/own-file.ts";
import type { Config } from "../config/options.ts";
import { findFlows } from "../flows/file/find-flows.ts";
import { loadFlow, type LoadedFlow } from "../flows/file/load-flow.ts";
import { problemLine } from "../flows/file/read-flow.ts";
import type { Row } from "../flows/file/rows.ts";
import { playFlow } from "../flows/play/play-flow.ts";
import type { RunRecord } from "../flows/play/run-record.ts";
import { reaches } from "../flows/play/step-ids.ts";
import { SoftStates } from "../flows/play/soft-state.ts";
import { FlowReporter, reportFile, type Shelf } from "../flows/report/flow-reporter.ts";
import { renderJunit } from "../flows/report/junit.ts";
import { allTools } from "../tools/registry.ts";
import { approve, canAsk } from "./approve.ts";
import { EmergencyStop } from "./emergency.ts";
import { exitCodes } from "./exit.ts";
import { openFlowLines } from "./flow-lines.ts";
import { openInterrupt } from "./interrupt.ts";
import { printable } from "./text.ts";

/** Command-line flags besides the settings. */
export interface FlowRunFlags {
  readonly tags?: string;
  readonly shard?: string;
  readonly retries?: string;
  readonly from?: string;
  readonly until?: string;
  readonly step?: boolean;
  readonly env?: Readonly<Record<string, string>>;
  readonly json?: boolean;
  readonly junit?: string;
  readonly report?: string;
  readonly trace?: string;
  /** The desktop that was asked for on the command line. */
  readonly desktop?: Config["desktop"];
}

interface Job {
  readonly flow: LoadedFlow;
  readonly row?: Row;
}

/** Plays flows, each in a session of its own, and returns the exit code. */
export async function runFlowRun(named: readonly string[], config: Config, flags: FlowRunFlags): Promise<number> {
  const { json = false, env = {} } = flags;
  const retries = needCount("retries", flags.retries ?? "0");
  const loaded = findFlows(named).map((file) => loadFlow(file, { vars: Object.keys(env) }));
  const problems = loaded.flatMap((each) => [...each.problems]);
  if (problems.length > 0) {
    // One mistake in one file: nothing of any of them is done.
    if (json) process.stdout.write(`${JSON.stringify({ ok: false, problems })}\n`);
    else process.stderr.write(`${problems.map((problem) => printable(problemLine(problem))).join("\n")}\n`);
    return exitCodes.usage.code;
  }
  const flows = loaded.flatMap(({ flow }) => (flow ? [flow] : []));
  const jobs = inShard(withTags(flows, flags.tags).flatMap(jobsOf), flags.shard);
  if ((flags.from ?? flags.until) !== undefined && jobs.length > 1)
    throw new ToolError("invalid_argument", "--from and --until are for one flow without data.");
  const states = new SoftStates(join(dirname(config.runsDir), "flows"));
  const folder = flags.report === undefined ? undefined : resolve(callerFolder(), flags.report);
  const lines = openFlowLines(json);
  using interrupt = openInterrupt();
  const ended: RunRecord[] = [];
  const reporter = folder === undefined ? undefined : new FlowReporter(folderShelf(folder));
  for (const job of jobs) {
    for (let attempt = 1; ; attempt++) {
      if (interrupt.signal.aborted) break;
      const run = await playOnce(job, { config, flags, states, lines, reporter, signal: interrupt.signal });
      if (attempt > 1) run.attempts = attempt;
      reporter?.ended(run);
      lines.ended(run);
      if (run.status === "failed" && attempt <= retries) continue;
      ended.push(run);
      break;
    }
  }
  reporter?.finish();
  if (flags.junit !== undefined) {
    const xml = renderJunit(ended, (file) => relative(callerFolder(), file) || file);
    writeOwnFile(resolve(callerFolder(), flags.junit), Buffer.from(xml), 0o644);
  }
  const report = folder === undefined ? undefined : join(folder, reportFile);
  if (json) {
    const ok = ended.length === jobs.length && ended.every(({ status }) => status === "passed");
    process.stdout.write(`${JSON.stringify({ ok, runs: ended, ...(report === undefined ? {} : { report }) })}\n`);
  } else lines.totals(ended, { planned: jobs.length, report });
  return interrupt.signal.aborted ? exitCodes.cancelled.code : exitCodeFor(ended);
}

interface Playground {
  readonly config: Config;
  readonly flags: FlowRunFlags;
  readonly states: SoftStates;
  readonly lines: ReturnType<typeof openFlowLines>;
  readonly reporter: FlowReporter | undefined;
  readonly signal: AbortSignal;
}

async function playOnce({ flow, row }: Job, ground: Playground): Promise<RunRecord> {
  const { config, flags, states, lines, reporter, signal } = ground;
  const remembered = flags.from === undefined ? undefined : states.load(flow.file);
  const from = flags.from === "failed" ? remembered?.step : flags.from;
  if (flags.from === "failed" && from === undefined)
    throw new ToolError("invalid_argument", "This flow has no failed step to go on with.", {
      hint: "Give its number or name.",
    });
  const emergency = new EmergencyStop();
  const own = { ...config, desktop: flags.desktop ?? flow.flow.desktop ?? config.desktop };
  await using session = openSession(own, { tools: emergency.guard(allTools), handsOver: own.desktop === "real" });
  emergency.protect(session);
  lines.begin(flow, row);
  const recorder =
    reporter ?? new FlowReporter(journalShelf(session.journal), (value) => session.secrets.conceal(value));
  const run = await playFlow(session, flow, {
    signal,
    ...(canAsk() ? { ask: (question, asked) => lines.without(() => approve(question, asked)) } : {}),
    vars: { ...remembered?.read, ...flags.env },
    environment: process.env,
    row,
    from,
    until: flags.until,
    keep: recorder.keep,
    films: reporter !== undefined,
    ...(flags.step === true ? { before: lines.askBefore } : {}),
    onStep: (record, at) => {
      // What a step says or reports may hold a secret that was put into it.
      const [step, run] = session.secrets.conceal([record, at] as const);
      lines.step(step);
      recorder.onStep(step, run);
      if (step.status === "running" && row === undefined && step.depth === 0)
        states.save(
          session.secrets.conceal({ file: flow.file, step: step.id, read: { ...remembered?.read, ...at.read } }),
        );
    },
  });
  if (row === undefined) {
    if (run.status === "passed" && flags.until === undefined) states.forget(flow.file);
    else if (run.failed)
      states.save({
        file: flow.file,
        step: reachableId(flow.flow.steps, plainId(run.failed.step)),
        read: { ...remembered?.read, ...run.read },
      });
  }
  if (!reporter && run.status !== "passed") {
    recorder.ended(run);
    recorder.finish();
    lines.files(join(config.runsDir, session.journal.runId));
  }
  if (flags.trace !== undefined)
    writeOwnFile(resolve(callerFolder(), flags.trace), exportTrace(join(config.runsDir, session.journal.runId)), 0o600);
  return run;
}

/** Without the rounds of loops: it can be gone on with from the first of them only. */
const plainId = (id: string): string => id.replaceAll(/#\d+/g, "").replaceAll(/\.(?:else|on_fail|finally)\..*$/g, "");

/** A step of a flow that was run by another is gone on with from the step that ran it. */
const reachableId = (steps: LoadedFlow["flow"]["steps"], id: string): string =>
  reaches(steps, "", id) ? id : (id.split(".")[0] ?? id);

const jobsOf = (flow: LoadedFlow): readonly Job[] => flow.rows?.map((row) => ({ flow, row })) ?? [{ flow }];

/** `smoke,fast` takes flows with any of these tags, `!slow` leaves out those with that one. */
function withTags(flows: readonly LoadedFlow[], wanted: string | undefined): readonly LoadedFlow[] {
  const words = (wanted ?? "")
    .split(",")
    .map((word) => word.trim())
    .filter((word) => word !== "");
  const without = words.filter((word) => word.startsWith("!")).map((word) => word.slice(1));
  const any = words.filter((word) => !word.startsWith("!"));
  const left = flows.filter(({ flow: { tags = [] } }) => {
    const has = (tag: string): boolean => tags.includes(tag);
    return (any.length === 0 || any.some(has)) && !without.some(has);
  });
  if (left.length > 0) return left;
  throw new ToolError("invalid_argument", `No flow has the tags "${wanted}".`);
}

/** Every third job, beginning with the first, second or third: shards together play each job once. */
function inShard(jobs: readonly Job[], shard: string | undefined): readonly Job[] {
  if (shard === undefined) return jobs;
  const [, part = "", parts = ""] = /^(\d{1,4})\/(\d{1,4})$/.exec(shard) ?? [];
  const [index, count] = [Number(part), Number(parts)];
  if (index < 1 || index > count)
    throw new ToolError("invalid_argument", `--shard takes 1/3, 2/3 or 3/3, not "${shard}".`);
  return jobs.filter((_, at) => at % count === index - 1);
}

function needCount(name: string, text: string): number {
  if (/^\d{1,2}$/.test(text)) return Number(text);
  throw new ToolError("invalid_argument", `--${name} takes a number from 0 to 99, not "${text}".`);
}

function folderShelf(folder: string): Shelf {
  mkdirSync(folder, { recursive: true });
  return {
    save(name, bytes) {
      const path = join(folder, name);
      // Whoever is killed while writing must not leave half a page.
      writeFileSync(`${path}.new`, bytes);
      renameSync(`${path}.new`, path);
      return name;
    },
    read: (name) => readFileSync(join(folder, name)),
  };
}

const journalShelf = (journal: ReturnType<typeof openSession>["journal"]): Shelf => ({
  save: (name, bytes) => journal.saveArtifact(name, bytes),
  read: (name) => journal.readArtifact(name),
});

/** The worst of them: what was refused or out of reach says more than what failed. */
function exitCodeFor(runs: readonly RunRecord[]): number {
  const has = (status: RunRecord["status"]): boolean => runs.some((run) => run.status === status);
  if (has("cancelled")) return exitCodes.cancelled.code;
  if (runs.some(({ failed }) => failed?.code === "invalid_argument")) return exitCodes.usage.code;
  if (has("refused")) return exitCodes.denied.code;
  if (has("unreachable")) return exitCodes.unreachable.code;
  return has("failed") ? exitCodes.failed.code : exitCodes.ok.code;
}
