import { spawn } from "node:child_process";
import { closeSync, existsSync, ftruncateSync, fstatSync, openSync, readFileSync, statSync } from "node:fs";
import type { Socket } from "node:net";
import { fileURLToPath } from "node:url";
import { sleep } from "../../base/async.ts";
import { ToolError } from "../../base/errors.ts";
import { delegate, reach, replaced } from "./client.ts";
import { hasSocket, placeOf, sessionFor, type SessionPlace } from "./place.ts";

const startMs = 20_000;
const lookEveryMs = 10;
const largestLog = 1_000_000;
const mainFile = fileURLToPath(new URL("../../main.js", import.meta.url));

/** The word that makes the program a session; not for people. */
export const sessionWord = "_session";

/** Starts the session that a command line is meant for and runs it there; undefined when it runs without one. */
export async function runInNewSession(argv: readonly string[]): Promise<number | undefined> {
  const name = sessionFor(argv, process.env);
  if (name === undefined) return undefined;
  const place = placeOf(name);
  if (!place) return alone("there is no folder that only you can enter", name, false);
  // What a session was opened with stays until it is closed. It must not be replaced by whatever a lone command would use.
  const wasOpened = existsSync(place.opened);
  // A session that ends takes its socket with it.
  const hasCrashed = hasSocket(place);
  const alive = await reach(place);
  const started = alive ?? (await start(place));
  if (typeof started === "string") return alone(started, name, wasOpened);
  const ended = alive ? undefined : hasCrashed ? "had ended unexpectedly" : wasOpened ? "had ended" : undefined;
  const why = replaced ?? (ended && `The session "${name}" ${ended}`);
  if (why !== undefined && argv[0] !== "open") {
    process.stderr.write(`handsight: ${why}; a new one starts. Earlier uids and pictures are gone.\n`);
  }
  const code = await delegate(argv, place, started);
  return code ?? alone("another one took its place at the same moment", name, wasOpened);
}

function alone(why: string, name: string, wasOpened: boolean): undefined {
  if (wasOpened) {
    throw new ToolError("not_connected", `The session "${name}" cannot be used: ${why}.`, {
      hint: `Try again, look at "handsight session log ${name}", or end it with "handsight close ${name}".`,
    });
  }
  process.stderr.write(`handsight: No session could be started: ${why}. The command runs without one.\n`);
}

/** The connection to a new session, or why there is none. */
async function start(place: SessionPlace): Promise<Socket | string> {
  const log = openLog(place.log);
  const before = sizeOf(place.log);
  const failed: { why?: string } = {};
  const child = spawn(process.execPath, [...process.execArgv, mainFile, sessionWord, place.name], {
    // The folder of the command may be removed, or be on a disk that is to be unmounted.
    cwd: "/",
    detached: true,
    stdio: ["ignore", log, log],
  });
  child.once("error", (error) => {
    failed.why = error.message;
  });
  child.once("exit", (code) => {
    // 0: another command has just started the same session.
    if (code !== 0) failed.why ??= lastLineOf(place.log, before) ?? `it ended with ${code}`;
  });
  child.unref();
  if (typeof log === "number") closeSync(log);
  const until = performance.now() + startMs;
  while (failed.why === undefined && performance.now() < until) {
    const socket = await reach(place);
    if (socket) return socket;
    await sleep(lookEveryMs);
  }
  return failed.why ?? `it did not answer within ${startMs / 1_000} s`;
}

/** A full disk is no reason to do without a session. */
function openLog(path: string): number | "ignore" {
  try {
    const file = openSync(path, "a", 0o600);
    if (fstatSync(file).size > largestLog) ftruncateSync(file);
    return file;
  } catch {
    return "ignore";
  }
}

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

/** What it has logged since, if anything. */
function lastLineOf(path: string, from: number): string | undefined {
  try {
    const lines = readFileSync(path).subarray(from).toString("utf8").trim().split("\n");
    return lines.findLast((line) => /error/i.test(line)) ?? (lines.at(-1) || undefined);
  } catch {
    return undefined;
  }
}
