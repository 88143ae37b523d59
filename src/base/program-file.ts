import { realpath } from "node:fs/promises";
import { isLauncher } from "./launchers.ts";

/**
 * The file that is really run, links followed. A link to a program that runs what the link is called (snap, busybox) stands
 * for itself, or every such app would be the same one.
 */
export async function programFile(path: string): Promise<string> {
  const real = await realpath(path).catch(() => path);
  return isLauncher(real) && !isLauncher(path) ? path : real;
}
