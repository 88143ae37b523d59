import { now, type Kind, type Runner } from "../measure.ts";
import { runCommand, type CommandLine } from "./command.ts";

/** How a command line says the five things a job is made of. */
export interface Speech {
  readonly look: readonly string[];
  /** Where the names of the field, the button and the text are in what `look` prints. */
  readonly field: RegExp;
  readonly button: RegExp;
  fill(field: string, text: string): readonly string[];
  click(button: string): readonly string[];
  readonly read: readonly string[];
}

export interface Contender {
  readonly name: string;
  readonly kind: Kind;
  readonly note?: string;
  readonly line: CommandLine;
  readonly speech: Speech;
}

const commandsPerRow = 50;
const commandsPerRound = 5;

/**
 * Fifty commands in a row: look, fill the field, press the button, read what it says, look again. The time is that of one
 * command. `added` is what the app itself has received, from outside.
 */
export function inARow({ name, kind, note, line, speech }: Contender, added: () => readonly string[]): Runner {
  let rows = 0;
  return {
    name,
    kind,
    note,
    async run() {
      rows += 1;
      const run = (words: readonly string[]): Promise<string> => runCommand(line, words);
      const wanted: string[] = [];
      const before = added().length;
      const started = now();
      for (let round = 0; round < commandsPerRow / commandsPerRound; round++) {
        const text = `Ada ${rows} ${round}`;
        const seen = await run(speech.look);
        await run(speech.fill(need(speech.field, seen), text));
        // Some make every name stale with every action; they have to look before they can press.
        const again = await run(speech.look);
        await run(speech.click(need(speech.button, again)));
        const said = await run(speech.read);
        if (!said.includes(`Added ${text}`)) throw new Error(`it reads ${JSON.stringify(said.slice(0, 200))}`);
        wanted.push(text);
      }
      const ms = (now() - started) / commandsPerRow;
      const got = added().slice(before);
      if (got.join() !== wanted.join()) throw new Error(`the app got ${JSON.stringify(got)}`);
      return { ms };
    },
  };
}

function need(pattern: RegExp, text: string): string {
  const [, found] = pattern.exec(text) ?? [];
  if (found === undefined) throw new Error(`${pattern} is not in ${JSON.stringify(text.slice(0, 300))}`);
  return found;
}
