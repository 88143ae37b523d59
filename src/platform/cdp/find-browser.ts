import { access, constants, stat } from "node:fs/promises";
import { delimiter, isAbsolute, join, resolve } from "node:path";
import { ToolError } from "../../base/errors.ts";
import { programFile } from "../../base/program-file.ts";
import type { FoundBrowser } from "../browser.ts";

/** In the order in which one is taken where none is named. */
const programs = [
  "google-chrome-stable",
  "google-chrome",
  "chromium",
  "chromium-browser",
  "microsoft-edge-stable",
  "microsoft-edge",
  "brave-browser",
  "vivaldi",
] as const;

const elsewhere = [
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
  "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
  "C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe",
  "C:\\Program Files (x86)\\Google\\Chrome\\Application\\chrome.exe",
  "C:\\Program Files (x86)\\Microsoft\\Edge\\Application\\msedge.exe",
] as const;

/** Browsers as well, but taken only when they are named. */
const others = [
  "google-chrome-beta",
  "google-chrome-unstable",
  "microsoft-edge-beta",
  "microsoft-edge-dev",
  "vivaldi-stable",
  "opera",
  "ungoogled-chromium",
] as const;

/** The browser of this name or path, else the first that is installed; undefined when there is none. */
export async function findBrowser(
  named: string | undefined,
  env: NodeJS.ProcessEnv,
): Promise<FoundBrowser | undefined> {
  const [executable] = await findAll(named === undefined ? [...programs, ...elsewhere] : [named], env);
  if (executable === undefined) return undefined;
  const file = await programFile(executable);
  const known = await Promise.all((await findAll([...programs, ...elsewhere, ...others], env)).map(programFile));
  return { executable, file, isKnown: known.includes(file) };
}

export async function needBrowser(named: string | undefined, env: NodeJS.ProcessEnv): Promise<FoundBrowser> {
  const found = await findBrowser(named, env);
  if (found) return found;
  throw new ToolError(
    "not_found",
    named === undefined ? "No Chrome, Chromium or Edge is installed." : `There is no browser "${named}".`,
    {
      hint: "Install chromium, or name the program with executable.",
    },
  );
}

/** The file of each that can be run: a name is looked for in PATH, whatever has a slash is a path. */
async function findAll(names: readonly string[], env: NodeJS.ProcessEnv): Promise<readonly string[]> {
  const folders = (env["PATH"] ?? process.env["PATH"] ?? "").split(delimiter).filter((folder) => isAbsolute(folder));
  const found = await Promise.all(
    names.map(async (name) => {
      const candidates = /[\\/]/.test(name) ? [resolve(name)] : folders.map((folder) => join(folder, name));
      for (const candidate of candidates) if (await canRun(candidate)) return candidate;
      return undefined;
    }),
  );
  return found.filter((file) => file !== undefined);
}

async function canRun(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK);
    return (await stat(file)).isFile();
  } catch {
    return false;
  }
}
