import { release, type } from "node:os";
import { openRules, openSession } from "../app.ts";
import { ToolError } from "../base/errors.ts";
import { version } from "../base/version.ts";
import type { Config } from "../config/options.ts";
import { callFromTerminal } from "./call.ts";
import { exitCodes } from "./exit.ts";
import { printable } from "./text.ts";

interface Finding {
  readonly ability: string;
  readonly status: "ok" | "limited" | "missing";
  readonly detail: string;
  readonly fix?: string | undefined;
}

interface Diagnosis {
  readonly handsight: string;
  readonly node: string;
  readonly system: string;
  readonly backend: string;
  readonly policy: string;
  readonly findings: readonly Finding[];
}

/** Probes the machine live. Exit code 0 when nothing is missing. */
export async function runDoctor(config: Config, json: boolean): Promise<number> {
  const diagnosis = await diagnose(config);
  process.stdout.write(`${json ? JSON.stringify(diagnosis) : renderDiagnosis(diagnosis)}\n`);
  return diagnosis.findings.some(({ status }) => status === "missing") ? exitCodes.failed.code : exitCodes.ok.code;
}

async function diagnose(config: Config): Promise<Diagnosis> {
  // Looking at what works needs nobody's permission, and nothing is recorded.
  await using session = openSession({ ...config, tools: ["all"], policy: "observe-only", journal: false });
  const outcome = await callFromTerminal(session, { name: "capabilities", title: "Probing" }, {});
  if (outcome.kind === "failed") {
    const { code, message, hint } = outcome.envelope.error;
    throw new ToolError(code, message, hint === undefined ? {} : { hint });
  }
  const { backend, findings } = outcome.data as { readonly backend: string; readonly findings: readonly Finding[] };
  return {
    handsight: version,
    node: process.versions.node,
    system: `${type()} ${release()} ${process.arch}`,
    backend,
    policy: openRules(config).mode,
    findings: [...findings, await probePrivateDesktop()],
  };
}

async function probePrivateDesktop(): Promise<Finding> {
  const ability = "private desktop";
  try {
    const { needPrograms } = await import("../platform/virtual/programs.ts");
    const { setpriv } = needPrograms(process.env, "openbox");
    if (setpriv !== undefined) return { ability, status: "ok", detail: "Every program it needs is installed." };
    const detail = "Works, but without setpriv its programs outlive a handsight that is killed with SIGKILL.";
    return { ability, status: "limited", detail, fix: "sudo apt-get install util-linux" };
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    return { ability, status: "limited", detail: error.message, fix: error.details.hint };
  }
}

function renderDiagnosis({ handsight, node, system, backend, policy, findings }: Diagnosis): string {
  const marks = { ok: "ok     ", limited: "limited", missing: "MISSING" };
  const width = Math.max(...findings.map(({ ability }) => ability.length));
  const lines = findings.flatMap(({ ability, status, detail, fix }) => [
    `  ${marks[status]}  ${ability.padEnd(width)}  ${printable(detail)}`,
    ...(fix === undefined || status === "ok" ? [] : [`${" ".repeat(width + 13)}→ ${printable(fix)}`]),
  ]);
  const bad = findings.filter(({ status }) => status === "missing").length;
  return [
    `handsight ${handsight}, Node ${node}, ${system}`,
    `backend ${backend}, policy ${policy}`,
    "",
    ...lines,
    "",
    bad === 0 ? "Everything needed is there." : `${bad} missing; the arrows say what mends it.`,
  ].join("\n");
}
