import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openSandbox } from "../support/cli.ts";

/** Asks the shell itself what it offers after these words; one candidate per line. */
const asks: Readonly<Record<string, (words: readonly string[]) => readonly string[]>> = {
  bash: (words) => [
    "-c",
    `source "$HOME/completion"; COMP_WORDS=(${words.map((word) => `'${word}'`).join(" ")}); COMP_CWORD=${words.length - 1}
     _handsight; printf '%s\\n' "\${COMPREPLY[@]}"`,
  ],
  // Outside of its line editor zsh completes nothing, so what it would describe is printed.
  zsh: (words) => [
    "-fc",
    `compdef() { :; }; _describe() { print -rl -- "\${(@)\${(P)2}%%:*}"; }; source "$HOME/completion"
     words=(${words.map((word) => `'${word}'`).join(" ")}); CURRENT=${words.length}; _handsight`,
  ],
  fish: (words) => ["-c", `complete -C "${words.join(" ")}"`],
};

const startsWith = (start: string) => (line: string) => line.startsWith(start);

test.each(Object.keys(asks))("%s completes commands and their flags", async (shell) => {
  using sandbox = openSandbox();
  const home = join(sandbox.folder, "home");
  const { stdout, code } = await sandbox.run(["completion", shell]);
  expect(code).toBe(0);
  const fish = join(home, ".config", "fish", "completions");
  mkdirSync(fish, { recursive: true });
  writeFileSync(shell === "fish" ? join(fish, "handsight.fish") : join(home, "completion"), stdout);
  const env = { ...process.env, HOME: home, XDG_CONFIG_HOME: join(home, ".config") };
  const offered = (...words: string[]): readonly string[] =>
    execFileSync(shell, asks[shell]?.(["handsight", ...words]) ?? [], { env, encoding: "utf8" })
      .split("\n")
      .map((line) => line.split("\t")[0] ?? "")
      .filter(startsWith(words.at(-1) ?? ""));
  expect(offered("take_s")).toEqual(["take_screenshot"]);
  expect(offered("sess")).toEqual(["session"]);
  expect(offered("click", "--te")).toEqual(["--text"]);
  expect(offered("mcp", "--too")).toEqual(["--tools"]);
});
