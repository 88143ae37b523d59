import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { findInDesktop, readProcess, type Process } from "../../../src/platform/virtual/processes.ts";
import type { SoakServer } from "./server.ts";
import type { Stage } from "./stage.ts";

/** What the server and everything it started use at one moment. */
export interface Usage {
  /** Calls so far. */
  readonly calls: number;
  readonly serverMb: number;
  /** handsight's own processes besides the server: text readers, the desktop's supervisor. */
  readonly helpersMb: number;
  /** X server, window manager and buses of the private desktop. */
  readonly desktopMb: number;
  readonly handles: number;
  /** Handles of the helpers and the desktop: a connection that is not closed also stays open at its other end. */
  readonly otherHandles: number;
  readonly threads: number;
  /** Without those of the browser, which come and go with its pages. */
  readonly processes: number;
  readonly browsers: number;
  /** In TMPDIR, the runtime folder and the desktop's folder, and unfinished ones in the journal. */
  readonly files: number;
  readonly sharedMemory: number;
}

const desktopPrograms = /^(Xvfb|openbox|dbus-daemon|at-spi|dconf|gvfs|xdg-|glib-pacrunner)/;

/**
 * The processes that the server started, however far they forked away; without those of the stage that use its
 * desktop.
 */
export function ownProcesses({ marker, pid }: SoakServer): readonly Process[] {
  const marked = findInDesktop(marker);
  const parents = new Map(marked.map((each) => [each.pid, each.parent]));
  const isOfStage = (each: number): boolean => {
    if (each === pid) return false;
    const parent = parents.get(each) ?? readProcess(each)?.parent;
    return parent === process.pid || (parent !== undefined && parent > 1 && isOfStage(parent));
  };
  return marked.filter((each) => each.pid !== pid && !isOfStage(each.pid));
}

export function takeUsage(stage: Stage): Usage {
  const { server } = stage;
  const { pid, ledger } = server;
  const own = ownProcesses(server).map((each) => ({ ...each, command: commandOf(each.pid) }));
  const browser = own.filter(({ command }) => isBrowser(command));
  const rest = own.filter(({ command }) => !isBrowser(command));
  const desktop = rest.filter(({ command }) => desktopPrograms.test(basename(command[0] ?? "")));
  const helpers = rest.filter(({ command }) => basename(command[0] ?? "") === basename(process.execPath));
  const sum = (processes: readonly Process[], of: (pid: number) => number): number =>
    processes.reduce((total, each) => total + of(each.pid), 0);
  return {
    calls: ledger.entries.length,
    serverMb: statusOf(pid, "VmRSS") / 1024,
    helpersMb: sum(helpers, proportionalMb),
    desktopMb: sum(desktop, proportionalMb),
    handles: handlesOf(pid),
    otherHandles: sum([...desktop, ...helpers], handlesOf),
    threads: statusOf(pid, "Threads"),
    processes: rest.length,
    browsers: browser.filter(({ command }) => leadsBrowser(command)).length,
    files: filesOf(stage).length,
    sharedMemory: segments(new Set([pid, ...rest.map((each) => each.pid)])),
  };
}

/**
 * Files that the server keeps for itself. What tools were asked to write, and the browser's profile, belong to the
 * client; a killed app leaves its socket in the desktop's folder until that is removed.
 */
export function filesOf({ server: { folders }, files, desktop }: Stage): readonly string[] {
  const below = (folder: string): string[] =>
    quietly(() => readdirSync(folder, { recursive: true, encoding: "utf8" }), []).map((name) => join(folder, name));
  return [
    ...[folders.tmp, folders.run, folders.place, desktop.folder]
      .flatMap(below)
      .filter((path) => !path.startsWith(files.folder) && !path.includes("/at-spi2-socket-")),
    ...below(folders.runs).filter((path) => path.endsWith(".part")),
  ];
}

const isBrowser = (command: readonly string[]): boolean => /chrom/.test(basename(command[0] ?? ""));

/** The first of a browser's processes, the parent of the others. */
export const leadsBrowser = (command: readonly string[]): boolean =>
  command.some((part) => part.startsWith("--user-data-dir=")) && !command.some((part) => part.startsWith("--type="));

/** System V segments created or last used by one of these. */
function segments(pids: ReadonlySet<number>): number {
  return readFileSync("/proc/sysvipc/shm", "utf8")
    .trim()
    .split("\n")
    .slice(1)
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , , , creator, last]) => pids.has(Number(creator)) || pids.has(Number(last))).length;
}

export function commandOf(pid: number): readonly string[] {
  return quietly(() => readFileSync(`/proc/${pid}/cmdline`, "latin1").split(/[\0 ]/), []);
}

const handlesOf = (pid: number): number => quietly(() => readdirSync(`/proc/${pid}/fd`).length, 0);

/** Shared pages are counted proportionally. */
function proportionalMb(pid: number): number {
  const text = quietly(() => readFileSync(`/proc/${pid}/smaps_rollup`, "utf8"), "");
  return Number(/^Pss:\s+(\d+) kB$/m.exec(text)?.[1] ?? 0) / 1024;
}

function statusOf(pid: number, field: string): number {
  const text = quietly(() => readFileSync(`/proc/${pid}/status`, "utf8"), "");
  return Number(new RegExp(`^${field}:\\s+(\\d+)`, "m").exec(text)?.[1] ?? 0);
}

/** A process may end between two reads. */
function quietly<T>(read: () => T, otherwise: T): T {
  try {
    return read();
  } catch {
    return otherwise;
  }
}
