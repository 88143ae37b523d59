import { realpath } from "node:fs/promises";
import { basename } from "node:path";

/** Run what the link to them is called. */
const multiCall: ReadonlySet<string> = new Set(["busybox", "coreutils", "snap", "toybox"]);

/**
 * The file that is really run, links followed. A link to a program that runs what the link is called stands for itself, or
 * every such app would be the same one.
 */
export async function programFile(path: string): Promise<string> {
  const real = await realpath(path).catch(() => path);
  return multiCall.has(basename(real)) ? path : real;
}
