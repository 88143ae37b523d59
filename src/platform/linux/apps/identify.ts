import { basename } from "node:path";
import { commandWords, givenNames } from "../../../base/command-words.ts";
import { isLauncher } from "../../../base/launchers.ts";
import { programFile } from "../../../base/program-file.ts";
import type { ResolvedApp } from "../../backend.ts";
import { findCommand } from "./commands.ts";
import { findEntry, readDesktopEntries, type DesktopEntry } from "./desktop-entries.ts";

interface Found {
  /** As it is found. */
  readonly path: string;
  /** As it is run, links followed. */
  readonly file: string;
}

interface KnownEntry {
  readonly entry: DesktopEntry;
  /** What it starts; more than one where it does so through a launcher. */
  readonly programs: readonly Found[];
}

/** What each of these would start, and what that goes by. Undefined for what is neither an app nor a command. */
export async function identifyApps(
  apps: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<readonly (ResolvedApp | undefined)[]> {
  const find = async (name: string): Promise<Found | undefined> => {
    const path = name === "" ? undefined : await findCommand(name, env);
    return path === undefined ? undefined : { path, file: await programFile(path) };
  };
  const entries = await readDesktopEntries(env);
  const known = await Promise.all(
    entries.map(async (entry) => {
      const found = await Promise.all(programsIn(entry).map(find));
      return { entry, programs: found.filter((each) => each !== undefined) };
    }),
  );
  return Promise.all(apps.map(async (app) => identify(app, await find(app), known)));
}

function programsIn({ command }: DesktopEntry): readonly string[] {
  const [program = "", ...rest] = command.filter((word) => word !== undefined);
  return isLauncher(program) ? [program, ...commandWords(rest)] : [program];
}

function identify(app: string, found: Found | undefined, known: readonly KnownEntry[]): ResolvedApp | undefined {
  if (found) {
    const own = app.includes("/") ? [] : known.filter((each) => startsPlainly(each.entry, found.path));
    return {
      executable: found.path,
      file: found.file,
      words: [found.path],
      names: namesOf(app, [found], known),
      isInstalled: own.length > 0,
      isPersonal: false,
      runsCommands: own.some(({ entry }) => entry.isTerminal),
    };
  }
  const wanted = findEntry(
    known.map(({ entry }) => entry),
    app,
  );
  const { entry, programs } = known.find((each) => each.entry === wanted) ?? {};
  const words = entry?.command.filter((word) => word !== undefined) ?? [];
  const [program] = words;
  if (!entry || !programs || program === undefined) return undefined;
  const first = programs.find(({ path }) => basename(path) === basename(program));
  return {
    executable: first?.path ?? program,
    file: first?.file ?? program,
    words,
    names: [...new Set([...namesOf(app, programs, known), ...titlesOf(entry), ...programsIn(entry)])],
    isInstalled: entry.isPersonal !== true,
    isPersonal: entry.isPersonal === true,
    runsCommands: entry.isTerminal,
  };
}

/** Whether it starts this program and nothing through it: `env` is no app because some entry begins with it. */
function startsPlainly({ command: [program, ...rest], isPersonal }: DesktopEntry, path: string): boolean {
  if (isPersonal === true) return false;
  const isPlain = rest.every((word) => word === undefined || word.startsWith("-"));
  return isPlain && program !== undefined && basename(program) === basename(path);
}

function namesOf(app: string, programs: readonly Found[], known: readonly KnownEntry[]): readonly string[] {
  const files = new Set(programs.map(({ file }) => file));
  const entries = known.filter((each) => each.programs.some(({ file }) => files.has(file) && !isLauncher(file)));
  const paths = programs.flatMap(({ path, file }) => [path, basename(path), file, basename(file)]);
  return [...new Set([...givenNames(app), ...paths, ...entries.flatMap(({ entry }) => titlesOf(entry))])];
}

const titlesOf = ({ id, name, windowClass }: DesktopEntry): readonly string[] =>
  windowClass === undefined ? [id, name] : [id, name, windowClass];
