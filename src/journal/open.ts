import { randomBytes } from "node:crypto";
import { join } from "node:path";
import type { Log } from "../base/log.ts";
import { auditLine } from "./audit.ts";
import { Chain } from "./chain.ts";
import { artifactName, isArtifactName, RunFiles } from "./files.ts";
import type { Journal, JournalEntry } from "./journal.ts";
import { readRun } from "./read.ts";
import { sweepRuns } from "./retention.ts";

export interface JournalOptions {
  /** The folder of all runs. */
  readonly folder: string;
  /** Off keeps the last entries in memory only and writes no audit line. */
  readonly enabled: boolean;
  readonly keepDays: number;
  readonly keepBytes: number;
  readonly log: Log;
}

const entriesInMemory = 1_000;
// Of their text; as objects they take several times as much.
const entryBytesInMemory = 4_000_000;
const artifactBytesInMemory = 16_000_000;
const sweepAtMostEveryMs = 60_000;

/** A journal that touches no file before the first entry, and that a failing disk turns into one kept in memory. */
export function openJournal(options: JournalOptions): Journal {
  const runId = newRunId();
  let disk = options.enabled ? new RunFiles(join(options.folder, runId), options.keepBytes / 2) : undefined;
  const chain = new Chain(runId);
  const recent: JournalEntry[] = [];
  const recentBytes: number[] = [];
  let bytesInMemory = 0;
  const pictures = new Map<string, Uint8Array>();
  const listeners = new Set<(entry: JournalEntry) => void>();
  let steps = 0;
  let dropped = 0;
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
      options.log.warn(`the journal goes on in memory only: ${disk.folder} cannot be written`, error);
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
    append(entry) {
      const line = chain.seal(JSON.stringify(entry));
      onDisk((files) => files.appendLine(line));
      recent.push(entry);
      recentBytes.push(line.length);
      bytesInMemory += line.length;
      while (recent.length > entriesInMemory || (bytesInMemory > entryBytesInMemory && recent.length > 1)) {
        recent.shift();
        bytesInMemory -= recentBytes.shift() ?? 0;
        dropped++;
      }
      if (options.enabled) options.log.info(auditLine(entry));
      for (const listener of listeners) notify(listener, entry);
    },
    saveArtifact(wanted, bytes) {
      const name = artifactName(wanted);
      if (!onDisk((files) => files.saveArtifact(name, bytes))) remember(pictures, name, bytes);
      return name;
    },
    readArtifact(name) {
      if (!isArtifactName(name)) return undefined;
      return pictures.get(name) ?? disk?.readArtifact(name);
    },
    entries() {
      return dropped === 0 || disk === undefined ? [...recent] : [...firstEntries(disk, dropped), ...recent];
    },
    onAppend(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    async [Symbol.asyncDispose]() {
      await sweep;
      if (disk) closeQuietly(disk);
    },
  };
}

/** Those no longer in memory; none when somebody deleted the folder of the run meanwhile. */
function firstEntries(files: RunFiles, count: number): readonly JournalEntry[] {
  try {
    return readRun(files.folder).entries.slice(0, count);
  } catch {
    return [];
  }
}

function remember(pictures: Map<string, Uint8Array>, name: string, bytes: Uint8Array): void {
  pictures.set(name, bytes);
  let total = [...pictures.values()].reduce((sum, picture) => sum + picture.length, 0);
  for (const [oldest, picture] of pictures) {
    if (total <= artifactBytesInMemory) return;
    total -= picture.length;
    pictures.delete(oldest);
  }
}

function closeQuietly(files: RunFiles): void {
  try {
    files.close();
  } catch {
    // The disk is failing already, and has been reported.
  }
}

function newRunId(): string {
  const time = new Date().toISOString().replaceAll(/[-:.]/g, "");
  return `${time}-${process.pid}-${randomBytes(3).toString("hex")}`;
}
