import { spawn } from "node:child_process";
import type { Readable } from "node:stream";
import { createInterface } from "node:readline";
import { sleep, withDeadline } from "../../base/async.ts";
import { ToolError } from "../../base/errors.ts";

/** A program that the desktop cannot work without. */
export interface CoreProcess {
  readonly pid: number;
  /** The first line it wrote to file descriptor 3, or to standard output if it announces itself there. */
  readonly firstLine: Promise<string>;
  /** Resolves with what happened when the process ends. */
  readonly ended: Promise<string>;
}

export interface CoreProgram {
  /** Its name in messages: "The X server". */
  readonly name: string;
  readonly program: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly setpriv: string | undefined;
  /** The descriptor whose first line announces that it is ready. */
  readonly announcesOn?: 1 | 3;
}

export function startCore({ name, program, args, env, setpriv, announcesOn }: CoreProgram): CoreProcess {
  // SIGTERM, not SIGKILL, so that the X server can still remove its socket.
  const [file, ...rest] = setpriv ? [setpriv, "--pdeathsig", "TERM", "--", program, ...args] : [program, ...args];
  const child = spawn(file ?? program, rest, {
    env,
    cwd: "/",
    stdio: ["ignore", announcesOn === 1 ? "pipe" : "ignore", "pipe", announcesOn === 3 ? "pipe" : "ignore"],
  });
  const errors = lastLines(child.stderr);
  const announcement = announcesOn === undefined ? undefined : (child.stdio[announcesOn] as Readable | null);
  return {
    pid: child.pid ?? 0,
    firstLine: announcement ? readLine(announcement) : new Promise(() => {}),
    ended: new Promise((resolve) => {
      const end = (how: string) => resolve([`${name} ended by itself (${how})`, ...errors()].join("\n"));
      child.once("error", (error) => end(error.message));
      child.once("exit", (code, signal) => {
        const how = signal ?? `exit code ${code}`;
        // "close" follows when its last output has been read, but never comes if a child keeps the pipe open.
        child.once("close", () => end(how));
        setTimeout(() => end(how), lastWordsMs);
      });
    }),
  };
}

const lastWordsMs = 50;

/** Why everything ended: the others follow within moments, so the process that depends on no other is the cause. */
export async function firstCause(byDependence: readonly CoreProcess[]): Promise<string> {
  const reasons = new Map<CoreProcess, string>();
  for (const process of byDependence) void process.ended.then((reason) => reasons.set(process, reason));
  const first = await Promise.race(byDependence.map(({ ended }) => ended));
  await sleep(2 * lastWordsMs);
  return byDependence.map((process) => reasons.get(process)).find((reason) => reason !== undefined) ?? first;
}

/** Waits for the sign of life that `work` defines; fails at once when the process ends instead. */
export function awaitStart<T>(
  process: CoreProcess,
  name: string,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const failed = process.ended.then((reason): never => {
    throw new ToolError("not_connected", `The virtual desktop did not start. ${reason}`, {
      hint: "The lines above come from the program. If memory or /tmp is full, free some and try again.",
    });
  });
  return withDeadline({ ms: 10_000, what: `Starting ${name}`, signal }, (inner) => Promise.race([work(inner), failed]));
}

function readLine(stream: Readable): Promise<string> {
  return new Promise((resolve) => {
    const lines = createInterface({ input: stream });
    lines.once("line", resolve);
  });
}

/** Keeps the end of a program's error output; reading it also prevents the program from blocking on a full pipe. */
function lastLines(stream: Readable | null): () => readonly string[] {
  let tail = "";
  stream?.on("data", (chunk: Buffer) => {
    tail = (tail + chunk.toString("utf8")).slice(-4000);
  });
  return () =>
    tail
      .split("\n")
      .filter((line) => line.trim() !== "")
      .slice(-8);
}
