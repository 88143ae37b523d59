import { join } from "node:path";
import { Turns } from "./turns.ts";

/** Pages come and go by the hundred; a client works with few at a time. */
export const mostOpen = 16;

/** The turns of everything that can be acted on, by name. Drops those that have not been used for long. */
export class AllTurns implements Disposable {
  readonly #folder: () => string;
  /** The most recently used one is last. */
  readonly #opened = new Map<string, Turns>();

  /** The folder is determined when something is first acted on. */
  constructor(folder: () => string) {
    this.#folder = folder;
  }

  of(name: string, what: string | undefined): Turns {
    const turns = this.#opened.get(name) ?? new Turns(join(this.#folder(), name), what);
    this.#opened.delete(name);
    this.#forgetOldest(mostOpen - 1);
    this.#opened.set(name, turns);
    return turns;
  }

  [Symbol.dispose](): void {
    for (const turns of this.#opened.values()) turns[Symbol.dispose]();
    this.#opened.clear();
  }

  #forgetOldest(most: number): void {
    for (const [name, turns] of this.#opened) {
      if (this.#opened.size <= most) return;
      if (!turns.isFree) continue;
      turns[Symbol.dispose]();
      this.#opened.delete(name);
    }
  }
}
