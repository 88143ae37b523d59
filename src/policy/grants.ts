/** Permissions given so far, some of them for a limited time. */
export class Grants {
  readonly #until = new Map<string, number>();
  readonly #minutes: number | undefined;

  constructor(minutes: number | undefined) {
    this.#minutes = minutes;
  }

  add(names: readonly string[], now: number): void {
    for (const name of names) {
      this.#until.set(name, this.#minutes === undefined ? Number.POSITIVE_INFINITY : now + this.#minutes * 60_000);
    }
  }

  valid(now: number): ReadonlySet<string> {
    for (const [name, until] of this.#until) if (until <= now) this.#until.delete(name);
    return new Set(this.#until.keys());
  }
}
