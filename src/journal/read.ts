import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { JournalEntry } from "./journal.ts";

export const eventsFile = "events.jsonl";

export interface RunRecord {
  readonly entries: readonly JournalEntry[];
  /** Bytes of a last line that was being written when the process was killed; 0 after a clean end. */
  readonly tornBytes: number;
  /** Complete lines that are not entries: something else damaged the file. */
  readonly badLines: number;
}

/** Reads the record of a run, even if it was cut short or is still growing. */
export function readRun(folder: string): RunRecord {
  return parseRun(readFileSync(join(folder, eventsFile)));
}

export function parseRun(bytes: Buffer): RunRecord {
  const end = bytes.lastIndexOf(0x0a) + 1;
  const rest = bytes.subarray(end);
  const lines = bytes.subarray(0, end).toString("utf8").split("\n").slice(0, -1);
  const read = lines.map(parseEntry);
  // A last line without its line break may still be complete: the break is written last.
  const last = parseEntry(rest.toString("utf8"));
  return {
    entries: [...read, last].filter((entry) => entry !== undefined),
    tornBytes: last === undefined ? rest.length : 0,
    badLines: read.filter((entry) => entry === undefined).length,
  };
}

function parseEntry(line: string): JournalEntry | undefined {
  try {
    const value: unknown = JSON.parse(line);
    if (!isEntry(value)) return undefined;
    const { hash: _, ...entry } = value as JournalEntry & { readonly hash?: unknown };
    return entry;
  } catch {
    return undefined;
  }
}

function isEntry(value: unknown): value is JournalEntry {
  if (typeof value !== "object" || value === null) return false;
  const entry = value as Partial<Record<keyof JournalEntry, unknown>>;
  return (
    entry.type === "call" &&
    typeof entry.step === "string" &&
    typeof entry.at === "number" &&
    typeof entry.tool === "string" &&
    typeof entry.ok === "boolean" &&
    Array.isArray(entry.artifacts)
  );
}
