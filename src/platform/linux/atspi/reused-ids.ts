import { BoundedMap } from "./bounded.ts";

/**
 * Distinguishes objects that had the same id one after the other. Once the most recently created object is gone, Qt 5
 * gives its path to the next one; and a restarted bus assigns the names of programs again.
 */
export class ReusedIds {
  readonly connection: number;
  readonly #generations = new BoundedMap<number>();
  #count = 0;

  /** `connection` is the number of buses connected to before. */
  constructor(connection: number) {
    this.connection = connection;
  }

  /** This id may belong to another object from now on. */
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

  /** The id without its mark; undefined when it now belongs to another object. */
  unmark(marked: string): string | undefined {
    const [id = ""] = marked.split(separator);
    return this.mark(id) === marked ? id : undefined;
  }
}

// Never part of an object path.
const separator = "~";
