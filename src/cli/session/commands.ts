import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import type { Socket } from "node:net";
import { ToolError } from "../../base/errors.ts";
import { isRunning } from "../../base/process.ts";
import { readIdentity } from "../../base/runtime.ts";
import { printable } from "../text.ts";
import { exitCodes } from "../exit.ts";
import { reach } from "./client.ts";
import { forgetOpened, hasSocket, placeOf, sessionFor, sessionsFolder, type SessionPlace } from "./place.ts";
import { onMessage, say, type FromSession, type SessionStatus } from "./wire.ts";

const patienceMs = 2_000;
const endMs = 8_000;

/** A session that was found, and what it says of itself; nothing if it is stuck. */
interface Found {
  readonly name: string;
  readonly status: SessionStatus | undefined;
}

/** Prints this user's sessions. */
export async function listSessions(json: boolean): Promise<number> {
  const found = (await Promise.all(allPlaces().map(look))).filter((each) => each !== undefined);
  const lines = found.map(({ name, status }) => (status ? describe(status) : `${name}  does not answer`));
  const text = lines.length === 0 ? "No session is running." : lines.join("\n");
  process.stdout.write(`${json ? JSON.stringify({ sessions: found.map(toJson) }) : text}\n`);
  return exitCodes.ok.code;
}

const toJson = ({ name, status }: Found): object => status ?? { name, stuck: true };

const describe = ({ name, pid, desktop, commands, running, idle_seconds: idle }: SessionStatus): string =>
  `${name}  pid ${pid}, ${desktop}, ${commands} command${commands === 1 ? "" : "s"}, ` +
  (running > 0 ? `${running} running` : `unused for ${idle < 120 ? `${idle} s` : `${Math.round(idle / 60)} min`}`);

/** Ends one session, or all of them. */
export async function stopSessions(
  name: string | undefined,
  { all, json }: { all: boolean; json: boolean },
): Promise<number> {
  const wanted = all ? allPlaces() : [needPlace(name ?? sessionFor([], process.env) ?? "")];
  const ended: string[] = [];
  for (const place of wanted) if (await stopOne(place)) ended.push(place.name);
  if (ended.length === 0 && !all) {
    throw new ToolError("not_found", `There is no session "${wanted[0]?.name}".`, {
      hint: "handsight session list shows them.",
    });
  }
  const text =
    ended.length === 0 ? "No session is running." : ended.map((each) => `The session "${each}" has ended.`).join("\n");
  process.stdout.write(`${json ? JSON.stringify({ ended }) : text}\n`);
  return exitCodes.ok.code;
}

/** Prints what the session has logged. */
export function printLog(name: string | undefined): number {
  const place = needPlace(name ?? sessionFor([], process.env) ?? "");
  if (!existsSync(place.log)) {
    throw new ToolError("not_found", `The session "${place.name}" has no log.`, {
      hint: "handsight session list shows them.",
    });
  }
  const text = readFileSync(place.log, "utf8");
  process.stdout.write(
    text === ""
      ? ""
      : `${text
          .trimEnd()
          .split("\n")
          .map((line) => printable(line))
          .join("\n")}\n`,
  );
  return exitCodes.ok.code;
}

function needPlace(name: string): SessionPlace {
  const place = placeOf(name);
  if (place) return place;
  throw new ToolError("invalid_argument", `"${name}" is not the name of a session.`, {
    hint: "handsight session list shows them.",
  });
}

function allPlaces(folder = sessionsFolder()): readonly SessionPlace[] {
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder).flatMap((file) =>
    /\.(sock|opened)$/.test(file) ? [file.replace(/\.\w+$/, "")] : [],
  );
  return [...new Set(names)].flatMap((name) => placeOf(name) ?? []);
}

async function look(place: SessionPlace): Promise<Found | undefined> {
  const socket = hasSocket(place) ? await reach(place) : undefined;
  if (!socket) return undefined;
  const status = await statusOf(socket);
  socket.destroy();
  return { name: place.name, status };
}

function statusOf(socket: Socket): Promise<SessionStatus | undefined> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(undefined), patienceMs);
    const finish = (status: SessionStatus | undefined): void => {
      clearTimeout(timer);
      resolve(status);
    };
    onMessage(socket, (said) => {
      const message = said as FromSession;
      if ("status" in message) finish(message.status);
    });
    socket.once("close", () => finish(undefined));
    say(socket, { ask: "status" });
  });
}

/** False when there was none. One that does not answer is killed. */
async function stopOne(place: SessionPlace): Promise<boolean> {
  const socket = hasSocket(place) ? await reach(place) : undefined;
  if (!socket) {
    for (const file of [place.socket, place.owner]) rmSync(file, { force: true });
    const wasOpened = existsSync(place.opened);
    forgetOpened(place);
    return wasOpened;
  }
  const status = await statusOf(socket);
  if (status) {
    const isOver = new Promise<boolean>((resolve) => {
      socket.once("close", () => resolve(true));
      setTimeout(() => resolve(false), endMs).unref();
    });
    say(socket, { ask: "end" });
    if (await isOver) return true;
  }
  socket.destroy();
  forgetOpened(place);
  kill(place);
  return true;
}

/** For one that is stuck in native code, or was stopped. What it started ends with it. */
function kill({ owner, socket }: SessionPlace): void {
  const identity = readIdentity(owner);
  if (identity && isRunning(identity)) process.kill(identity.pid, "SIGKILL");
  for (const file of [socket, owner]) rmSync(file, { force: true });
}
