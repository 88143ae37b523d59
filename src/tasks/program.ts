import { spawn } from "node:child_process";
import { closeSync, openSync, readFileSync } from "node:fs";
import { poll } from "../base/async.ts";
import { ToolError } from "../base/errors.ts";

/** The app of a task, and its results. */
export interface Program extends Disposable {
  readonly pid: number;
  readonly output: () => string;
  /** Undefined while it is running. */
  readonly exitCode: () => number | undefined;
}

export interface ProgramOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly folder: string;
  /** Receives what it prints. */
  readonly outputFile: string;
}

/** Starts a program on the desktop its environment names. */
export async function startProgram(
  program: string,
  args: readonly string[],
  { env, folder, outputFile }: ProgramOptions,
): Promise<Program> {
  const output = openSync(outputFile, "w", 0o600);
  const child = spawn(program, args, { env, cwd: folder, stdio: ["ignore", output, "ignore"] });
  closeSync(output);
  let exitCode: number | undefined;
  // 128, as in shells, for any signal.
  child.once("exit", (code) => (exitCode = code ?? 128));
  await new Promise<void>((resolve, reject) => {
    child.once("spawn", resolve);
    child.once("error", (cause) => reject(new ToolError("not_found", `${program} could not be started.`, { cause })));
  });
  return {
    pid: child.pid ?? 0,
    output: () => readFileSync(outputFile, "utf8"),
    exitCode: () => exitCode,
    [Symbol.dispose]: () => void child.kill("SIGKILL"),
  };
}

/** Whether it ends by itself within this time. */
export async function hasEnded(program: Program, timeoutMs: number, signal: AbortSignal): Promise<boolean> {
  const ended = await poll(async () => program.exitCode(), { timeoutMs, everyMs: 50, signal });
  return ended !== undefined;
}
