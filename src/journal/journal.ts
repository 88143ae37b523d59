/** One call as it was made and as it ended, without secrets. */
export interface CallEntry {
  readonly type: "call";
  /** "s1", "s2", … in the order the calls began. */
  readonly step: string;
  /** Milliseconds since the epoch, when the call began. */
  readonly at: number;
  readonly ms: number;
  readonly tool: string;
  readonly access: string;
  readonly surface?: string;
  readonly arguments: unknown;
  /** Names of arguments that hold text that was entered; the audit line shows none of it. */
  readonly typed?: readonly string[];
  readonly ok: boolean;
  /** The structured result, redacted, or the content of the error envelope. */
  readonly result: unknown;
  /** Names of the files under the run folder that belong to this step. */
  readonly artifacts: readonly string[];
  /** Name and version of the MCP client, "cli", "agent". */
  readonly client?: string;
}

export type JournalEntry = CallEntry;

/** Append-only record of a run. Creating one touches no file; the first entry does. */
export interface Journal extends AsyncDisposable {
  readonly runId: string;
  nextStep(): string;
  /**
   * On disk when it returns, so a later kill -9 loses nothing. An entry that is kept only in memory is built later, when
   * nobody waits for it.
   */
  append(entry: JournalEntry | (() => JournalEntry)): void;
  /** Saves bytes in the run folder and returns the file's name there. */
  saveArtifact(name: string, bytes: Uint8Array | (() => Uint8Array)): string;
  readArtifact(name: string): Uint8Array | undefined;
  /** Entries of this run so far, oldest first. */
  entries(): readonly JournalEntry[];
  /** Calls back after each append until the returned function is called. */
  onAppend(listener: (entry: JournalEntry) => void): () => void;
}
