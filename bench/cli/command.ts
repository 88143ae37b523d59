import { execFile } from "node:child_process";
import { promisify } from "node:util";

const run = promisify(execFile);
/** A command that takes longer than this has failed. */
const longestMs = 60_000;

export interface CommandLine {
  readonly command: string;
  /** Before the words of every command. */
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly folder: string;
}

/** What one command prints; throws when it fails. */
export async function runCommand(
  { command, args, env, folder }: CommandLine,
  words: readonly string[],
): Promise<string> {
  const { stdout } = await run(command, [...args, ...words], { env, cwd: folder, timeout: longestMs });
  return stdout;
}
