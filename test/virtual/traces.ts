import { existsSync, readFileSync, statSync } from "node:fs";
import { findInDesktop } from "../../src/platform/virtual/processes.ts";

/** Everything that a running desktop occupies on the machine, recorded so that it can be checked afterwards. */
export interface Traces {
  readonly id: string;
  readonly folder: string;
  readonly socket: string;
  readonly socketIdentity: string;
  readonly pids: ReadonlySet<number>;
}

export function noteTraces({ id, env }: { readonly id: string; readonly env: NodeJS.ProcessEnv }): Traces {
  const socket = `/tmp/.X11-unix/X${env["DISPLAY"]?.slice(1)}`;
  return {
    id,
    folder: env["XAUTHORITY"]?.replace(/\/Xauthority$/, "") ?? "",
    socket,
    socketIdentity: identity(socket) ?? "none",
    pids: new Set(findInDesktop(id).map(({ pid }) => pid)),
  };
}

/** What is left of it, in words; empty when nothing. */
export function leftOver({ id, folder, socket, socketIdentity, pids }: Traces): readonly string[] {
  const lock = `/tmp/.${socket.replace(/^.*\//, "")}-lock`;
  const lockOwner = existsSync(lock) ? Number(readFileSync(lock, "utf8")) : undefined;
  const segments = readFileSync("/proc/sysvipc/shm", "utf8")
    .trim()
    .split("\n")
    .slice(1)
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , , , creator]) => pids.has(Number(creator)));
  return [
    ...findInDesktop(id).map(({ pid }) => `process ${pid}`),
    ...(existsSync(folder) ? [`folder ${folder}`] : []),
    ...(identity(socket) === socketIdentity ? [`socket ${socket}`] : []),
    ...(lockOwner !== undefined && pids.has(lockOwner) ? [`lock ${lock}`] : []),
    ...segments.map(([, segment]) => `shared memory ${segment}`),
  ];
}

/** The next desktop may get the same number, so the name alone proves nothing. */
function identity(path: string): string | undefined {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat && `${stat.ino}:${stat.ctimeMs}`;
}
