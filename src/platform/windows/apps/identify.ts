import { basename, extname } from "node:path/win32";
import { programFile } from "../../../base/program-file.ts";
import type { ResolvedApp } from "../../backend.ts";
import { findApp, type MenuApp } from "./installed.ts";

/** Programs that run what is typed into them. */
const terminals = /^(cmd|powershell|pwsh|wt|windowsterminal|conhost|bash|wsl|putty|mintty)$/i;

/** What it would start, and what that goes by. Undefined for what is neither an app nor a command. */
export async function identifyApp(
  app: string,
  installed: readonly MenuApp[],
  env: NodeJS.ProcessEnv,
): Promise<ResolvedApp | undefined> {
  const found = await findApp(app, installed, env);
  if (!found) return undefined;
  const { executable, args, entry } = found;
  const file = await programFile(executable);
  const isSame = (other: string): boolean => other.toLowerCase() === executable.toLowerCase();
  const entries = installed.filter((each) => isSame(each.executable));
  const plain = basename(file, extname(file));
  return {
    executable,
    file,
    words: [executable, ...args],
    names: [
      ...new Set([
        app,
        ...[executable, file].flatMap((path) => [path, basename(path), basename(path, extname(path))]),
        ...entries.flatMap(({ id, name }) => [id, name]),
      ]),
    ],
    isInstalled: entry !== undefined && !entry.isPersonal,
    isPersonal: entry?.isPersonal === true,
    runsCommands: terminals.test(plain),
  };
}
