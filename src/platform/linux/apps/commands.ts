import { constants } from "node:fs";
import { access, readdir, stat } from "node:fs/promises";
import { isAbsolute, join, resolve } from "node:path";
import { callerFolder } from "../../../base/caller-folder.ts";

const folders = (env: NodeJS.ProcessEnv): string[] =>
  (env["PATH"] ?? "").split(":").filter((folder) => isAbsolute(folder));

/** The file that a command name or path runs; undefined when there is none that may be run. */
export async function findCommand(name: string, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  const candidates = name.includes("/")
    ? [resolve(callerFolder(), name)]
    : folders(env).map((folder) => join(folder, name));
  for (const path of candidates) if (await canRun(path)) return path;
  return undefined;
}

async function canRun(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}

/** The names of all commands, to suggest one for a misspelt name. */
export async function listCommands(env: NodeJS.ProcessEnv): Promise<readonly string[]> {
  const names = await Promise.all(folders(env).map((folder) => readdir(folder).catch(() => [])));
  return [...new Set(names.flat())];
}
