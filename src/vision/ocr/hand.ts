import { fork, type ChildProcess } from "node:child_process";
import { fileURLToPath } from "node:url";
import { ToolError } from "../../base/errors.ts";
import type { Log } from "../../base/log.ts";
import type { Answer, TaskName, Tasks } from "./messages.ts";

interface Waiting {
  readonly resolve: (value: never) => void;
  readonly reject: (error: Error) => void;
}

// By default glibc keeps the memory of large allocations: after one photograph that is 80 MB per helper.
const frugal = { MALLOC_ARENA_MAX: "1", MALLOC_TRIM_THRESHOLD_: "1000000", MALLOC_MMAP_THRESHOLD_: "1000000" };

// Finding lines creates much short-lived garbage, for which the engine would keep another 30 MB.
const smallNursery = "--max-semi-space-size=4";

/** A helper ended while it was working on a request; asking again starts a new one. */
export class HelperGone extends Error {
  override readonly name = "HelperGone";
}

interface Helper {
  readonly process: ChildProcess;
  readonly waiting: Map<number, Waiting>;
}

/**
 * One helper process, started on the first request and again after a crash. It keeps our process alive only while it
 * is working. A thread would not be enough: only the end of a process frees all the memory of a network, and a crash
 * in native code must not end our process.
 */
export class Hand {
  readonly #log: Log | undefined;
  readonly #weights: string | undefined;
  #helper: Helper | undefined;
  #nextId = 1;

  constructor(log?: Log, weights?: string) {
    this.#log = log;
    this.#weights = weights;
  }

  get isRunning(): boolean {
    return this.#helper !== undefined;
  }

  get pid(): number | undefined {
    return this.#helper?.process.pid;
  }

  ask<Name extends TaskName>(task: Name, order: Tasks[Name]["order"]): Promise<Tasks[Name]["answer"]> {
    const helper = (this.#helper ??= this.#start());
    const id = this.#nextId++;
    return new Promise((resolve, reject) => {
      helper.waiting.set(id, { resolve, reject });
      setKeepsAlive(helper.process, true);
      helper.process.send({ id, task, order }, (error) => {
        if (error) this.#lose(helper, error);
      });
    });
  }

  stop(): void {
    this.#helper?.process.kill("SIGKILL");
    this.#helper = undefined;
  }

  #start(): Helper {
    const child = fork(helperPath(), this.#weights === undefined ? [] : [this.#weights], {
      serialization: "advanced",
      execArgv: [smallNursery],
      env: { ...process.env, ...frugal },
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    });
    const helper: Helper = { process: child, waiting: new Map() };
    child.on("message", (answer) => settle(helper, answer as Answer));
    child.on("error", (error) => this.#lose(helper, error));
    child.on("exit", (code, signal) => this.#lose(helper, new Error(`it ended with ${signal ?? code}`)));
    return helper;
  }

  #lose(helper: Helper, cause: Error): void {
    if (helper === this.#helper) {
      this.#helper = undefined;
      this.#log?.warn("a helper of the text reader is gone", cause);
    }
    helper.process.kill("SIGKILL");
    for (const { reject } of helper.waiting.values()) reject(new HelperGone(cause.message, { cause }));
    helper.waiting.clear();
  }
}

function setKeepsAlive(child: ChildProcess, keeps: boolean): void {
  child[keeps ? "ref" : "unref"]();
  child.channel?.[keeps ? "ref" : "unref"]();
}

function settle({ process, waiting }: Helper, answer: Answer): void {
  const asked = waiting.get(answer.id);
  waiting.delete(answer.id);
  if (waiting.size === 0) setKeepsAlive(process, false);
  if (!asked) return;
  if ("value" in answer) return asked.resolve(answer.value as never);
  const { code, message, hint } = answer.failure;
  asked.reject(code ? new ToolError(code, message, hint ? { hint } : {}) : new Error(`Text reader: ${message}`));
}

function helperPath(): string {
  const here = import.meta.url;
  // Tests run the sources through vitest; Node can only start the compiled file.
  return fileURLToPath(
    here.endsWith(".ts") ? new URL("../../../dist/text-helper.js", here) : new URL("../../text-helper.js", here),
  );
}
