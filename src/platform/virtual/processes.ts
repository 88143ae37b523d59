import { readdirSync, readFileSync } from "node:fs";

export interface Process {
  readonly pid: number;
  readonly parent: number;
  /** In clock ticks since boot; together with the pid it identifies a process for good, because pids are reused. */
  readonly startTicks: string;
}

/** The variable that every process inside a desktop inherits: desktop ids, outermost first. */
export const markerName = "_HANDSIGHT_DESKTOP";

/** One process from /proc/<pid>/stat (proc(5)); undefined when it has ended, even if it was not reaped yet. */
export function readProcess(pid: number): Process | undefined {
  const stat = readProc(pid, "stat")?.toString("latin1");
  if (stat === undefined) return undefined;
  // The second field is the program's name in parentheses and may itself contain spaces and parentheses.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [state, parent, startTicks] = [fields[0], fields[1], fields[19]];
  if (state === "Z" || state === "X" || parent === undefined || startTicks === undefined) return undefined;
  return { pid, parent: Number(parent), startTicks };
}

export function isMarked(pid: number, desktopId: string): boolean {
  const environment = readProc(pid, "environ");
  if (!environment?.includes(desktopId)) return false;
  return environment
    .toString("latin1")
    .split("\0")
    .some(
      (line) =>
        line.startsWith(`${markerName}=`) &&
        line
          .slice(markerName.length + 1)
          .split(":")
          .includes(desktopId),
    );
}

/**
 * Everything that runs inside a desktop: marked processes, however often they forked away from us, and their
 * descendants, because a program that renames itself (as Chromium's children do) overwrites its environment.
 */
export function findInDesktop(desktopId: string): readonly Process[] {
  const all = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => readProcess(Number(name)) ?? []);
  const inside = new Set(all.filter(({ pid }) => isMarked(pid, desktopId)).map(({ pid }) => pid));
  for (let before = -1; before !== inside.size;) {
    before = inside.size;
    for (const { pid, parent } of all) if (inside.has(parent)) inside.add(pid);
  }
  inside.delete(process.pid);
  return all.filter(({ pid }) => inside.has(pid));
}

export function signalAll(processes: readonly Process[], signal: NodeJS.Signals): void {
  for (const { pid, startTicks } of processes) {
    if (readProcess(pid)?.startTicks !== startTicks) continue;
    try {
      process.kill(pid, signal);
    } catch {
      // It ended just before the signal, or now belongs to another user (a setuid program).
    }
  }
}

function readProc(pid: number, file: string): Buffer | undefined {
  try {
    return readFileSync(`/proc/${pid}/${file}`);
  } catch {
    return undefined;
  }
}
