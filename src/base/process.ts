import { readFileSync } from "node:fs";

/** Names one process for good: a pid alone is reused. */
export interface ProcessIdentity {
  readonly pid: number;
  /** When it started, in a form only good for comparing; undefined where the system does not tell. */
  readonly started: string | undefined;
}

export const identify = (pid: number): ProcessIdentity => ({ pid, started: startOf(pid) });

export const ownIdentity = (): ProcessIdentity => identify(process.pid);

export function isRunning({ pid, started }: ProcessIdentity): boolean {
  // 0 and negative numbers mean process groups to kill().
  if (!Number.isInteger(pid) || pid <= 0 || !exists(pid)) return false;
  if (started === undefined) return true;
  const now = startOf(pid);
  return now === undefined || now === started;
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it is there and belongs to somebody else.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

function startOf(pid: number): string | undefined {
  try {
    // proc_pid_stat(5): the command name in parentheses may itself hold spaces and parentheses; starttime is field 22.
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return fields[0] === "Z" ? "ended" : fields[19];
  } catch {
    return undefined;
  }
}
