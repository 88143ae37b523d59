import { readFileSync } from "node:fs";
import { uptime } from "node:os";

/** Identifies one process for good: a pid alone is reused. */
export interface ProcessIdentity {
  readonly pid: number;
  /** When it started, in a form only good for comparing; undefined if the system does not report it. */
  readonly started: string | undefined;
}

export const identify = (pid: number): ProcessIdentity => ({ pid, started: startOf(pid) });

export const ownIdentity = (): ProcessIdentity => identify(process.pid);

export function isRunning({ pid, started }: ProcessIdentity): boolean {
  // To kill(), 0 and negative numbers mean process groups.
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
    // EPERM: it exists and belongs to somebody else.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

function startOf(pid: number): string | undefined {
  const fields = fieldsOf(pid);
  return fields[0] === "Z" ? "ended" : fields[19];
}

// USER_HZ, the unit of times in /proc, is 100 on every machine that Node runs on.
const ticksPerSecond = 100;

/** How long it has been running; undefined if it is gone or the system does not report it. */
export function ageMsOf(pid: number): number | undefined {
  const ticks = Number(fieldsOf(pid)[19]);
  return Number.isFinite(ticks) ? (uptime() - ticks / ticksPerSecond) * 1000 : undefined;
}

/**
 * The process and all its ancestors, except the machine's first process; just the process itself if the system does
 * not report them.
 */
export function lineageOf(pid: number): readonly number[] {
  const line: number[] = [];
  for (let at = pid; at > 1 && !line.includes(at); at = Number(fieldsOf(at)[1] ?? 0)) line.push(at);
  return line;
}

/**
 * The fields of proc_pid_stat(5) from the third one, the state, on: ppid is the second here, starttime the twentieth.
 */
function fieldsOf(pid: number): readonly string[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The command name in parentheses may itself contain spaces and parentheses.
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  } catch {
    return [];
  }
}
