/**
 * Ports that no page driven by handsight may reach: a browser's debugging port shows and controls pages that the
 * rules hide, and handsight's own ports are for the person and the client. Compared by number only, because a host
 * has many names.
 */
export class PrivatePorts {
  readonly #ports = new Map<number, string>();
  readonly #listeners = new Set<() => void>();

  add(port: number, what: string): void {
    if (this.#ports.get(port) === what) return;
    this.#ports.set(port, what);
    for (const listener of this.#listeners) listener();
  }

  list(): readonly number[] {
    return [...this.#ports.keys()];
  }

  /** What is behind the address, if it is one of these ports. */
  find(address: string): string | undefined {
    if (!URL.canParse(address)) return undefined;
    const { port, protocol, pathname } = new URL(address);
    // blob:http://…, view-source:http://…
    if (!/^(https?|wss?|ftp):$/.test(protocol)) return /^\w+:/.test(pathname) ? this.find(pathname) : undefined;
    return this.#ports.get(Number(port));
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }
}
