import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { eventsFile } from "./read.ts";

const seal = /,"hash":"([0-9a-f]{64})"\}$/;

/**
 * Every line carries a hash over itself and the line before it, the first one over the name of the run: a line that is
 * changed, left out, added or moved breaks the rest. Whoever can write the file can write a whole new one; noting the last
 * hash elsewhere is what finds that, and a cut-off end.
 */
export class Chain {
  #last: string;

  constructor(runId: string) {
    this.#last = digest("", runId);
  }

  /** The line as it is to be written. */
  seal(json: string): string {
    this.#last = digest(this.#last, json);
    return `${json.slice(0, -1)},"hash":"${this.#last}"}`;
  }

  /** Whether the line is the next one. */
  accepts(line: string): boolean {
    const hash = seal.exec(line)?.[1];
    if (hash === undefined || digest(this.#last, line.replace(seal, "}")) !== hash) return false;
    this.#last = hash;
    return true;
  }

  get head(): string {
    return this.#last;
  }
}

const digest = (before: string, text: string): string =>
  createHash("sha256").update(`${before}\n${text}`).digest("hex");

export interface Verified {
  readonly run: string;
  /** Lines that are as they were written. */
  readonly lines: number;
  /** Number of the first line that is not; undefined when all are. */
  readonly brokenAt?: number | undefined;
  /** Hash of the last line that is; note it elsewhere to find a cut-off end later. */
  readonly head: string;
}

/** A last line without its line break was being written when the process was killed; that breaks nothing. */
export function verifyRun(folder: string): Verified {
  const run = basename(folder);
  const chain = new Chain(run);
  const text = readFileSync(join(folder, eventsFile), "utf8");
  const lines = text
    .slice(0, text.lastIndexOf("\n") + 1)
    .split("\n")
    .slice(0, -1);
  const bad = lines.findIndex((line) => !chain.accepts(line));
  return bad < 0
    ? { run, lines: lines.length, head: chain.head }
    : { run, lines: bad, brokenAt: bad + 1, head: chain.head };
}
