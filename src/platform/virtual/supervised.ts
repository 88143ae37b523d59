import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { Socket } from "node:net";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { cancelled } from "../../base/async.ts";
import { ToolError } from "../../base/errors.ts";
import type { Report, Settings } from "./messages.ts";
import { removeDeadDesktops } from "./remove.ts";

export type ReadyReport = Extract<Report, { kind: "ready" }>;

/** Our end of the supervisor process. */
export interface Supervised {
  /** Rejects if the start fails; an aborted signal ends what has been started so far. */
  ready(signal: AbortSignal | undefined): Promise<ReadyReport>;
  /** Resolves with the reason when the desktop ended without `end` being called. */
  readonly lost: Promise<string>;
  /** Resolves when nothing of the desktop is left. */
  readonly end: () => Promise<void>;
}

export function startSupervisor(settings: Settings): Supervised {
  const child = spawn(process.execPath, [supervisorPath()], {
    cwd: "/",
    // NODE_OPTIONS may request a debugger, which would stop it before it begins.
    env: { ...process.env, NODE_OPTIONS: "" },
    // In its own session: Ctrl-C in a terminal reaches only us, and we end the desktop in order.
    detached: true,
    stdio: ["pipe", "pipe", "ignore"],
  });
  const exited = new Promise<string>((resolve) => {
    child.once("error", (error) => resolve(error.message));
    child.once("close", (code, signal) => resolve(signal ?? `exit code ${code}`));
  });
  // If it was killed it could not clean up, so we do.
  const gone = exited.then((how) => (how === "exit code 0" ? undefined : removeDeadDesktops()));
  gone.catch(() => {});

  const first = firstReport(child, exited);
  let isEnding = false;
  const end = async (): Promise<void> => {
    isEnding = true;
    setKeepsAlive(child, true);
    child.stdin.destroy();
    await gone;
  };
  child.stdin.on("error", () => {});
  child.stdin.write(`${JSON.stringify(settings)}\n`);
  return {
    lost: first.lost.then((reason) => (isEnding ? new Promise<never>(() => {}) : reason)),
    end,
    async ready(signal) {
      const report = await Promise.race([first.outcome, whenAborted(signal)]);
      if (report.kind !== "ready") {
        await end();
        throw toError(report, signal);
      }
      // A desktop that nobody disposed of must not keep the program running; the life line cleans up after it.
      setKeepsAlive(child, false);
      return report;
    },
  };
}

function firstReport(
  child: ChildProcess,
  exited: Promise<string>,
): { outcome: Promise<Report>; lost: Promise<string> } {
  const toLoss = (how: string): string => `The process that owns the virtual desktop ended (${how}).`;
  let outcome: (report: Report) => void;
  let lost: (reason: string) => void;
  const promises = {
    outcome: new Promise<Report>((resolve) => (outcome = resolve)),
    lost: new Promise<string>((resolve) => (lost = resolve)),
  };
  if (child.stdout) {
    createInterface({ input: child.stdout }).on("line", (line) => {
      const report = JSON.parse(line) as Report;
      if (report.kind === "lost") lost(report.reason);
      else outcome(report);
    });
  }
  void exited.then((how) => {
    lost(toLoss(how));
    outcome({ kind: "lost", reason: toLoss(how) });
  });
  return promises;
}

function whenAborted(signal: AbortSignal | undefined): Promise<Report> {
  return new Promise((resolve) => {
    const report: Report = { kind: "lost", reason: "cancelled" };
    if (signal?.aborted) resolve(report);
    signal?.addEventListener("abort", () => resolve(report), { once: true });
  });
}

function toError(report: Report, signal: AbortSignal | undefined): ToolError {
  if (signal?.aborted) return cancelled(signal);
  if (report.kind !== "failed") {
    return new ToolError("internal", report.kind === "lost" ? report.reason : "The virtual desktop did not start.");
  }
  return new ToolError(report.code, report.message, report.hint === undefined ? {} : { hint: report.hint });
}

function setKeepsAlive(child: ChildProcess, keeps: boolean): void {
  for (const handle of [child, child.stdin, child.stdout]) {
    if (handle === child || handle instanceof Socket) handle[keeps ? "ref" : "unref"]();
  }
}

function supervisorPath(): string {
  const here = import.meta.url;
  // Tests run the sources through vitest; Node can only start the compiled file.
  const url = here.endsWith(".ts")
    ? new URL("../../../dist/platform/virtual/supervisor.js", here)
    : new URL("./supervisor.js", here);
  return fileURLToPath(url);
}
