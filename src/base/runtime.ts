import { existsSync, lstatSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { isAbsolute, join } from "node:path";
import { makeFolders } from "./named-file.ts";
import { isRunning, ownIdentity, type ProcessIdentity } from "./process.ts";

const stopFile = "stopped";

/**
 * Where this user's running processes and emergency stop are recorded; all of these places count. The last one is the
 * same for every process of the user, however it was started. The others depend on XDG_RUNTIME_DIR and TMPDIR:
 * earlier versions look there.
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

/**
 * Overrides the last place, for tests: a process that sets it is neither stopped by others nor takes turns with them.
 */
export const placeVariable = "_HANDSIGHT_PLACE";

/** Everyone can write to /tmp, if it exists; elsewhere the user's own folder does not depend on the environment. */
function fixedPlace(user: number | string): string {
  return process.getuid ? `/tmp/handsight-${user}` : join(userInfo().homedir, `.handsight-${user}`);
}

/** The place for what processes have to agree on; the next best if somebody else has taken its name. */
export function sharedPlace(env: NodeJS.ProcessEnv = process.env): string {
  const folders = runtimeFolders(env);
  return folders.findLast(makeOwn) ?? folders.at(-1) ?? tmpdir();
}

/** Records this process in every place that works; returns a function that undoes it. */
export function registerProcess(folders: readonly string[]): () => void {
  const files = folders.filter(makeOwn).map((folder) => join(folder, `${process.pid}.json`));
  for (const file of files) writeFileSync(file, JSON.stringify(ownIdentity()), { mode: 0o600 });
  return () => {
    for (const file of files) rmSync(file, { force: true });
  };
}

/** The recorded processes that are still running; records of others are removed. */
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

/** Returns the places in which the stop was recorded. */
export function writeStop(folders: readonly string[]): readonly string[] {
  const usable = folders.filter(makeOwn);
  for (const folder of usable) writeFileSync(join(folder, stopFile), new Date().toISOString(), { mode: 0o600 });
  return usable;
}

/** When the stop was triggered; undefined when it was not. */
export function readStop(folders: readonly string[]): string | undefined {
  for (const folder of folders) {
    const file = join(folder, stopFile);
    // Checked before every action, and hardly ever there: checking the folder, or throwing an error, would take ten
    // times as long.
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

/** Creates a private folder for this user; false if that is not possible. */
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

export function readIdentity(file: string): ProcessIdentity | undefined {
  try {
    const { pid, started } = JSON.parse(readFileSync(file, "utf8")) as Partial<ProcessIdentity>;
    return typeof pid === "number" ? { pid, started } : undefined;
  } catch {
    return undefined;
  }
}
