const budgetBytes = 128 * 1024 * 1024;

/**
 * Limits the memory that all surfaces together use for pictures. The oldest are dropped first, whichever surface they
 * belong to.
 */
export class PixelPool {
  readonly #kept = new Map<string, { readonly bytes: number; readonly drop: () => void }>();
  readonly #budget: number;
  #bytes = 0;

  constructor(budget = budgetBytes) {
    this.#budget = budget;
  }

  /** `drop` is called when the picture is evicted. The newest picture stays, however large. */
  keep(id: string, bytes: number, drop: () => void): void {
    this.#kept.set(id, { bytes, drop });
    this.#bytes += bytes;
    for (const [oldest, kept] of this.#kept) {
      if (this.#bytes <= this.#budget || this.#kept.size === 1) return;
      this.forget(oldest);
      kept.drop();
    }
  }

  forget(id: string): void {
    this.#bytes -= this.#kept.get(id)?.bytes ?? 0;
    this.#kept.delete(id);
  }
}
