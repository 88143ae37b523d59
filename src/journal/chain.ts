import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { eventsFile } from "./read.ts";

const seal = /,"hash":"([0-9a-f]{64})"\}$/;

/**
 * Every line carries a hash over itself and the previous line, the first one over the name of the run: a line that is
 * changed, removed, added or moved breaks the rest. Whoever can write the file can replace all of it; to detect that,
 * or a missing end, note the last hash elsewhere.
 */
export class Chain {
  #last: string;

  constructor(runId: string) {
    this.#last = digest("", runId);
  }

  /** The line to write. */
  seal(json: string): string {
    this.#last = digest(this.#last, json);
    return `${json.slice(0, -1)},"hash":"${this.#last}"}`;
  }

  /** Whether this is the correct next line. */
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
  /** The number of intact lines. */
  readonly lines: number;
  /** The number of the first broken line; undefined when all are intact. */
  readonly brokenAt?: number | undefined;
  /** The hash of the last intact line; note it elsewhere to detect a missing end later. */
  readonly head: string;
}

/** A last line without a line break was being written when the process was killed; that counts as intact. */
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
