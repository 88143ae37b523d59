import type { Rect } from "../../../base/geometry.ts";
import { getRootBounds } from "./monitors.ts";
import { redirectedWindowsShower } from "./flush-off-screen.ts";
import { shmPool, type Segment, type ShmPool } from "./transfer.ts";
import type { Picture } from "./window-picture.ts";
import type { Connection, RequestOptions } from "../x11/connection.ts";
import {
  createDamage,
  damageTaker,
  findExtension,
  shmFetcher,
  type DamageTaker,
  type ShmFetcher,
} from "../x11/extensions.ts";
import { holdServer } from "../x11/hold.ts";

/** Full-width rows of the screen, `bottom` excluded. */
interface Band {
  readonly top: number;
  readonly bottom: number;
}

/** Each sends in the turn in which it is called, so that their order is known. */
interface Requests {
  readonly showRedirected: () => void;
  readonly takeDamage: DamageTaker;
  readonly fetch: ShmFetcher;
}

/** Copying this many rows takes as long as requesting another band. */
const smallestGap = 16;
/** If more than this fraction of the screen was painted, all of it is fetched. */
const mostPart = 0.6;
/** If other rows are still being painted after this many rounds, all of it is fetched. */
const patience = 3;
/** With one of these, clients may bypass the server, and such changes may not be reported as damage. */
const directRendering = ["DRI2", "DRI3", "XFree86-DRI", "XFree86-DGA", "NV-GLX"];

/**
 * The last picture of the whole screen, kept in shared memory and updated by fetching the rows that the server
 * reports as painted. If nothing has changed, a capture costs one round trip and no copy.
 */
export class ScreenCache {
  readonly #connection: Connection;
  readonly #pool: ShmPool;
  readonly #showRedirected: () => void;
  readonly #takeDamage: DamageTaker;
  readonly #fetch: ShmFetcher;
  #segment: Segment | undefined;
  #size: { readonly width: number; readonly height: number };
  #isLent = false;
  /** The memory matches the screen, except where the server has unreported damage. */
  #isCurrent = false;
  #fetchedRows = 0;

  private constructor(connection: Connection, pool: ShmPool, requests: Requests) {
    this.#connection = connection;
    this.#pool = pool;
    this.#showRedirected = requests.showRedirected;
    this.#takeDamage = requests.takeDamage;
    this.#fetch = requests.fetch;
    this.#size = connection.setup;
  }

  /** Undefined when the server does not share memory or may not report every change. */
  static async open(c: Connection): Promise<ScreenCache | undefined> {
    const pool = await shmPool(c);
    if (pool.tier === "socket") return undefined;
    const [damage, fixes, ...others] = await Promise.all(
      ["DAMAGE", "XFIXES", ...directRendering].map((name) => findExtension(c, name)),
    );
    if (!damage || !fixes || fixes.major < 2 || others.some((found) => found !== undefined)) return undefined;
    const [showRedirected, takeDamage, fetch] = await Promise.all([
      redirectedWindowsShower(c),
      createDamage(c, c.root, "first").then((root) => damageTaker(c, root)),
      shmFetcher(c),
    ]);
    return new ScreenCache(c, pool, { showRedirected, takeDamage, fetch });
  }

  /** Rows that the last capture had to fetch. */
  get fetchedRows(): number {
    return this.#fetchedRows;
  }

  /**
   * Undefined while the last capture is still in use, because it must not change while it is read; or when memory is
   * short.
   */
  async capture(options: RequestOptions): Promise<Picture | undefined> {
    if (this.#isLent) return undefined;
    this.#isLent = true;
    let picture: Picture | undefined;
    try {
      picture = await this.#update(options);
      return picture;
    } finally {
      this.#isLent = picture !== undefined;
    }
  }

  async #update(options: RequestOptions): Promise<Picture | undefined> {
    let stale = this.#isCurrent ? [] : everything(this.#size);
    // Damage is reported only once: until its rows have been fetched, and after any failure, the memory is not
    // current.
    this.#isCurrent = false;
    this.#fetchedRows = 0;
    for (let round = 1; ; round++) {
      const { width, height } = this.#size;
      const segment = await this.#reserve(width * height * 4);
      if (!segment) return undefined;
      const { bounds, damaged } = await this.#exchange(segment, stale, options);
      this.#fetchedRows += countRows(stale);
      if (bounds.width !== width || bounds.height !== height) {
        stale = everything(bounds);
      } else if (damaged.every((band) => isWithin(band, stale))) {
        this.#isCurrent = true;
        return this.#lend(segment, bounds);
      } else {
        stale = round >= patience || countRows(damaged) > height * mostPart ? everything(bounds) : damaged;
      }
    }
  }

  /**
   * Requests the size, what was painted since last time, and the pixels of `bands`, all together. The pixels are at
   * least as new as the report.
   */
  async #exchange(segment: Segment, bands: readonly Band[], options: RequestOptions) {
    const c = this.#connection;
    const { width, height } = this.#size;
    // Nobody may paint between the report and the bands, or between two bands. A single band is consistent by itself.
    const isGrabbed = countRows(bands) > 0 && countRows(bands) < height;
    const release = isGrabbed ? holdServer(c) : undefined;
    const asking = getRootBounds(c, options);
    this.#showRedirected();
    const taking = this.#takeDamage(options);
    const fetching = bands.map(({ top, bottom }) => {
      const rect = { x: 0, y: top, width, height: bottom - top };
      return this.#fetch(c.root, rect, { segment: segment.id, offset: top * width * 4 }, options);
    });
    release?.();
    const others = Promise.all([taking, ...fetching]);
    others.catch(() => {});
    // A screen that became smaller refuses the missing rows; the next try needs its size.
    const bounds = await asking;
    this.#size = bounds;
    const [rects] = await others;
    return { bounds, damaged: toBands(rects, bounds.height) };
  }

  async #reserve(size: number): Promise<Segment | undefined> {
    if (this.#segment && this.#segment.memory.bytes.length < size) {
      this.#pool.discard(this.#segment);
      this.#segment = undefined;
    }
    return (this.#segment ??= await this.#pool.lease(size));
  }

  #lend({ memory }: Segment, bounds: Rect): Picture {
    const { rootDepth, rootVisual } = this.#connection.setup;
    let isHeld = true;
    const dispose = () => {
      if (isHeld) this.#isLent = false;
      isHeld = false;
    };
    const data = memory.bytes.subarray(0, bounds.width * bounds.height * 4);
    return { bounds, grab: { data, depth: rootDepth, visual: rootVisual, [Symbol.dispose]: dispose } };
  }
}

/** The cache of this connection, created on first use. */
export function screenCache(c: Connection): Promise<ScreenCache | undefined> {
  return c.memo("screen cache", () => ScreenCache.open(c));
}

const everything = ({ height }: { readonly height: number }): readonly Band[] => [{ top: 0, bottom: height }];

const countRows = (bands: readonly Band[]): number => bands.reduce((sum, { top, bottom }) => sum + bottom - top, 0);

const isWithin = (band: Band, bands: readonly Band[]): boolean =>
  bands.some(({ top, bottom }) => top <= band.top && band.bottom <= bottom);

/** Rectangles come sorted by their top edge. */
function toBands(rects: readonly Rect[], height: number): readonly Band[] {
  const bands: Band[] = [];
  for (const rect of rects) {
    const top = Math.max(0, rect.y);
    const bottom = Math.min(height, rect.y + rect.height);
    if (top >= bottom) continue;
    const last = bands.at(-1);
    if (last && top - last.bottom < smallestGap) {
      bands[bands.length - 1] = { top: last.top, bottom: Math.max(last.bottom, bottom) };
    } else {
      bands.push({ top, bottom });
    }
  }
  return bands;
}
