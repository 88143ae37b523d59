import { execFileSync } from "node:child_process";
import { readFileSync, rmSync, statSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sleep } from "../../base/async.ts";
import { findDeadFolders } from "./folder.ts";
import type { DesktopFolder } from "./folder.ts";
import { findInDesktop, readProcess, signalAll } from "./processes.ts";

/** How long programs may take to end by themselves, for example to save their state. */
const graceMs = 1000;
/** After this a process is out of reach (stuck in the kernel, or owned by another user through setuid). */
const giveUpMs = 10_000;

interface XServerRecord {
  readonly display: number;
  readonly pid: number;
  /** Distinguishes our socket file from one that a later server created under the same name. */
  readonly socket: string | undefined;
}

const recordPath = (folder: DesktopFolder): string => join(folder.path, "x-server.json");
const socketPath = (display: number): string => `/tmp/.X11-unix/X${display}`;

/** Records which files outside the folder the X server created; it cannot remove them itself when it is killed. */
export function recordXServer(folder: DesktopFolder, display: number, pid: number): void {
  const record: XServerRecord = { display, pid, socket: fileIdentity(socketPath(display)) };
  writeFileSync(recordPath(folder), JSON.stringify(record), { mode: 0o600 });
}

/** Ends every process of the desktop and removes every file. Safe to run twice, and concurrently. */
export async function removeDesktop(folder: DesktopFolder): Promise<void> {
  const ended = await endProcesses(folder.id);
  removeSharedMemory(ended);
  removeXFiles(folder);
  unmountBelow(folder.path);
  rmSync(folder.path, { recursive: true, force: true, maxRetries: 3 });
}

/** Removes what is left of desktops whose owner was killed together with everything that could clean up. */
export async function removeDeadDesktops(): Promise<void> {
  for (const folder of findDeadFolders()) await removeDesktop(folder);
}

async function endProcesses(id: string): Promise<ReadonlySet<number>> {
  const seen = new Set<number>();
  const start = performance.now();
  let found = findInDesktop(id);
  signalAll(found, "SIGTERM");
  // Two empty looks in a row: a program that is just replacing itself has no environment for a moment.
  for (let empty = 0; empty < 2 && performance.now() < start + giveUpMs; empty = found.length === 0 ? empty + 1 : 0) {
    for (const { pid } of found) seen.add(pid);
    if (performance.now() >= start + graceMs) signalAll(found, "SIGKILL");
    await sleep(15);
    // Search again each time: a program may have started others meanwhile.
    const left = findInDesktop(id);
    signalAll(
      left.filter(({ pid }) => !seen.has(pid)),
      "SIGTERM",
    );
    found = left;
  }
  return seen;
}

/** A program killed between creating a segment and marking it for removal leaves it until the next boot. */
function removeSharedMemory(creators: ReadonlySet<number>): void {
  const [, ...lines] = (readText("/proc/sysvipc/shm") ?? "").trimEnd().split("\n");
  for (const line of lines) {
    const [, id, , , creator, , attached] = line.trim().split(/\s+/);
    if (id !== undefined && attached === "0" && creators.has(Number(creator))) attempt("ipcrm", ["-m", id]);
  }
}

function removeXFiles(folder: DesktopFolder): void {
  const text = readText(recordPath(folder));
  if (text === undefined) return;
  const { display, pid, socket } = JSON.parse(text) as XServerRecord;
  const lock = `/tmp/.X${display}-lock`;
  if (Number(readText(lock)) === pid && !readProcess(pid)) rmSync(lock, { force: true });
  const path = socketPath(display);
  // A later server may have taken over the number, and with it the name.
  if (socket !== undefined && fileIdentity(path) === socket) unlinkSync(path);
}

function unmountBelow(path: string): void {
  for (const line of (readText("/proc/self/mountinfo") ?? "").split("\n")) {
    const mountPoint = line.split(" ")[4];
    if (!mountPoint?.startsWith(`${path}/`)) continue;
    const unmount = [
      ["fusermount3", "-uz"],
      ["fusermount", "-uz"],
      ["umount", "-l"],
    ] as const;
    unmount.some(([program, option]) => attempt(program, [option, mountPoint]));
  }
}

function attempt(program: string, args: readonly string[]): boolean {
  try {
    execFileSync(program, args, { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

function fileIdentity(path: string): string | undefined {
  const stat = statSync(path, { throwIfNoEntry: false });
  // Some file systems reuse inode numbers at once, so include the time.
  return stat && `${stat.ino}:${stat.ctimeMs}`;
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
