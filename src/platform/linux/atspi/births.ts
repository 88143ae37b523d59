import { BoundedMap } from "./bounded.ts";

/**
 * Tells objects apart that had the same path one after the other. Qt 5 gives the number of the object made last, once
 * it is gone, to the next one it makes; every widget that takes a place says that it shows.
 */
export class Births {
  readonly #births = new BoundedMap<number>();
  #count = 0;

  /** Another object may have this id from now on. */
  note(id: string): void {
    this.#count += 1;
    this.#births.set(id, this.#count);
  }

  mark(id: string): string {
    const birth = this.#births.get(id);
    return birth === undefined ? id : `${id}${separator}${birth}`;
  }

  /** The id without its mark; undefined when it has been given to another object since. */
  unmark(marked: string): string | undefined {
    const [id = "", birth] = marked.split(separator);
    return this.#births.get(id)?.toString() === birth ? id : undefined;
  }
}

// Never part of an object path.
const separator = "~";
