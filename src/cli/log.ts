import { closeSync, existsSync, openSync, readdirSync, readSync, statSync } from "node:fs";
import { join } from "node:path";
import { sleep } from "../base/async.ts";
import { ToolError } from "../base/errors.ts";
import type { Config } from "../config/options.ts";
import { auditLine } from "../journal/audit.ts";
import { verifyRun } from "../journal/chain.ts";
import { eventsFile, parseRun } from "../journal/read.ts";
import { exitCodes } from "./exit.ts";
import { openInterrupt } from "./interrupt.ts";

export interface LogOptions {
  /** Only this run. */
  readonly run?: string | undefined;
  readonly follow: boolean;
  readonly json: boolean;
  readonly verify: boolean;
}

const lookAgainMs = 200;

/** Prints the audit lines of all kept runs, oldest first. */
export async function runLog({ runsDir }: Config, options: LogOptions): Promise<number> {
  if (options.verify) return verify(runsDir, options);
  const reader = new LogReader(runsDir, options);
  reader.print();
  if (!options.follow) return exitCodes.ok.code;
  using interrupt = openInterrupt();
  while (!interrupt.signal.aborted) {
    await sleep(lookAgainMs, interrupt.signal).catch(() => {});
    reader.print();
  }
  return exitCodes.ok.code;
}

function verify(runsDir: string, { run, json }: LogOptions): number {
  const verified = runsIn(runsDir, run).map((name) => verifyRun(join(runsDir, name)));
  for (const each of verified) {
    const state = each.brokenAt === undefined ? "whole" : `BROKEN at line ${each.brokenAt}`;
    const line = json ? JSON.stringify(each) : `${each.run} ${state}, ${each.lines} calls, head ${each.head}`;
    process.stdout.write(`${line}\n`);
  }
  return verified.some(({ brokenAt }) => brokenAt !== undefined) ? exitCodes.failed.code : exitCodes.ok.code;
}

function runsIn(runsDir: string, wanted: string | undefined): readonly string[] {
  const all = existsSync(runsDir)
    ? readdirSync(runsDir).filter((name) => existsSync(join(runsDir, name, eventsFile)))
    : [];
  if (wanted === undefined) return all.sort();
  if (all.includes(wanted)) return [wanted];
  throw new ToolError("not_found", `There is no run "${wanted}" in ${runsDir}.`, { candidates: all.slice(-10) });
}

/** Remembers how far each file was read, so that following costs only what is new. */
class LogReader {
  readonly #runsDir: string;
  readonly #options: LogOptions;
  readonly #read = new Map<string, number>();

  constructor(runsDir: string, options: LogOptions) {
    this.#runsDir = runsDir;
    this.#options = options;
  }

  print(): void {
    for (const run of runsIn(this.#runsDir, this.#options.run)) {
      const fresh = this.#fresh(join(this.#runsDir, run, eventsFile));
      for (const entry of parseRun(fresh).entries) {
        const line = this.#options.json ? JSON.stringify({ run, ...entry }) : auditLine(entry);
        process.stdout.write(`${line}\n`);
      }
    }
  }

  /** Only complete lines: the last one may still be being written. */
  #fresh(file: string): Buffer {
    const from = this.#read.get(file) ?? 0;
    const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
    if (size <= from) return Buffer.alloc(0);
    const bytes = Buffer.alloc(size - from);
    const descriptor = openSync(file, "r");
    try {
      readSync(descriptor, bytes, 0, bytes.length, from);
    } finally {
      closeSync(descriptor);
    }
    const whole = bytes.subarray(0, bytes.lastIndexOf(0x0a) + 1);
    this.#read.set(file, from + whole.length);
    return whole;
  }
}
