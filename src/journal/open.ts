import { randomBytes } from "node:crypto";
import { join } from "node:path";
import type { Log } from "../base/log.ts";
import { auditLine } from "./audit.ts";
import { Chain } from "./chain.ts";
import { artifactName, isArtifactName, RunFiles } from "./files.ts";
import type { Journal, JournalEntry } from "./journal.ts";
import { Later, RecentArtifacts, RecentEntries } from "./memory.ts";
import { readRun } from "./read.ts";
import { sweepRuns } from "./retention.ts";

export interface JournalOptions {
  /** The folder of all runs. */
  readonly folder: string;
  /** Off: keeps the latest entries in memory only and writes no audit line. */
  readonly enabled: boolean;
  readonly keepDays: number;
  readonly keepBytes: number;
  readonly log: Log;
}

const sweepAtMostEveryMs = 60_000;

/** A journal that touches no file before the first entry. If the disk fails, it continues in memory. */
export function openJournal(options: JournalOptions): Journal {
  const runId = newRunId();
  let disk = options.enabled ? new RunFiles(join(options.folder, runId), options.keepBytes / 2) : undefined;
  const chain = new Chain(runId);
  const recent = new RecentEntries();
  const artifacts = new RecentArtifacts();
  const later = new Later((error) => options.log.error("the journal could not be kept", error));
  const listeners = new Set<(entry: JournalEntry) => void>();
  let steps = 0;
  let sweep: Promise<unknown> | undefined;

  const onDisk = (write: (files: RunFiles) => void): boolean => {
    if (disk === undefined) return false;
    try {
      write(disk);
      sweep ??= sweepRuns({ ...options, own: runId, atMostEveryMs: sweepAtMostEveryMs }).catch((error: unknown) =>
        options.log.warn("old runs could not be deleted", error),
      );
      return true;
    } catch (error) {
      options.log.warn(`the journal continues in memory only: ${disk.folder} cannot be written`, error);
      closeQuietly(disk);
      disk = undefined;
      return false;
    }
  };

  const notify = (listener: (entry: JournalEntry) => void, entry: JournalEntry): void => {
    try {
      listener(entry);
    } catch (error) {
      options.log.error("a reader of the journal failed", error);
    }
  };

  return {
    runId,
    nextStep: () => `s${++steps}`,
    append(made) {
      const keep = () => {
        const entry = isFunction(made) ? made() : made;
        const json = JSON.stringify(entry);
        onDisk((files) => files.appendLine(chain.seal(json)));
        recent.add(entry, json.length);
        if (options.enabled) options.log.info(auditLine(entry));
        for (const listener of listeners) notify(listener, entry);
      };
      if (options.enabled) keep();
      else later.add(keep);
    },
    saveArtifact(wanted, made) {
      const name = artifactName(wanted);
      const bytes = () => (isFunction(made) ? made() : made);
      if (!options.enabled) later.add(() => artifacts.add(name, bytes()));
      else if (!onDisk((files) => files.saveArtifact(name, bytes()))) artifacts.add(name, bytes());
      return name;
    },
    readArtifact(name) {
      if (!isArtifactName(name)) return undefined;
      later.finish();
      return artifacts.get(name) ?? disk?.readArtifact(name);
    },
    entries() {
      later.finish();
      const { all, dropped } = recent;
      return dropped === 0 || disk === undefined ? all : [...firstEntries(disk, dropped), ...all];
    },
    onAppend(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    async [Symbol.asyncDispose]() {
      later.finish();
      await sweep;
      if (disk) closeQuietly(disk);
    },
  };
}

/** The entries that are no longer in memory; none if somebody has deleted the run folder. */
function firstEntries(files: RunFiles, count: number): readonly JournalEntry[] {
  try {
    return readRun(files.folder).entries.slice(0, count);
  } catch {
    return [];
  }
}

function closeQuietly(files: RunFiles): void {
  try {
    files.close();
  } catch {
    // The disk failure has already been reported.
  }
}

const isFunction = <T>(made: T | (() => T)): made is () => T => typeof made === "function";

function newRunId(): string {
  const time = new Date().toISOString().replaceAll(/[-:.]/g, "");
  return `${time}-${process.pid}-${randomBytes(3).toString("hex")}`;
}
