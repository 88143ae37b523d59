import { fork, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { compiled, root } from "../paths.ts";
import type { Contender, Done } from "./contender.ts";
import type { Answer, Order } from "./task.ts";

const answerDeadlineMs = 60_000;

/** A library of ours or of others, in a Node process of its own. */
export async function openWorker(name: string, env: NodeJS.ProcessEnv): Promise<Contender> {
  const child = fork(join(compiled, "worker.js"), [name], { env, stdio: ["ignore", "ignore", "pipe", "ipc"] });
  const hear = (listener: (answer: Answer) => void) => {
    child.on("message", (answer) => listener(answer as Answer));
  };
  return converse(child, { name, hear, send: (order) => child.send(order) });
}

/** A Python library. */
export async function openPython(
  name: string,
  [script, ...args]: readonly [string, ...string[]],
  env: NodeJS.ProcessEnv,
): Promise<Contender> {
  // The first python3 on PATH may be one without PIL and the bindings of AT-SPI.
  const file = join(root, "bench", "contenders", script);
  const child = spawn("/usr/bin/python3", [file, ...args], { env, stdio: "pipe" });
  const hear = (listener: (answer: Answer) => void) => {
    createInterface({ input: child.stdout }).on("line", (line) => listener(JSON.parse(line) as Answer));
  };
  return converse(child, { name, hear, send: (order) => child.stdin.write(`${JSON.stringify(order)}\n`) });
}

interface Channel {
  readonly name: string;
  readonly hear: (listener: (answer: Answer) => void) => void;
  readonly send: (order: Order) => void;
}

/** One order at a time: the race never runs two contenders at once. */
async function converse(child: ChildProcess, { name, hear, send }: Channel): Promise<Contender> {
  let waiting: ((answer: Answer) => void) | undefined;
  let complaints = "";
  const next = new Promise<Answer>((resolve) => {
    waiting = resolve;
  });
  const settle = (answer: Answer) => {
    waiting?.(answer);
    waiting = undefined;
  };
  hear(settle);
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    complaints = (complaints + text).slice(-2000);
  });
  child.on("error", (error) => settle({ kind: "failed", message: error.message }));
  const ended = once(child, "exit").then(() => {
    settle({ kind: "failed", message: `${name} ended: ${lastLine(complaints)}` });
  });

  const ready = await next;
  if (ready.kind !== "ready") {
    child.kill("SIGKILL");
    throw new Error(ready.kind === "failed" ? ready.message : `${name} answered before it was asked`);
  }
  return {
    name,
    kind: name.startsWith("handsight") ? "ours" : "library",
    tasks: ready.tasks,
    async run(task, argument = {}): Promise<Done> {
      if (child.exitCode !== null || child.signalCode !== null)
        throw new Error(`${name} ended: ${lastLine(complaints)}`);
      const answer = await new Promise<Answer>((resolve) => {
        const timer = setTimeout(
          () => settle({ kind: "failed", message: `no answer within ${answerDeadlineMs} ms` }),
          answerDeadlineMs,
        );
        waiting = (given) => {
          clearTimeout(timer);
          resolve(given);
        };
        send({ task, argument });
      });
      if (answer.kind === "done") return answer;
      throw new Error(answer.kind === "failed" ? answer.message : `${name} started anew`);
    },
    async [Symbol.asyncDispose]() {
      // Both kinds of worker end by themselves when nobody talks to them any more.
      if (child.connected) child.disconnect();
      else child.stdin?.end();
      const timer = setTimeout(() => child.kill("SIGKILL"), 2000);
      await ended;
      clearTimeout(timer);
    },
  };
}

const lastLine = (text: string): string => text.trim().split("\n").at(-1) ?? "";
