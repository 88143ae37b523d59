/** How a call ended. Only the last one is a failure of the server: everything else is an answer. */
export type Outcome =
  | { readonly kind: "done"; readonly data: Readonly<Record<string, unknown>> }
  | { readonly kind: "failed"; readonly code: string; readonly message: string }
  | { readonly kind: "cancelled" }
  | { readonly kind: "unanswered"; readonly message: string };

export interface Entry {
  readonly tool: string;
  readonly ms: number;
  readonly outcome: Outcome;
}

/** Every call of a soak and how it ended. */
export class Ledger {
  readonly entries: Entry[] = [];
  #begun = 0;

  get begun(): number {
    return this.#begun;
  }

  begin(): void {
    this.#begun++;
  }

  end(entry: Entry): void {
    this.entries.push(entry);
  }

  get answered(): number {
    return this.entries.filter(({ outcome }) => outcome.kind !== "unanswered").length;
  }

  /** What must not happen, one line each, with the number of times. */
  faults(): string[] {
    const counts = new Map<string, number>();
    for (const { tool, outcome } of this.entries) {
      const fault =
        outcome.kind === "unanswered" || (outcome.kind === "failed" && outcome.code === "internal")
          ? `${tool}: ${outcome.kind === "failed" ? "internal, " : ""}${outcome.message.slice(0, 300)}`
          : undefined;
      if (fault !== undefined) counts.set(fault, (counts.get(fault) ?? 0) + 1);
    }
    return [...counts].map(([fault, count]) => (count === 1 ? fault : `${fault} (${count} times)`));
  }

  count(fits: (outcome: Outcome) => boolean): number {
    return this.entries.filter(({ outcome }) => fits(outcome)).length;
  }

  /** How often each error code was the answer, most frequent first. */
  codes(): readonly (readonly [string, number])[] {
    const counts = new Map<string, number>();
    for (const { outcome } of this.entries) {
      if (outcome.kind === "failed") counts.set(outcome.code, (counts.get(outcome.code) ?? 0) + 1);
    }
    return [...counts].toSorted(([, a], [, b]) => b - a);
  }
}
