import { connect, type Socket } from "node:net";
import { isatty } from "node:tty";
import { ownCommands } from "../own-names.ts";
import { readOwnStdin } from "../own-stdin.ts";
import { buildName, hasSocket, placeOf, sessionFor, type SessionPlace } from "./place.ts";
import { onMessage, say, type CommandMessage, type FromSession, type StreamInfo } from "./wire.ts";

const cancelledCode = 130;
const lostCode = 1;
/** A session that is alive says so at once; this one is stopped, or stuck in native code. */
const patienceMs = 10_000;

/**
 * Runs a command line in the session it is meant for, if that session runs; undefined when this process has to do it. Loads
 * next to nothing: this is what makes a command fast.
 */
export async function runInSession(argv: readonly string[]): Promise<number | undefined> {
  const [first = ""] = argv;
  if (first === "" || ownCommands.has(first) || argv.some((word) => word === "--help" || word === "-h"))
    return undefined;
  const name = sessionFor(argv, process.env);
  const place = name === undefined ? undefined : placeOf(name);
  if (!place || !hasSocket(place)) return undefined;
  const socket = await reach(place);
  return socket && delegate(argv, place, socket);
}

/** Why the session that was asked first must be replaced by a new one; undefined when there was none. */
export let replaced: string | undefined;

/** Undefined when nobody listens there any more. */
export function reach({ socket: path }: SessionPlace): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once("connect", () => resolve(socket));
    socket.once("error", () => resolve(undefined));
  });
}

/** Hands a command line to the session and is its terminal; undefined when this process has to run it. */
export async function delegate(
  argv: readonly string[],
  { name }: SessionPlace,
  socket: Socket,
): Promise<number | undefined> {
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  let isInterrupted = false;
  const onSignal = (signal: NodeJS.Signals): void => {
    if (isInterrupted) process.exit(cancelledCode);
    isInterrupted = true;
    say(socket, { signal });
  };
  for (const signal of signals) process.on(signal, onSignal);
  // `handsight list_apps | head` closes the pipe early; that is not an error.
  const onPipe = (error: NodeJS.ErrnoException): void => process.exit(error.code === "EPIPE" ? 0 : 1);
  process.stdout.on("error", onPipe);
  try {
    return await new Promise((resolve) => {
      let asking: AbortController | undefined;
      const stuck = setTimeout(() => {
        note(`The session "${name}" does not answer. End it: handsight session stop ${name}`);
        resolve(lostCode);
      }, patienceMs);
      onMessage(socket, (said) => {
        const message = said as FromSession;
        clearTimeout(stuck);
        if ("out" in message) process.stdout.write(message.out);
        else if ("err" in message) process.stderr.write(message.err);
        else if ("exit" in message) resolve(message.exit);
        else if ("notMine" in message) resolve(undefined);
        else if ("over" in message) {
          replaced = message.over;
          resolve(undefined);
        } else if ("question" in message) {
          asking = new AbortController();
          void answer(message.question, asking.signal, socket);
        } else if ("unasked" in message) asking?.abort();
        else if ("wants" in message) void readOwnStdin().then((stdin) => say(socket, { stdin }));
      });
      socket.on("error", () => {});
      socket.on("close", () => {
        asking?.abort();
        if (!isInterrupted) note(`The session "${name}" ended while this ran. Run it again: a new session starts.`);
        resolve(isInterrupted ? cancelledCode : lostCode);
      });
      say(socket, { command: messageFor(argv) });
    });
  } finally {
    for (const signal of signals) process.off(signal, onSignal);
    process.stdout.off("error", onPipe);
    socket.removeAllListeners("close");
    socket.destroy();
  }
}

const note = (text: string): boolean => process.stderr.write(`handsight: ${text}\n`);

const infoOf = ({ isTTY, columns }: NodeJS.WriteStream): StreamInfo => ({ isTTY, columns });

const messageFor = (argv: readonly string[]): CommandMessage => ({
  build: buildName,
  argv,
  pid: process.pid,
  folder: process.cwd(),
  env: process.env,
  out: infoOf(process.stdout),
  err: infoOf(process.stderr),
  canAsk: isatty(0) && isatty(2),
});

/** Asked in this process, in whose terminal the person is. */
async function answer(
  question: Extract<FromSession, { question: unknown }>["question"],
  signal: AbortSignal,
  socket: Socket,
): Promise<void> {
  const { approve } = await import("../approve.ts");
  type Asked = Parameters<typeof approve>[0];
  try {
    say(socket, { answer: await approve(question as Asked, signal) });
  } catch {
    // Cancelled: nobody waits for an answer. Anything else must not leave the command waiting.
    if (!signal.aborted) say(socket, { answer: "deny" });
  }
}
