import { createInterface } from "node:readline";
import { ToolError } from "../../base/errors.ts";
import { createFolder } from "./folder.ts";
import type { Report, Settings } from "./messages.ts";
import { removeDeadDesktops, removeDesktop } from "./remove.ts";
import { startDesktop } from "./start.ts";

/**
 * The process that owns one desktop. It outlives the process that asked for the desktop just long enough to end
 * everything inside: its standard input is the life line, which the kernel cuts however that process dies.
 */
const stop = new AbortController();
const lifeLineCut = new Promise<void>((resolve) => {
  for (const name of ["end", "close", "error"]) process.stdin.on(name, resolve);
  for (const name of ["SIGTERM", "SIGINT", "SIGHUP"]) process.on(name, resolve);
  // A bug of our own must not leave the programs behind.
  process.on("uncaughtException", () => resolve());
}).then(() => stop.abort());

// The reader may be gone; a failed write must not prevent the clean-up.
process.stdout.on("error", () => {});
const report = (message: Report): void => void process.stdout.write(`${JSON.stringify(message)}\n`);

async function main(): Promise<void> {
  const settings = await readSettings();
  if (!settings) return;
  const folder = createFolder();
  try {
    const { display, lost } = await startDesktop(folder, settings, stop.signal);
    report({ kind: "ready", id: folder.id, folder: folder.path, display });
    removeDeadDesktops().catch(() => {});
    const reason = await Promise.race([lost, lifeLineCut]);
    if (reason !== undefined) report({ kind: "lost", reason });
  } catch (error) {
    if (!stop.signal.aborted) report(toFailure(error));
  } finally {
    await removeDesktop(folder);
  }
}

function readSettings(): Promise<Settings | undefined> {
  return new Promise((resolve) => {
    const lines = createInterface({ input: process.stdin });
    lines.once("line", (line) => resolve(JSON.parse(line) as Settings));
    lines.once("close", () => resolve(undefined));
  });
}

function toFailure(error: unknown): Report {
  if (error instanceof ToolError) {
    return { kind: "failed", code: error.code, message: error.message, hint: error.details.hint };
  }
  const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { kind: "failed", code: "internal", message: `The virtual desktop did not start: ${message}` };
}

await main();
process.exit(0);
