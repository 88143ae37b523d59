import type { JournalEntry } from "./journal.ts";

const mostEntries = 1_000;
// Measured as text; as objects they take several times as much.
const mostEntryBytes = 4_000_000;
const mostArtifactBytes = 16_000_000;

/** The latest entries of a run. */
export class RecentEntries {
  readonly #entries: JournalEntry[] = [];
  readonly #sizes: number[] = [];
  #size = 0;
  /** How many entries came before the oldest of them. */
  dropped = 0;

  get all(): readonly JournalEntry[] {
    return [...this.#entries];
  }

  add(entry: JournalEntry, size: number): void {
    this.#entries.push(entry);
    this.#sizes.push(size);
    this.#size += size;
    while (this.#entries.length > mostEntries || (this.#size > mostEntryBytes && this.#entries.length > 1)) {
      this.#entries.shift();
      this.#size -= this.#sizes.shift() ?? 0;
      this.dropped++;
    }
  }
}

/** The latest pictures and trees, if no disk keeps them. */
export class RecentArtifacts {
  readonly #bytes = new Map<string, Uint8Array>();
  #size = 0;

  get(name: string): Uint8Array | undefined {
    return this.#bytes.get(name);
  }

  add(name: string, bytes: Uint8Array): void {
    this.#size += bytes.length - (this.#bytes.get(name)?.length ?? 0);
    this.#bytes.set(name, bytes);
    for (const [oldest, each] of this.#bytes) {
      if (this.#size <= mostArtifactBytes) return;
      this.#size -= each.length;
      this.#bytes.delete(oldest);
    }
  }
}

/** Work that nobody waits for: done after the answer has gone out, or when its result is needed. */
export class Later {
  readonly #work: (() => void)[] = [];
  readonly #onError: (error: unknown) => void;

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  add(work: () => void): void {
    if (this.#work.push(work) === 1) setImmediate(() => this.finish());
  }

  finish(): void {
    for (const work of this.#work.splice(0)) {
      try {
        work();
      } catch (error) {
        this.#onError(error);
      }
    }
  }
}
