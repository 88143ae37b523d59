import { lstatSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { makeOwn, sharedPlace } from "../../base/runtime.ts";
import { version } from "../../base/version.ts";
import { findPlaces } from "../../config/places.ts";
import { displayOf, systemName } from "../../platform/open.ts";

/** Where the sessions of this user are. Only they can enter the folder, so only they can connect. */
export interface SessionPlace {
  readonly name: string;
  readonly socket: string;
  readonly log: string;
  /** Which process it is. */
  readonly owner: string;
  /** What it was opened with. */
  readonly opened: string;
  /** A turn that only one process has at a time: whoever starts the session. */
  readonly starting: string;
}

export const namePattern = /^[\w.-]{1,40}$/;

/** The name that turns sessions off. */
export const noSession = "off";

export const sessionsFolder = (): string => join(sharedPlace(), "sessions");

/** Undefined when there is no folder that only this user can enter, or the name is none. */
export function placeOf(name: string, folder = sessionsFolder()): SessionPlace | undefined {
  if (!namePattern.test(name) || !makeOwn(folder)) return undefined;
  const file = (ending: string): string => join(folder, `${name}.${ending}`);
  return {
    name,
    socket: file("sock"),
    log: file("log"),
    owner: file("json"),
    opened: file("opened"),
    starting: file("starting"),
  };
}

const currentFile = (): string => join(sessionsFolder(), "current");

/** The session that `handsight open` has opened: commands that name none use it until `handsight close`. */
export function readCurrent(): string | undefined {
  const name = readOwn(currentFile());
  return name !== undefined && namePattern.test(name) ? name : undefined;
}

export const writeCurrent = (name: string): void => replaceFile(currentFile(), name);

/** What was written by `rememberOpened`; undefined when nothing was, or the session was closed since. */
export function readOpened({ opened }: SessionPlace): Readonly<Record<string, unknown>> | undefined {
  const text = readOwn(opened);
  return text === undefined ? undefined : (JSON.parse(text) as Record<string, unknown>);
}

/**
 * Keeps what a session was opened with until it is closed: a new one in its place, after a crash or a long break, must not
 * work on another desktop or under other rules.
 */
export const rememberOpened = ({ opened }: SessionPlace, values: Readonly<Record<string, unknown>>): void =>
  replaceFile(opened, JSON.stringify(values));

/** The session was closed on purpose: what it was opened with no longer counts, and commands do not mean it any more. */
export function forgetOpened({ name, opened }: SessionPlace): void {
  rmSync(opened, { force: true });
  if (readCurrent() === name) rmSync(currentFile(), { force: true });
}

/** Never half-written: whoever reads nothing works on the person's own desktop. */
function replaceFile(file: string, text: string): void {
  const draft = `${file}.${process.pid}`;
  try {
    writeFileSync(draft, text, { mode: 0o600 });
    renameSync(draft, file);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The session that a command line is meant for; undefined when it wants none. Reads as little as possible: the session itself
 * checks the settings again.
 */
export function sessionFor(argv: readonly string[], env: Environment): string | undefined {
  const given = flagsOf(argv);
  // Windows has no sockets that are files.
  if (given.has("--no-session") || systemName() === "windows") return undefined;
  const named = given.get("--session") || env["HANDSIGHT_SESSION"] || settingIn(given, env, "session");
  if (named === noSession) return undefined;
  if (named) return named;
  const desktop = given.get("--desktop") || env["HANDSIGHT_DESKTOP"];
  if (!desktop) {
    const current = argv[0] === "open" ? undefined : readCurrent();
    if (current !== undefined) return current;
  }
  return (desktop || settingIn(given, env, "desktop")) === "virtual" ? "virtual" : ownDesktop(env);
}

/** One session for each display of a person. */
export const ownDesktop = (env: Environment): string =>
  `display-${
    displayOf(env)
      ?.replaceAll(/[^\w.-]/g, "_")
      .slice(-30) ?? "none"
  }`;

/** The values of flags before a `--`; the last one counts. */
function flagsOf(argv: readonly string[]): ReadonlyMap<string, string> {
  const end = argv.indexOf("--");
  const words = end < 0 ? argv : argv.slice(0, end);
  return new Map(
    words.flatMap((word, index): [string, string][] => {
      if (!word.startsWith("--")) return [];
      const [flag = "", ...value] = word.split("=");
      return [[flag.replaceAll("_", "-"), value.length > 0 ? value.join("=") : (words[index + 1] ?? "")]];
    }),
  );
}

function settingIn(given: ReadonlyMap<string, string>, env: Environment, key: string): string | undefined {
  const named = given.get("--config") || env["HANDSIGHT_CONFIG"];
  const text = readOwn(named || join(findPlaces(env).config, "handsight", "config.json"));
  if (text === undefined || !text.includes(`"${key}"`)) return undefined;
  try {
    const value = (JSON.parse(text) as Readonly<Record<string, unknown>>)[key];
    return typeof value === "string" ? value : undefined;
  } catch {
    // Whoever loads the settings says what is wrong with them.
    return undefined;
  }
}

function readOwn(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8").trim();
  } catch {
    return undefined;
  }
}

/** Whether there is a socket, and it is this user's: in a folder of theirs nobody else can have put it there. */
export function hasSocket({ socket }: SessionPlace): boolean {
  const found = lstatSync(socket, { throwIfNoEntry: false });
  const user = process.getuid?.();
  return found?.isSocket() === true && (user === undefined || found.uid === user);
}

/** Tells builds apart, as they were when this process started: a session of another one is replaced, never used. */
export const buildName = `${version}-${statSync(fileURLToPath(import.meta.url), { throwIfNoEntry: false })?.mtimeMs ?? 0}`;
