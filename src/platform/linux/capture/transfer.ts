import type { Rect } from "../../../base/geometry.ts";
import { redirectedWindowsShower } from "./flush-off-screen.ts";
import { loadSharedMemory, type SharedMemory } from "./shared-memory.ts";
import type { Connection, RequestOptions } from "../x11/connection.ts";
import { XError } from "../x11/errors.ts";
import { findExtension, getShmVersion, shmAttach, shmAttachFd, shmDetach, shmGetImage } from "../x11/extensions.ts";
import { holdServer } from "../x11/hold.ts";
import { getImage, type Image } from "../x11/requests.ts";

/**
 * How pixels get from the server to us: through SysV shared memory; through memory whose descriptor is passed to the
 * server (works across users and IPC namespaces, such as containers); or copied over the socket.
 */
export type ShmTier = "sysv" | "fd" | "socket";
export const shmTiers: readonly ShmTier[] = ["sysv", "fd", "socket"];

export interface Grab extends Disposable {
  readonly data: Buffer;
  readonly depth: number;
  readonly visual: number;
}

/** Memory that the server writes into. */
export interface Segment {
  readonly id: number;
  readonly memory: SharedMemory;
  isLeased: boolean;
}

/** Captures that were never disposed keep their segment; beyond this many, pictures are copied instead. */
const mostSegments = 4;
/** Segment sizes are multiples of this, so that windows of similar size can share them. */
const granule = 1 << 20;

/** Shared memory of one connection. Each grab leases its segment until disposed, so grabs never overwrite each other. */
export class ShmPool {
  readonly tier: ShmTier;
  readonly #connection: Connection;
  #segments: Segment[] = [];
  #attaching = 0;

  private constructor(connection: Connection, tier: ShmTier) {
    this.#connection = connection;
    this.tier = tier;
    connection.onClose(() => {
      for (const segment of this.#segments) segment.memory.forget();
      this.#segments = [];
    });
  }

  /** Picks the first tier that works with this server. */
  static async open(c: Connection, tiers: readonly ShmTier[] = shmTiers): Promise<ShmPool> {
    for (const tier of tiers) {
      if (tier === "socket" || !c.isLocal) break;
      const pool = new ShmPool(c, tier);
      if (await pool.#works()) return pool;
    }
    return new ShmPool(c, "socket");
  }

  async grab(drawable: number, rect: Rect, options?: RequestOptions): Promise<Grab> {
    const size = rect.width * rect.height * 4;
    const segment = this.tier === "socket" ? undefined : await this.lease(size);
    if (!segment) return { ...(await this.#copy(drawable, rect, options)), [Symbol.dispose]() {} };
    try {
      const image = await shmGetImage(this.#connection, drawable, rect, segment.id, options);
      let isHeld = true;
      return {
        ...image,
        data: segment.memory.bytes.subarray(0, size),
        [Symbol.dispose]: () => {
          if (isHeld) segment.isLeased = false;
          isHeld = false;
        },
      };
    } catch (error) {
      // After a cancelled or late reply the server may still write into it; after a refusal it will not.
      if (error instanceof XError) segment.isLeased = false;
      else this.discard(segment);
      throw error;
    }
  }

  /**
   * The server copies redirected windows to the screen in the middle of its answer, and a damage event for that would
   * end up between the answer's bytes. So this is done beforehand, and nobody can paint until the answer is out.
   */
  async #copy(drawable: number, rect: Rect, options?: RequestOptions): Promise<Image> {
    const c = this.#connection;
    const showRedirected = await redirectedWindowsShower(c);
    const release = holdServer(c);
    showRedirected();
    const image = getImage(c, drawable, rect, options);
    release();
    return image;
  }

  /** For callers that fill it themselves and keep it until `discard`; undefined when too many are leased. */
  async lease(size: number): Promise<Segment | undefined> {
    const fitting = this.#segments.find(({ isLeased, memory }) => !isLeased && memory.bytes.length >= size);
    if (fitting) {
      fitting.isLeased = true;
      return fitting;
    }
    const tooSmall = this.#segments.find(({ isLeased }) => !isLeased);
    if (tooSmall) this.discard(tooSmall);
    if (this.#segments.length + this.#attaching >= mostSegments) return undefined;
    this.#attaching += 1;
    try {
      const segment = await this.#attach(Math.ceil(size / granule) * granule);
      this.#segments.push(segment);
      return segment;
    } catch (error) {
      if (this.#connection.isClosed) throw error;
      return undefined;
    } finally {
      this.#attaching -= 1;
    }
  }

  async #attach(size: number): Promise<Segment> {
    const shared = loadSharedMemory();
    if (!shared) throw new Error("no shared memory");
    const c = this.#connection;
    if (this.tier === "fd") {
      const memory = shared.allocateFd(size);
      const id = await shmAttachFd(c, (socketFd, bytes) => memory.pass(socketFd, bytes)).catch(undo(memory));
      return { id, memory, isLeased: true };
    }
    const memory = shared.allocateSysv(size);
    return { id: await shmAttach(c, memory.shmid).catch(undo(memory)), memory, isLeased: true };
  }

  discard(segment: Segment): void {
    this.#segments = this.#segments.filter((other) => other !== segment);
    segment.memory.forget();
    shmDetach(this.#connection, segment.id).catch(() => {});
  }

  /**
   * A server in another IPC namespace may have someone else's segment under our number and write there, so a tier is
   * trusted only after a pixel has arrived in our memory.
   */
  async #works(): Promise<boolean> {
    const c = this.#connection;
    const shm = await findExtension(c, "MIT-SHM");
    if (!shm || !loadSharedMemory()) return false;
    const { major, minor } = await getShmVersion(c);
    if (this.tier === "fd" && (major < 1 || (major === 1 && minor < 2))) return false;
    const { width, height } = c.setup;
    const segment = await this.lease(width * height * 4);
    if (!segment) return false;
    try {
      for (const canary of [0x5a, 0xa5]) {
        segment.memory.bytes.fill(canary, 0, 4);
        await shmGetImage(c, c.root, { x: 0, y: 0, width: 1, height: 1 }, segment.id);
        if (segment.memory.bytes.subarray(0, 3).some((byte) => byte !== canary)) {
          segment.isLeased = false;
          return true;
        }
      }
    } catch (error) {
      if (!(error instanceof XError)) throw error;
    }
    this.discard(segment);
    return false;
  }
}

function undo(memory: SharedMemory): (error: unknown) => never {
  return (error) => {
    memory.forget();
    throw error;
  };
}

/** The pool of this connection, created on first use. */
export function shmPool(c: Connection): Promise<ShmPool> {
  return c.memo("shm pool", () => ShmPool.open(c));
}
