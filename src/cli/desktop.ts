import type { Config } from "../config/options.ts";

/** Runs a command on a private desktop and returns its exit code. */
export async function runDesktop({ size, monitors, scale }: Config, command: readonly string[]): Promise<number> {
  const { runInDesktop } = await import("../platform/virtual/run.ts");
  return runInDesktop({ ...size, monitors, scale }, command);
}
