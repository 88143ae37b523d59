import { readFile, readlink } from "node:fs/promises";
import { ToolError } from "../../../base/errors.ts";

/** One process, not just its number: numbers are reused. */
export interface ProcessIdentity {
  readonly pid: number;
  /** In clock ticks since the machine started. */
  readonly startTime: string;
}

/** Undefined when it is not running. A zombie has ended; its parent just has not collected it yet. */
export async function findProcess(pid: number): Promise<ProcessIdentity | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  // The name before it may contain spaces and parentheses. Fields as in proc(5), starting with the third, the state.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [state, startTime] = [fields[0], fields[19]];
  return startTime === undefined || state === "Z" || state === "X" ? undefined : { pid, startTime };
}

export async function isRunning({ pid, startTime }: ProcessIdentity): Promise<boolean> {
  return (await findProcess(pid))?.startTime === startTime;
}

/** Sends a signal unless the process has ended. */
export async function signalProcess(process_: ProcessIdentity, name: "SIGTERM" | "SIGKILL"): Promise<void> {
  if (!(await isRunning(process_))) return;
  try {
    process.kill(process_.pid, name);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ESRCH") return;
    throw new ToolError("permission_missing", `This user may not end process ${process_.pid}.`, {
      hint: "It belongs to somebody else: run handsight as that user, or close its windows instead.",
      cause: error,
    });
  }
}

/** The program that a process runs; empty when unknown. */
export async function findExecutable(pid: number): Promise<string> {
  const path = await readlink(`/proc/${pid}/exe`).catch(() => undefined);
  if (path !== undefined) return path.replace(/ \(deleted\)$/u, "");
  const line = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
  return line.split("\0")[0] ?? "";
}

/** The environment that a process was started with; empty when it may not be read. */
export async function readEnvironment(pid: number): Promise<ReadonlyMap<string, string>> {
  const text = await readFile(`/proc/${pid}/environ`, "utf8").catch(() => "");
  const pairs = text.split("\0").map((line): readonly [string, string] => {
    const end = line.indexOf("=");
    return [line.slice(0, Math.max(0, end)), line.slice(end + 1)];
  });
  return new Map(pairs);
}
