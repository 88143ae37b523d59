import { spawn } from "node:child_process";
import type { StdioOptions } from "node:child_process";
import { constants } from "node:os";
import { ToolError } from "../../base/errors.ts";
import { openVirtualDesktop } from "./desktop.ts";
import type { VirtualDesktopOptions } from "./desktop.ts";

const forwarded = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"] as const;

/**
 * Runs a command inside its own desktop and resolves with its exit code (128 + n if a signal ended it, as in shells).
 * The desktop ends with the command, and the command with the desktop.
 */
export async function runInDesktop(
  options: VirtualDesktopOptions,
  command: readonly string[],
  { stdio = "inherit" }: { readonly stdio?: StdioOptions } = {},
): Promise<number> {
  const [program, ...args] = command;
  if (program === undefined) throw new ToolError("invalid_argument", "There is no command to run on the desktop.");
  const stop = new AbortController();
  let pass: (name: NodeJS.Signals) => void = () => stop.abort();
  const onSignal = (name: NodeJS.Signals) => pass(name);
  for (const name of forwarded) process.on(name, onSignal);
  try {
    const signal = options.signal ? AbortSignal.any([options.signal, stop.signal]) : stop.signal;
    await using desktop = await openVirtualDesktop({ ...options, signal });
    // A session would outlive the desktop; commands in here work on it one by one, whatever is open elsewhere.
    const env = { ...desktop.env, HANDSIGHT_SESSION: desktop.env["HANDSIGHT_SESSION"] || "off" };
    const child = spawn(program, args, { env, stdio });
    pass = (name) => {
      // A terminal sends these to the command as well; when they come twice, many programs quit at once without
      // saving.
      if (!(process.stdin.isTTY && (name === "SIGINT" || name === "SIGQUIT"))) child.kill(name);
    };
    options.signal?.addEventListener("abort", () => child.kill("SIGTERM"), { once: true });
    const exit = new Promise<number>((resolve, reject) => {
      child.once("error", (error) => reject(notStarted(program, error)));
      child.once("exit", (code, name) => resolve(code ?? 128 + (name ? constants.signals[name] : 0)));
    });
    const lost = desktop.lost.then((reason): never => {
      throw new ToolError("not_connected", `The virtual desktop was lost while ${program} ran. ${reason}`);
    });
    return await Promise.race([exit, lost]);
  } finally {
    for (const name of forwarded) process.off(name, onSignal);
  }
}

function notStarted(program: string, cause: Error): ToolError {
  const reason = "code" in cause && cause.code === "ENOENT" ? "there is no such program" : cause.message;
  return new ToolError("not_found", `${program} could not be started: ${reason}.`, {
    hint: "Give the name of a program on PATH, or its path.",
    cause,
  });
}
