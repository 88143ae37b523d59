import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { Check, ExpectedText } from "./task.ts";

/** What can be inspected after the agent has ended. None of it comes from the agent. */
export interface Ending {
  readonly home: string;
  /** What the page last reported to its server; undefined when it reported nothing. */
  readonly page: () => unknown;
  readonly output: () => string;
  /** Undefined while the program is running. */
  readonly exitCode: () => number | undefined;
  readonly clipboard: () => Promise<string>;
  readonly windows: () => Promise<readonly string[]>;
}

/** Which checks fail, as sentences; empty when the task is done. */
export async function findProblems(checks: readonly Check[], ending: Ending): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const check of checks) {
    const problem = await findProblem(check, ending);
    if (problem !== undefined) problems.push(problem);
  }
  return problems;
}

async function findProblem(check: Check, ending: Ending): Promise<string | undefined> {
  if ("file" in check) return inFile(check, ending.home);
  if ("folder" in check) return inFolder(check, ending.home);
  if ("setting" in check) return inSettings(check, ending.home);
  if ("page" in check) return onPage(check.page, ending.page());
  if ("output" in check) return inText("what it printed", ending.output(), check.output);
  if ("clipboard" in check) return inText("the clipboard", await ending.clipboard(), check.clipboard);
  if ("window" in check) {
    const titles = await ending.windows();
    const isOpen = titles.some((title) => title.toLowerCase().includes(check.window.toLowerCase()));
    if (isOpen === check.open) return undefined;
    return check.open ? `no window "${check.window}"` : `the window "${check.window}" is open`;
  }
  const code = ending.exitCode();
  if (code === check.exit_code) return undefined;
  return code === undefined ? "the program still runs" : `the program ended with ${code}, not ${check.exit_code}`;
}

function inFile({ file, exists, ...expected }: Extract<Check, { file: string }>, home: string): string | undefined {
  const path = join(home, file);
  if (!existsSync(path)) return exists ? `${file} does not exist` : undefined;
  return exists ? inText(file, readFileSync(path, "utf8"), expected) : `${file} exists`;
}

function inFolder({ folder, holds }: Extract<Check, { folder: string }>, home: string): string | undefined {
  const path = join(home, folder);
  if (!existsSync(path)) return `${folder} does not exist`;
  const names = readdirSync(path).filter((name) => !name.startsWith("."));
  if (isDeepStrictEqual(names.toSorted(), holds.toSorted())) return undefined;
  return `${folder} holds ${names.toSorted().join(", ") || "nothing"}`;
}

function inSettings(
  { setting, section, file_of, ...expected }: Extract<Check, { setting: string }>,
  home: string,
): string | undefined {
  const path = join(home, file_of);
  const value = existsSync(path) ? readSetting(readFileSync(path, "utf8"), section, setting) : undefined;
  return value === undefined ? `${setting} is not set` : inText(setting, value, expected);
}

/** The value of a key in a file of `[sections]` and `key=value` lines. */
export function readSetting(text: string, section: string, key: string): string | undefined {
  let current = "";
  for (const line of text.split(/\r?\n/)) {
    const heading = /^\[(.*)\]\s*$/.exec(line)?.[1];
    if (heading !== undefined) current = heading;
    else if (current === section && line.slice(0, line.indexOf("=")).trim() === key) {
      return line.slice(line.indexOf("=") + 1).trim();
    }
  }
  return undefined;
}

function onPage(expected: Readonly<Record<string, unknown>>, state: unknown): string | undefined {
  if (state === undefined) return "the page was left as it was";
  const told = (state ?? {}) as Readonly<Record<string, unknown>>;
  const wrong = Object.keys(expected).filter((key) => !isDeepStrictEqual(told[key], expected[key]));
  if (wrong.length === 0) return undefined;
  return `on the page ${wrong.map((key) => `${key} is ${JSON.stringify(told[key] ?? null)}`).join(", ")}`;
}

const mostShown = 80;

function inText(what: string, text: string, { equals, contains, lacks, matches }: ExpectedText): string | undefined {
  const is = `${what} is ${JSON.stringify(text.length > mostShown ? `${text.slice(0, mostShown)}…` : text)}`;
  if (equals !== undefined && text.trimEnd() !== equals.trimEnd()) return is;
  if (contains !== undefined && !text.includes(contains)) return `${is}, without ${JSON.stringify(contains)}`;
  if (lacks !== undefined && text.includes(lacks)) return `${is}, with ${JSON.stringify(lacks)}`;
  if (matches !== undefined && !new RegExp(matches, "u").test(text)) return `${is}, unlike ${matches}`;
  return undefined;
}
