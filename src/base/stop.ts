import { ToolError } from "./errors.ts";
import { findProcesses, readStop, removeStop, runtimeFolders, writeStop } from "./runtime.ts";

/** Tells a process to release everything; it listens for this once it has begun to act. */
export const stopSignal = "SIGUSR2";

export interface StopReport {
  /** Processes that were acting or had acted, and were told to release everything. */
  readonly stopped: readonly number[];
}

/** Refuses all input by handsight from now on, then interrupts what is in progress. */
export function stopAll(folders: readonly string[] = runtimeFolders()): StopReport {
  if (writeStop(folders).length === 0) {
    throw new ToolError("permission_missing", `The stop could not be recorded in any of ${folders.join(", ")}.`, {
      hint: "End the handsight processes by hand.",
    });
  }
  const stopped = findProcesses(folders).flatMap(({ pid }) => {
    try {
      process.kill(pid, stopSignal);
      return [pid];
    } catch {
      // It has just ended.
      return [];
    }
  });
  return { stopped };
}

export function resumeAll(folders: readonly string[] = runtimeFolders()): { readonly was_stopped: boolean } {
  const stopped = readStop(folders);
  removeStop(folders);
  return { was_stopped: stopped !== undefined };
}
