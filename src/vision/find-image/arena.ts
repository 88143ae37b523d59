import type { KernelPool } from "./pool.ts";

const alignment = 64;

/** Allocates consecutive pieces of the kernel's memory for one search. */
export class Arena {
  readonly #pool: KernelPool;
  // Nothing is stored at 0, so that 0 can mean "none".
  #end = alignment;

  constructor(pool: KernelPool) {
    this.#pool = pool;
  }

  take(bytes: number): number {
    const at = this.#end;
    this.#end = at + Math.ceil(bytes / alignment) * alignment;
    this.#pool.reserve(this.#end);
    return at;
  }

  bytes(at: number, length: number): Uint8Array {
    return new Uint8Array(this.#pool.reserve(this.#end), at, length);
  }

  view(): DataView {
    return new DataView(this.#pool.reserve(this.#end));
  }
}
