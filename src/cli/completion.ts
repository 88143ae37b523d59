import type { Command } from "commander";

export const shells = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof shells)[number];

interface Word {
  readonly word: string;
  readonly help: string;
}

interface Completed extends Word {
  readonly flags: readonly Word[];
}

/** A script that completes commands and flags, from the same tree that parses them. */
export function completionScript(shell: Shell, program: Command): string {
  const commands = program.commands.map((command): Completed => ({
    word: command.name(),
    help: command.summary(),
    flags: flagsOf(command),
  }));
  return { bash, zsh, fish }[shell](commands, flagsOf(program));
}

const flagsOf = (command: Command): readonly Word[] =>
  command.options.flatMap(({ long, hidden, description }) =>
    long && !hidden ? [{ word: long, help: firstSentence(description) }] : [],
  );

const firstSentence = (text: string): string => text.split(/[.;(]/)[0]?.trim().slice(0, 80) ?? "";
const namesOf = (words: readonly Word[]): string => words.map(({ word }) => word).join(" ");

/** In single quotes, for every one of the shells. */
const quoted = (text: string): string => `'${text.replaceAll("'", "’")}'`;

const bash = (commands: readonly Completed[], flags: readonly Word[]): string =>
  `# eval "$(handsight completion bash)" in ~/.bashrc
_handsight() {
  local current="\${COMP_WORDS[COMP_CWORD]}" words=${quoted(`${namesOf(commands)} ${namesOf(flags)}`)} word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$word" in
${commands.map(({ word, flags: own }) => `      ${word}) words=${quoted(namesOf(own))} ;;`).join("\n")}
    esac
  done
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _handsight handsight
`;

const described = (words: readonly Word[]): string =>
  words.map(({ word, help }) => quoted(`${word}:${help.replaceAll(":", " ")}`)).join(" ");

const zsh = (commands: readonly Completed[], flags: readonly Word[]): string =>
  `#compdef handsight
# eval "$(handsight completion zsh)" in ~/.zshrc, after compinit
_handsight() {
  local -a offered
  local typed
  offered=(${described([...commands, ...flags])})
  for typed in "\${(@)words[2,CURRENT-1]}"; do
    case "$typed" in
${commands.map(({ word, flags: own }) => `      ${word}) offered=(${described(own)}) ;;`).join("\n")}
    esac
  done
  _describe handsight offered || _files
}
compdef _handsight handsight
`;

const fish = (commands: readonly Completed[], flags: readonly Word[]): string => {
  const line = (when: string, { word, help }: Word): string =>
    word.startsWith("--")
      ? `complete -c handsight -n ${quoted(when)} -l ${word.slice(2)} -d ${quoted(help)}`
      : `complete -c handsight -n ${quoted(when)} -f -a ${word} -d ${quoted(help)}`;
  return `# handsight completion fish > ~/.config/fish/completions/handsight.fish
${[...commands, ...flags].map((each) => line("__fish_use_subcommand", each)).join("\n")}
${commands.flatMap(({ word, flags: own }) => own.map((flag) => line(`__fish_seen_subcommand_from ${word}`, flag))).join("\n")}
`;
};
