import type { Answer, Question } from "../tools/call.ts";
import { approve, canAsk } from "./approve.ts";
import { openInterrupt, type Interrupt } from "./interrupt.ts";
import { readOwnStdin } from "./own-stdin.ts";

/** Where text goes: a terminal, a file or a pipe. */
export interface Output {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

/** Whoever gave a command: the terminal of this process, or a client of a session. */
export interface Caller {
  readonly out: Output;
  readonly err: Output;
  /** What relative paths are relative to. */
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
  readonly canAsk: boolean;
  ask(question: Pick<Question, "text" | "offers">, signal: AbortSignal): Promise<Answer>;
  /** Listens for Ctrl-C until it is disposed of. */
  interrupt(doing?: string): Interrupt;
  readStdin(): Promise<string>;
}

/** The terminal of this process. */
export const ownCaller = (): Caller => ({
  out: process.stdout,
  err: process.stderr,
  folder: process.cwd(),
  env: process.env,
  canAsk: canAsk(),
  ask: (question, signal) => approve(question, signal),
  interrupt: openInterrupt,
  readStdin: readOwnStdin,
});
