import type { WindowDetails } from "./details.ts";
import { knownOverlays, type KnownOverlays } from "../overlay/known-overlays.ts";
import type { Connection, RequestOptions } from "../x11/connection.ts";
import { isGone } from "../x11/errors.ts";
import { eventMask, type XEvent } from "../x11/events.ts";
import { watchRoot, watchWindow } from "../x11/watch.ts";

const structural: ReadonlySet<XEvent["type"]> = new Set([
  "MapNotify",
  "UnmapNotify",
  "DestroyNotify",
  "ReparentNotify",
  "ConfigureNotify",
] as const);

const tellingProperties = [
  "_NET_CLIENT_LIST",
  "_NET_CLIENT_LIST_STACKING",
  "_NET_WM_NAME",
  "WM_NAME",
  "WM_CLASS",
  "_NET_WM_PID",
  "_NET_WM_WINDOW_TYPE",
  "_NET_WM_STATE",
  "WM_STATE",
  "WM_TRANSIENT_FOR",
  "WM_CLIENT_LEADER",
  "WM_HINTS",
];

// Counted across all connections, so that states of different connections never get the same number.
let changes = 0;

/**
 * Counts changes to the listed windows: title, position, opening and closing. The server sends events before the
 * reply to any later request, so if the number is unchanged after a reply, nothing had changed until then.
 */
export class WindowListVersion {
  readonly #connection: Connection;
  readonly #watched = new Set<number>();
  readonly #listeners = new Set<() => void>();
  #count = ++changes;

  private constructor(connection: Connection, telling: ReadonlySet<number>, overlays: KnownOverlays) {
    this.#connection = connection;
    connection.on((event) => {
      if (event.type === "DestroyNotify") this.#watched.delete(event.window);
      const isTold = event.type === "PropertyNotify" ? telling.has(event.atom) : structural.has(event.type);
      const isOfOverlay = "window" in event && overlays.everSeen.has(event.window);
      if (!isTold || isOfOverlay) return;
      this.#count = ++changes;
      for (const listen of this.#listeners) listen();
    });
  }

  static of(c: Connection): Promise<WindowListVersion> {
    return c.memo("window list version", async () => {
      const atoms = await Promise.all(tellingProperties.map((name) => c.atom(name)));
      const [overlays] = await Promise.all([knownOverlays(c), watchRoot(c)]);
      return new WindowListVersion(c, new Set(atoms), overlays);
    });
  }

  onChange(listener: () => void): () => void {
    const own = (): void => listener();
    this.#listeners.add(own);
    return () => void this.#listeners.delete(own);
  }

  get count(): number {
    return this.#count;
  }

  /**
   * Watches these windows from now on. For a new one this counts as a change, because it may have changed since it
   * was read.
   */
  async follow(windows: readonly WindowDetails[], options: RequestOptions): Promise<void> {
    const fresh = windows.map(({ info }) => info.id).filter((id) => !this.#watched.has(id));
    if (fresh.length === 0) return;
    await Promise.all(fresh.map((id) => this.#watch(id, options)));
    this.#count = ++changes;
  }

  async #watch(id: number, options: RequestOptions): Promise<void> {
    try {
      await watchWindow(this.#connection, id, eventMask.propertyChange | eventMask.structureNotify, options);
      this.#watched.add(id);
    } catch (error) {
      if (!isGone(error)) throw error;
    }
  }
}
