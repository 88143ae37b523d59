import { createInterface } from "node:readline";
import { AskingNote } from "../platform/asking.ts";
import { cancelled, throwIfCancelled } from "../base/async.ts";
import type { Answer } from "../tools/call.ts";
import { printable } from "./text.ts";

export interface Terminal {
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
  /**
   * What was typed before the question could be read is not an answer, so none is accepted until the input pauses
   * this long.
   */
  readonly armMs: number;
}

const own: Terminal = { input: process.stdin, output: process.stderr, armMs: 600 };

/** stdout may be redirected; the question goes to stderr. */
export const canAsk = ({ input, output }: Terminal = own): boolean => input.isTTY && output.isTTY;

interface Choice {
  readonly key: string;
  readonly words: string;
  readonly answer: Answer;
}

/** What can be typed, depending on what the question offers. */
function choicesOf(offers: readonly Answer[]): readonly Choice[] {
  const [yes = "deny"] = offers;
  const lasting = yes === "session" ? "" : ", once";
  return [
    { key: "y", words: `yes${lasting}`, answer: yes },
    ...(offers.includes("session") && yes !== "session"
      ? [{ key: "s", words: "yes, for this session", answer: "session" as const }]
      : []),
    { key: "n", words: "no", answer: "deny" },
  ];
}

/** Asks until there is a clear answer. Closed input means no. */
export async function approve(
  question: { readonly text: string; readonly offers: readonly Answer[] },
  signal: AbortSignal,
  { input, output, armMs }: Terminal = own,
): Promise<Answer> {
  throwIfCancelled(signal);
  // Anything typed into this terminal now counts as the person's answer.
  using note = new AskingNote();
  note.write({ isAsked: true, shownBy: [] });
  // Without raw mode the terminal turns Ctrl-C into a signal, as everywhere else in the program.
  const lines = createInterface({ input, output, terminal: false });
  const choices = choicesOf(question.offers);
  const prompt = (): void => void output.write(`${choices.map(({ key, words }) => `[${key}] ${words}`).join("   ")}: `);
  let onAbort = (): void => {};
  let isArmed = false;
  const arm = (): void => {
    isArmed = true;
    prompt();
  };
  const timer = setTimeout(arm, armMs);
  try {
    return await new Promise<Answer>((resolve, reject) => {
      onAbort = () => reject(cancelled(signal));
      signal.addEventListener("abort", onAbort, { once: true });
      lines.on("close", () => resolve("deny"));
      // One listener for all lines: several may arrive at once.
      lines.on("line", (line) => {
        // A slow terminal is still delivering what was typed before.
        if (!isArmed) return void timer.refresh();
        const answer = readAnswer(line, choices);
        if (answer === undefined) prompt();
        else resolve(answer);
      });
      output.write(`${printable(question.text)}\n`);
    });
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
    lines.close();
  }
}

const wholeWords: Readonly<Record<string, string>> = { yes: "y", session: "s", no: "n" };

function readAnswer(line: string, choices: readonly Choice[]): Answer | undefined {
  const word = line.trim().toLowerCase();
  const typed = wholeWords[word] ?? word;
  return choices.find(({ key, answer }) => key === typed || (typed === "s" && answer === "session"))?.answer;
}
