import { existsSync, lstatSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { isAbsolute, join } from "node:path";
import { makeFolders } from "./named-file.ts";
import { isRunning, ownIdentity, type ProcessIdentity } from "./process.ts";

const stopFile = "stopped";

/**
 * Where running processes and the emergency stop of this user are noted; all of these places count. The last one is the same
 * for every process of the user, however it was started. The others depend on XDG_RUNTIME_DIR and TMPDIR: there earlier
 * versions look.
 */
export function runtimeFolders(env: NodeJS.ProcessEnv = process.env): readonly string[] {
  const user = process.getuid?.() ?? userInfo().username;
  const session = env["XDG_RUNTIME_DIR"] || `/run/user/${user}`;
  const all = [
    ...(isAbsolute(session) && isFolder(session) ? [join(session, "handsight")] : []),
    join(tmpdir(), `handsight-${user}`),
    env[placeVariable] || fixedPlace(user),
  ];
  return [...new Set(all)];
}

/** Names another last place, for tests: who sets it is neither stopped by others nor takes turns with them. */
export const placeVariable = "_HANDSIGHT_PLACE";

/** Everybody may write to /tmp, where there is one; elsewhere a user's own folder is not up to the environment. */
function fixedPlace(user: number | string): string {
  return process.getuid ? `/tmp/handsight-${user}` : join(userInfo().homedir, `.handsight-${user}`);
}

/** The place for what processes have to agree on; the next best where somebody else has taken its name. */
export function sharedPlace(env: NodeJS.ProcessEnv = process.env): string {
  const folders = runtimeFolders(env);
  return folders.findLast(makeOwn) ?? folders.at(-1) ?? tmpdir();
}

/** Notes this process in every place that works; returns how to undo it. */
export function registerProcess(folders: readonly string[]): () => void {
  const files = folders.filter(makeOwn).map((folder) => join(folder, `${process.pid}.json`));
  for (const file of files) writeFileSync(file, JSON.stringify(ownIdentity()), { mode: 0o600 });
  return () => {
    for (const file of files) rmSync(file, { force: true });
  };
}

/** The processes noted that still run; notes of others are removed. */
export function findProcesses(folders: readonly string[]): readonly ProcessIdentity[] {
  const files = folders
    .filter(isOwn)
    .flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)))
    .filter((file) => /[/\\]\d+\.json$/.test(file));
  const running = new Map<number, ProcessIdentity>();
  for (const file of files) {
    const identity = readIdentity(file);
    if (identity !== undefined && isRunning(identity)) running.set(identity.pid, identity);
    else rmSync(file, { force: true });
  }
  return [...running.values()];
}

/** Returns the places in which the stop was noted. */
export function writeStop(folders: readonly string[]): readonly string[] {
  const usable = folders.filter(makeOwn);
  for (const folder of usable) writeFileSync(join(folder, stopFile), new Date().toISOString(), { mode: 0o600 });
  return usable;
}

/** When the stop was ordered; undefined when there is none. */
export function readStop(folders: readonly string[]): string | undefined {
  for (const folder of folders) {
    const file = join(folder, stopFile);
    // Asked before every action, and hardly ever there: looking at the folder, and an error thrown, take ten times as long.
    if (!existsSync(file) || !isOwn(folder)) continue;
    try {
      return readFileSync(file, "utf8");
    } catch {
      // Not stopped here.
    }
  }
  return undefined;
}

export function removeStop(folders: readonly string[]): void {
  for (const folder of folders.filter(isOwn)) rmSync(join(folder, stopFile), { force: true });
}

/** A folder for this user only; false where it cannot be had. */
export function makeOwn(folder: string): boolean {
  if (isOwn(folder)) return true;
  try {
    makeFolders(folder);
  } catch {
    return false;
  }
  return isOwn(folder);
}

/** In a shared temporary folder somebody else may have taken the name. */
function isOwn(folder: string): boolean {
  const found = lstatSync(folder, { throwIfNoEntry: false });
  if (!found?.isDirectory()) return false;
  const user = process.getuid?.();
  return user === undefined || (found.uid === user && (found.mode & 0o022) === 0);
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function readIdentity(file: string): ProcessIdentity | undefined {
  try {
    const { pid, started } = JSON.parse(readFileSync(file, "utf8")) as Partial<ProcessIdentity>;
    return typeof pid === "number" ? { pid, started } : undefined;
  } catch {
    return undefined;
  }
}
