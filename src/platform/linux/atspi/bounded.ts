/** Forgets everything when it is full: it only saves repeated questions. */
export class BoundedMap<T> {
  readonly #map = new Map<string, T>();
  static readonly most = 50_000;

  get(key: string): T | undefined {
    return this.#map.get(key);
  }

  set(key: string, value: T): void {
    if (this.#map.size >= BoundedMap.most) this.#map.clear();
    this.#map.set(key, value);
  }

  delete(key: string): void {
    this.#map.delete(key);
  }
}
