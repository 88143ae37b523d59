import { createInterface } from "node:readline";
import { cancelled, throwIfCancelled } from "../base/async.ts";
import type { Answer } from "../tools/call.ts";
import { printable } from "./text.ts";

export interface Terminal {
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
}

const own: Terminal = { input: process.stdin, output: process.stderr };

/** stdout may well be redirected; the question goes to stderr. */
export const canAsk = ({ input, output }: Terminal = own): boolean => input.isTTY && output.isTTY;

/** Asks until there is a clear answer. A closed input is a no. */
export async function approve(
  question: string,
  signal: AbortSignal,
  { input, output }: Terminal = own,
): Promise<Answer> {
  throwIfCancelled(signal);
  // Without raw mode the terminal turns Ctrl-C into a signal, as everywhere else in the program.
  const lines = createInterface({ input, output, terminal: false });
  const prompt = (): void => void output.write("[y] yes, once   [s] yes, for this session   [n] no: ");
  let onAbort = (): void => {};
  try {
    return await new Promise<Answer>((resolve, reject) => {
      onAbort = () => reject(cancelled(signal));
      signal.addEventListener("abort", onAbort, { once: true });
      lines.on("close", () => resolve("deny"));
      // One listener for all lines: several may arrive at once.
      lines.on("line", (line) => {
        const answer = readAnswer(line);
        if (answer === undefined) prompt();
        else resolve(answer);
      });
      output.write(`${printable(question)}\n`);
      prompt();
    });
  } finally {
    signal.removeEventListener("abort", onAbort);
    lines.close();
  }
}

export function readAnswer(line: string): Answer | undefined {
  switch (line.trim().toLowerCase()) {
    case "y":
    case "yes":
      return "once";
    case "s":
    case "session":
      return "session";
    case "n":
    case "no":
      return "deny";
    default:
      return undefined;
  }
}
