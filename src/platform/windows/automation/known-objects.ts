import type { ComObject } from "./com.ts";

interface Known<T> {
  readonly value: T;
  readonly parent: string | undefined;
  /** The reading in which it was last seen. */
  reading: number;
}

/** Objects that were read last, by window and id. They are given back when a reading of the window lacks them. */
export class KnownObjects<T extends { readonly object: ComObject }> {
  readonly #windows = new Map<number, Map<string, Known<T>>>();
  /** How often each window was read. */
  readonly #readings = new Map<number, number>();
  /** Objects that share their id with another of the same reading; their children may still be asked for. */
  readonly #doubles = new Map<number, ComObject[]>();

  begin(hwnd: number): void {
    this.#readings.set(hwnd, this.#reading(hwnd) + 1);
  }

  #reading(hwnd: number): number {
    return this.#readings.get(hwnd) ?? 0;
  }

  put(hwnd: number, id: string, value: T, parent: string | undefined): void {
    const known = this.#windows.get(hwnd) ?? new Map<string, Known<T>>();
    this.#windows.set(hwnd, known);
    const before = known.get(id);
    known.set(id, { value, parent, reading: this.#reading(hwnd) });
    if (!before || before.value.object === value.object) return;
    if (before.reading < this.#reading(hwnd)) before.value.object.release();
    else this.#doubles.set(hwnd, [...(this.#doubles.get(hwnd) ?? []), before.value.object]);
  }

  /** The same element, read again outside of a reading of its window. */
  replace(hwnd: number, id: string, value: T): void {
    const known = this.#windows.get(hwnd)?.get(id);
    this.#windows.get(hwnd)?.set(id, { value, parent: known?.parent, reading: this.#reading(hwnd) });
    if (known && known.value.object !== value.object) known.value.object.release();
  }

  get(hwnd: number, id: string): T | undefined {
    return this.#windows.get(hwnd)?.get(id)?.value;
  }

  parentOf(hwnd: number, id: string): string | undefined {
    return this.#windows.get(hwnd)?.get(id)?.parent;
  }

  /** Gives back what the last reading did not see. */
  finish(hwnd: number): void {
    const known = this.#windows.get(hwnd);
    this.#dropDoubles(hwnd);
    for (const [id, { value, reading }] of known ?? []) {
      if (reading === this.#reading(hwnd)) continue;
      value.object.release();
      known?.delete(id);
    }
  }

  /** Gives back everything of windows that are gone; of all windows if nothing is said. */
  drop(isGone: (hwnd: number) => boolean = () => true): void {
    for (const [hwnd, known] of this.#windows) {
      if (!isGone(hwnd)) continue;
      this.#dropDoubles(hwnd);
      for (const { value } of known.values()) value.object.release();
      this.#windows.delete(hwnd);
      this.#readings.delete(hwnd);
    }
  }

  #dropDoubles(hwnd: number): void {
    for (const object of this.#doubles.get(hwnd) ?? []) object.release();
    this.#doubles.delete(hwnd);
  }
}
