import { release, type } from "node:os";
import { openRules, openSession } from "../app.ts";
import { ToolError } from "../base/errors.ts";
import { version } from "../base/version.ts";
import type { Config } from "../config/options.ts";
import { canOpenPrivateDesktop } from "../platform/open.ts";
import { callFromTerminal } from "./call.ts";
import { exitCodes } from "./exit.ts";
import { printable } from "./text.ts";
import { textWidth, wrap } from "./wrap.ts";

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
  /** Where handsight can work right now. */
  readonly usable: readonly ("desktop" | "private desktop")[];
}

/** Probes the machine live. Exit code 0 when there is a desktop to work on: the person's own, or a private one. */
export async function runDoctor(config: Config, json: boolean): Promise<number> {
  const diagnosis = await diagnose(config);
  process.stdout.write(`${json ? JSON.stringify(diagnosis) : renderDiagnosis(diagnosis)}\n`);
  return diagnosis.usable.length === 0 ? exitCodes.failed.code : exitCodes.ok.code;
}

async function diagnose(config: Config): Promise<Diagnosis> {
  // Probing needs no permission, and nothing is recorded.
  await using session = openSession({ ...config, tools: ["all"], policy: "observe-only", journal: false });
  const outcome = await callFromTerminal(session, { name: "capabilities", title: "Probing" }, {});
  if (outcome.kind === "failed") {
    const { code, message, hint } = outcome.envelope.error;
    throw new ToolError(code, message, hint === undefined ? {} : { hint });
  }
  const { backend, findings } = outcome.data as { readonly backend: string; readonly findings: readonly Finding[] };
  const own = canOpenPrivateDesktop() ? await probeOwn() : [];
  const canUseOwn = findings.every(({ status }) => status !== "missing");
  return {
    handsight: version,
    node: process.versions.node,
    system: `${type()} ${release()} ${process.arch}`,
    backend,
    policy: openRules(config).mode,
    findings: [...findings, ...own],
    usable: [
      ...(canUseOwn ? ["desktop" as const] : []),
      ...(own.some(({ status }) => status !== "missing") ? ["private desktop" as const] : []),
    ],
  };
}

async function probeOwn(): Promise<readonly Finding[]> {
  const { probePrivateDesktop } = await import("../platform/virtual/probe.ts");
  return [{ ability: "private desktop", ...probePrivateDesktop(process.env) }];
}

function renderDiagnosis({ handsight, node, system, backend, policy, findings, usable }: Diagnosis): string {
  const marks = { ok: "ok     ", limited: "limited", missing: "missing" };
  const width = Math.max(...findings.map(({ ability }) => ability.length));
  const room = textWidth();
  // On a narrow terminal the text goes below its heading.
  const isNarrow = room < 72;
  const indent = isNarrow ? 4 : width + 13;
  const lines = findings.flatMap(({ ability, status, detail, fix }) => [
    `  ${marks[status]}  ${isNarrow ? `${ability}\n    ` : `${ability.padEnd(width)}  `}${wrap(readable(detail), room, indent)}`,
    ...(fix === undefined || status === "ok"
      ? []
      : [`${" ".repeat(indent)}→ ${wrap(printable(fix), room, indent + 2)}`]),
  ]);
  return [
    `handsight ${handsight}, Node ${node}, ${system}`,
    `backend ${backend}, policy ${policy}`,
    "",
    ...lines,
    "",
    wrap(conclusion(usable, findings), room),
  ].join("\n");
}

/** The list of all readable letters is one word of two hundred characters; `capabilities` has it in full. */
const readable = (detail: string): string => printable(detail).replaceAll(/(\S{40})\S{20,}/g, "$1…");

function conclusion(usable: Diagnosis["usable"], findings: Diagnosis["findings"]): string {
  if (findings.some(({ ability, status }) => ability === "connection" && status === "limited")) {
    const other = usable.includes("private desktop") ? "; --desktop virtual works on a private one" : "";
    if (!canOpenPrivateDesktop()) return "handsight works on this desktop once that is fixed.";
    return `handsight works on the X11 programs of this desktop only${other}.`;
  }
  if (usable.length === 2) return "handsight works on this desktop, and with --desktop virtual on a private one.";
  if (usable.includes("desktop")) {
    const other = canOpenPrivateDesktop() ? " The arrows say how to get a private one." : "";
    return `handsight works on this desktop.${other}`;
  }
  if (usable.includes("private desktop")) return "handsight works here on a private desktop: add --desktop virtual.";
  return "handsight has no desktop to work on. The arrows say how to fix that.";
}
