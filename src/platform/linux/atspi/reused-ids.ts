import { BoundedMap } from "./bounded.ts";

/**
 * Tells objects apart that had the same id one after the other. Qt 5 gives the path of the object made last, once it is
 * gone, to the next one it makes; and a bus that was started anew gives the names of programs anew.
 */
export class ReusedIds {
  readonly connection: number;
  readonly #generations = new BoundedMap<number>();
  #count = 0;

  /** `connection` counts the buses connected to so far. */
  constructor(connection: number) {
    this.connection = connection;
  }

  /** Another object may have this id from now on. */
  note(id: string): void {
    this.#count += 1;
    this.#generations.set(id, this.#count);
  }

  mark(id: string): string {
    const generation = this.#generations.get(id);
    return generation === undefined && this.connection === 0
      ? id
      : `${id}${separator}${this.connection}.${generation ?? 0}`;
  }

  /** The id without its mark; undefined when it has been given to another object since. */
  unmark(marked: string): string | undefined {
    const [id = ""] = marked.split(separator);
    return this.mark(id) === marked ? id : undefined;
  }
}

// Never part of an object path.
const separator = "~";
