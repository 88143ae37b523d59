import { basename } from "node:path";

// Quotes too: the texts of other languages than the shell's name programs between them.
const separators = /[\s;|&()<>{}[\]$`"'=,!%:*#?@]+/u;

/**
 * Every word among the arguments of a command that may name a program: each argument as it is, and the words a shell would
 * find in it. Too many rather than too few. A name that a script puts together is not among them.
 */
export function commandWords(args: readonly string[]): ReadonlySet<string> {
  const words = args.flatMap((arg) => [
    arg,
    ...arg.split(separators),
    ...arg.replaceAll(/["'\\]/g, "").split(separators),
  ]);
  // The value of a short option may stand right after its letter: env -Sxterm.
  const plain = words.map((word) => (/^-[A-Za-z]./.test(word) ? word.slice(2) : word));
  return new Set(plain.filter((word) => /[\p{L}\p{N}]/u.test(word) && !word.startsWith("-")));
}

/** What a program may be called that is given so: the path of a desktop entry names its app. */
export function givenNames(program: string): readonly string[] {
  const name = basename(program);
  return [...new Set([program, name, name.replace(/\.desktop$/i, "")])].filter((each) => each !== "");
}
