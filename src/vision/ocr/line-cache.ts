import type { Recognised } from "./recognise.ts";

// A line takes about a kilobyte; a dense screen has four hundred.
const mostLines = 4000;

/** What lines were read as, by the key of their pixels; the ones used longest ago go first. */
export class LineCache {
  readonly #lines = new Map<string, Recognised>();

  get(key: string): Recognised | undefined {
    const line = this.#lines.get(key);
    if (!line) return undefined;
    this.#lines.delete(key);
    this.#lines.set(key, line);
    return line;
  }

  set(key: string, line: Recognised): void {
    this.#lines.set(key, line);
    for (const oldest of this.#lines.keys()) {
      if (this.#lines.size <= mostLines) return;
      this.#lines.delete(oldest);
    }
  }
}
