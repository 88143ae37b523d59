import { existsSync } from "node:fs";
import { commandWords, givenNames } from "../../base/command-words.ts";
import { ToolError } from "../../base/errors.ts";
import { isLauncher } from "../../base/launchers.ts";
import type { ResolvedApp } from "../../platform/backend.ts";
import type { Program } from "../../policy/apps.ts";
import { isHarmlessSwitch } from "../../policy/browser-switches.ts";
import { findRunning } from "../../surface/running-apps.ts";
import type { Session } from "../session.ts";
import type { AppName, Launch } from "../tool.ts";

/** What a call starts or quits. */
export interface Programs {
  readonly programs: readonly Program[];
  /** The files that are run, links followed: a permission counts for these. */
  readonly files: readonly string[];
  /** It starts more than an installed app, or a browser in another way than a person would: that is running code. */
  readonly isCode: boolean;
}

/** Looked up on the desktop one by one; more is no command that somebody has written. */
const mostWords = 300;

/** What a launch would start, and every program that its arguments name. The only place that says so. */
export async function programsOf(launch: Launch, session: Session, signal: AbortSignal): Promise<Programs> {
  const { program: given, args, isBrowser = false } = launch;
  const browser = isBrowser ? await (await session.browsers?.())?.find(given) : undefined;
  const asked = browser?.executable ?? given;
  const isRuled = session.gate.rules.rules.some((rule) => rule.app !== undefined);
  // A browser needs no desktop, and the desktop knows no more than names of it.
  const isLookedUp = asked !== undefined && (!isBrowser || isRuled);
  const [app] = isLookedUp ? await resolve([asked], session, signal) : [];
  const isPlain = args.every(isBrowser ? isHarmlessSwitch : isFileOrPage);
  const isKnown = isBrowser ? (browser?.isKnown ?? given === undefined) : isInstalled(app, launch);
  const isCode = !isPlain || !isKnown;
  const words = isCode ? [...commandWords(args)] : [];
  return {
    programs: [
      ...(asked === undefined ? [] : [toProgram(asked, given, app)]),
      ...(isRuled ? await named(words, app, session, signal) : []),
    ],
    files: [browser?.file ?? app?.file ?? asked ?? ""],
    isCode,
  };
}

/** Options of a program, and what some take for one, can make it run another; files and web pages to open cannot. */
function isInstalled(app: ResolvedApp | undefined, { args }: Launch): boolean {
  if (!app?.isInstalled || app.runsCommands) return false;
  // An entry of the menu may start its app through a launcher; what is added to it is up to the launcher again.
  const isLaunched = [app.file, ...app.words.slice(0, 1)].some(isLauncher);
  return !isLaunched || (app.words.length > 1 && args.length === 0);
}

const isFileOrPage = (word: string): boolean => /^https?:\/\//i.test(word) || (!/^[-+]/.test(word) && existsSync(word));

/** Which of the words are programs. All are for a launcher, which may know more than is known here. */
async function named(
  words: readonly string[],
  app: ResolvedApp | undefined,
  session: Session,
  signal: AbortSignal,
): Promise<readonly Program[]> {
  if (words.length > mostWords) {
    throw new ToolError("denied", `The arguments have ${words.length} words, too many to hold against the app rules.`, {
      hint: `Give at most ${mostWords}, or put them into a file that the program reads.`,
    });
  }
  // The file of a desktop entry stands for its app.
  const found = await resolve(
    words.map((word) => (word.endsWith(".desktop") ? (givenNames(word).at(-1) ?? word) : word)),
    session,
    signal,
  );
  const isAny = !app || isLauncher(app.file);
  return words.map((word, index) => {
    const program = toProgram(word, word, found[index]);
    // A word that names no program does not keep an allowed app from being started.
    return isAny || found[index] ? program : { ...program, isMaybe: true };
  });
}

function toProgram(name: string, given: string | undefined, app: ResolvedApp | undefined): Program {
  const called = given ?? name;
  const names = [...new Set([...givenNames(name), ...givenNames(called), ...(app?.names ?? [])])];
  const own = called.includes("/") ? (app?.file ?? called) : called;
  return { names, ownNames: app?.isPersonal ? [] : [own] };
}

/** What the desktop knows of them. Where there is none, the names that were given are all there is. */
async function resolve(
  names: readonly string[],
  session: Session,
  signal: AbortSignal,
): Promise<readonly (ResolvedApp | undefined)[]> {
  try {
    const surface = await session.surface("desktop");
    const found = surface.can("apps") ? await surface.need("apps").resolve?.(names, { signal }) : undefined;
    return found ?? [];
  } catch (error) {
    if (signal.aborted || !(error instanceof ToolError)) throw error;
    return [];
  }
}

/** The running app that would be quit, with its windows. */
export async function runningOf(app: AppName, session: Session, signal: AbortSignal) {
  try {
    const surface = await session.surface("desktop");
    const running = await findRunning(surface, app, signal);
    const ids = new Set(running.flatMap(({ windowIds }) => windowIds));
    const windows = (await surface.need("windows").list({ signal })).filter(({ id }) => ids.has(id));
    const found = await resolve(
      running.map(({ executable }) => executable),
      session,
      signal,
    );
    const programs = running.map(({ name, executable, launchedAs = [] }, index) => ({
      names: [...new Set([name, ...launchedAs, ...givenNames(executable), ...(found[index]?.names ?? [])])],
      ownNames: [name],
    }));
    return { windows, programs };
  } catch (error) {
    if (signal.aborted || !(error instanceof ToolError)) throw error;
    return { windows: [], programs: [] };
  }
}
