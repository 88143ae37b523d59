import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { checkout } from "./checkout.ts";

const folder = join(checkout, "test/fixtures/");
// The first python3 on PATH may lack the GTK and Qt bindings.
const python = "/usr/bin/python3";

export interface FixtureEvent {
  readonly event: string;
  /** In a "text" event: the full content of the text widget. */
  readonly text?: string;
  readonly [field: string]: unknown;
}

export interface Fixture extends AsyncDisposable {
  readonly pid: number;
  /** Everything the app has reported so far, oldest first. */
  readonly events: readonly FixtureEvent[];
  /** The first matching event, past or future. */
  waitFor(fits: (event: FixtureEvent) => boolean, timeoutMs?: number): Promise<FixtureEvent>;
  /** The text widget's content once it equals this; on a timeout the last content, for a readable failure. */
  waitForText(text: string, timeoutMs?: number): Promise<string | undefined>;
  /** Writes a line to its standard input. */
  tell(line: string): void;
  stop(): Promise<void>;
}

export interface FixtureOptions {
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly args?: readonly string[];
}

/** Starts `test/fixtures/<name>.py` and collects the JSON lines it prints. */
export async function startFixture(name: string, { env = {}, args = [] }: FixtureOptions = {}): Promise<Fixture> {
  const child = spawn(python, [`${folder}${name}.py`, ...args], {
    env: { ...process.env, PYTHONDONTWRITEBYTECODE: "1", ...env },
    stdio: ["pipe", "pipe", "pipe"],
  });
  await once(child, "spawn");
  const ended = once(child, "exit");
  const events: FixtureEvent[] = [];
  const listeners = new Set<() => void>();
  const wake = () => {
    for (const listener of listeners) listener();
  };
  // A fixture that was killed cannot be written to.
  child.stdin.on("error", () => {});
  let errors = "";
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
    errors = (errors + chunk).slice(-4000);
  });
  createInterface({ input: child.stdout }).on("line", (line) => {
    events.push(JSON.parse(line) as FixtureEvent);
    wake();
  });
  child.on("exit", wake);

  const until = <T>(find: () => T | undefined, timeoutMs: number, timedOut: () => T | Error): Promise<T> =>
    new Promise((resolve, reject) => {
      const finish = (settle: () => void) => {
        clearTimeout(timer);
        listeners.delete(check);
        settle();
      };
      const check = () => {
        const found = find();
        if (found !== undefined) finish(() => resolve(found));
        else if (child.exitCode !== null) finish(() => reject(new Error(`${name} ended: ${errors}`)));
      };
      const timer = setTimeout(() => {
        const last = timedOut();
        finish(() => (last instanceof Error ? reject(last) : resolve(last)));
      }, timeoutMs);
      listeners.add(check);
      check();
    });

  const lastText = () => events.findLast((event) => event.event === "text")?.text;
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL");
    await ended;
  };
  return {
    pid: child.pid as number,
    events,
    waitFor: (fits, timeoutMs = 10_000) =>
      until(
        () => events.find(fits),
        timeoutMs,
        () =>
          new Error(
            `${name} did not say it within ${timeoutMs} ms; it said ${JSON.stringify(events.slice(-5))} ${errors}`,
          ),
      ),
    waitForText: (text, timeoutMs = 10_000) =>
      until<string | undefined>(
        () => (lastText() === text ? text : undefined),
        timeoutMs,
        () => lastText(),
      ),
    tell: (line) => void child.stdin.write(`${line}\n`),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}
