import type { EncodedPixels, Frame, FrameSource, Picture, Pixels } from "../base/frame.ts";
import type { Rect, Size } from "../base/geometry.ts";
import { ToolError } from "../base/errors.ts";
import { nonce } from "../base/nonce.ts";
import { PixelPool } from "./pixel-pool.ts";
import { pixelsPerUnit } from "./view.ts";

/** Where a picture was taken. The store assigns the id. */
export interface NewFrame {
  readonly surface: string;
  readonly source: FrameSource;
  readonly bounds: Rect;
  readonly image: Size;
}

// Enough for a handful of full screens. The bounds of a frame are kept far longer than its pixels.
const pixelBudget = 64 * 1024 * 1024;
const frameBudget = 2_000;

/** The pictures callers were given. Old pixels are dropped first, then old frames. */
export class FrameStore {
  readonly #nonce = nonce();
  readonly #frames = new Map<string, Frame>();
  readonly #pixels = new Map<string, Pixels | EncodedPixels>();
  readonly #latestOfWindow = new Map<number, Frame>();
  readonly #pool: PixelPool;
  #count = 0;
  #bytes = 0;

  constructor(pool = new PixelPool()) {
    this.#pool = pool;
  }

  add(taken: NewFrame, pixels: Pixels | EncodedPixels | undefined): Frame {
    const frame: Frame = {
      id: `f${++this.#count}${this.#nonce}`,
      ...taken,
      scale: pixelsPerUnit(taken),
      at: Date.now(),
    };
    this.#frames.set(frame.id, frame);
    if (frame.source.kind === "window") this.#latestOfWindow.set(frame.source.windowId, frame);
    if (pixels) this.#keep(frame.id, pixels);
    this.#trim();
    return frame;
  }

  get(id: string): Frame {
    const frame = this.#frames.get(id);
    if (frame) return frame;
    throw new ToolError("not_found", `There is no screenshot "${id}" in this session.`, {
      hint: "Take a new screenshot and use its screenshot_id.",
    });
  }

  has(id: string): boolean {
    return this.#frames.has(id);
  }

  /** The raw pixels behind a frame, at capture resolution, while they are still kept. */
  async pixels(id: string): Promise<Pixels | undefined> {
    const kept = this.#pixels.get(id);
    return kept && pixelsOf(kept);
  }

  /** The frame as the platform encoded it, if it did. */
  encoded(id: string): EncodedPixels | undefined {
    const kept = this.#pixels.get(id);
    return kept && "png" in kept ? kept : undefined;
  }

  latestOfWindow(windowId: number): Frame | undefined {
    return this.#latestOfWindow.get(windowId);
  }

  /** Newest first. */
  recent(limit: number): readonly Frame[] {
    return [...this.#frames.values()].slice(-limit).toReversed();
  }

  #keep(id: string, pixels: Pixels | EncodedPixels): void {
    const bytes = bytesOf(pixels);
    this.#pixels.set(id, pixels);
    this.#bytes += bytes;
    this.#pool.keep(id, bytes, () => this.#drop(id));
  }

  #drop(id: string): void {
    const pixels = this.#pixels.get(id);
    if (!pixels) return;
    this.#pixels.delete(id);
    this.#bytes -= bytesOf(pixels);
    this.#pool.forget(id);
  }

  /** For when no frame will be requested again. */
  clear(): void {
    for (const id of this.#pixels.keys()) this.#drop(id);
    this.#frames.clear();
    this.#latestOfWindow.clear();
  }

  #trim(): void {
    for (const id of this.#pixels.keys()) {
      if (this.#bytes <= pixelBudget || this.#pixels.size === 1) break;
      this.#drop(id);
    }
    for (const [id, frame] of this.#frames) {
      if (this.#frames.size <= frameBudget) break;
      this.#frames.delete(id);
      if (frame.source.kind === "window" && this.#latestOfWindow.get(frame.source.windowId) === frame) {
        this.#latestOfWindow.delete(frame.source.windowId);
      }
    }
  }
}

const bytesOf = (kept: Pixels | EncodedPixels): number => ("png" in kept ? kept.png : kept.data).byteLength;

export const pixelsOf = async (content: Pixels | EncodedPixels): Promise<Pixels> =>
  "png" in content ? content.decode() : content;

/** An earlier screenshot, as a picture. */
export async function frameArea(frames: FrameStore, id: string): Promise<Picture> {
  const { source, bounds } = frames.get(id);
  const pixels = await frames.pixels(id);
  if (pixels) return { source, bounds, pixels };
  throw new ToolError("not_found", `The pixels of screenshot "${id}" are no longer kept.`, {
    hint: "Take a new screenshot; only the latest few are kept whole.",
  });
}
