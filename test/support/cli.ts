import { spawn, type ChildProcess } from "node:child_process";
import { mkdirSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { placeVariable } from "../../src/base/runtime.ts";
import { mainFile } from "./handsight.ts";

export interface CliResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CliOptions {
  readonly env?: NodeJS.ProcessEnv;
  readonly stdin?: string;
  /** Called with the process once it is running. */
  readonly started?: (child: ChildProcess) => void;
}

export interface Sandbox extends Disposable {
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
  readonly run: (args: readonly string[], options?: CliOptions) => Promise<CliResult>;
  /** The same with a terminal on stdin, stdout and stderr, with typed input; all output arrives as stdout. */
  readonly runInTerminal: (args: readonly string[], typed: string) => Promise<CliResult>;
}

/** Separate folders for everything handsight writes, so that a test can neither see nor stop any other process. */
export function openSandbox(base: NodeJS.ProcessEnv = withoutDisplay(process.env)): Sandbox {
  const folder = mkdtempSync(join(tmpdir(), "handsight-cli-"));
  const place = (name: string): string => {
    mkdirSync(join(folder, name), { mode: 0o700 });
    return join(folder, name);
  };
  const env = {
    ...base,
    HOME: place("home"),
    XDG_CONFIG_HOME: place("config"),
    XDG_STATE_HOME: place("state"),
    XDG_RUNTIME_DIR: place("run"),
    TMPDIR: place("tmp"),
    [placeVariable]: place("place"),
  };
  const run: Sandbox["run"] = (args, options = {}) =>
    collect(process.execPath, [mainFile, ...args], { ...options, env: { ...env, ...options.env } });
  return {
    folder,
    env,
    run,
    runInTerminal: (args, typed) =>
      collect("/usr/bin/python3", ["-c", terminal, process.execPath, mainFile, ...args], { env, stdin: typed }),
    [Symbol.dispose]: () => removeFolderNow(folder),
  };
}

// Waits for the question before it types, as a person would.
const terminal = `
import os, pty, select, sys
typed = sys.stdin.buffer.read()
pid, fd = pty.fork()
if pid == 0:
    os.execv(sys.argv[1], sys.argv[1:])
seen = b""
while True:
    try:
        data = os.read(fd, 4096)
    except OSError:
        break
    if not data:
        break
    seen += data
    if typed and b"[n] no: " in seen:
        os.write(fd, typed)
        typed = b""
sys.stdout.buffer.write(seen)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
`;
import { removeFolderNow } from "./remove-folder.ts";

export function collect(
  program: string,
  args: readonly string[],
  { env, stdin, started }: CliOptions,
): Promise<CliResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { env, stdio: [stdin === undefined ? "ignore" : "pipe", "pipe", "pipe"] });
    let stdout = "";
    let stderr = "";
    child.stdout?.setEncoding("utf8").on("data", (chunk: string) => (stdout += chunk));
    child.stderr?.setEncoding("utf8").on("data", (chunk: string) => (stderr += chunk));
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, stdout, stderr }));
    child.stdin?.end(stdin);
    started?.(child);
  });
}

function withoutDisplay(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { DISPLAY: _, WAYLAND_DISPLAY: __, ...rest } = env;
  return rest;
}
