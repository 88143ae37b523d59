import { ToolError, type ErrorCode } from "../base/errors.ts";
import type { Picture } from "../base/frame.ts";
import type { WindowInfo } from "../platform/backend.ts";
import type { EncodedImage, EncodeOptions } from "../vision/encode.ts";
import type { Surface } from "./surface.ts";

/** One frame of a recording. */
export interface FilmFrame {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly window: WindowInfo;
  readonly picture: Picture;
  readonly image: EncodedImage;
  /** Identical to the previous frame, pixel by pixel; `image` is the same object. */
  readonly isRepeat: boolean;
}

/** Why there is no picture now. */
export type Gap = "blocked" | "no_window" | "failed";

export interface FilmOptions {
  readonly encode: EncodeOptions;
  readonly includeCursor: boolean;
  /** Whether this window may be shown. Not called for blocked windows. */
  readonly permits: (window: WindowInfo) => boolean;
}

const gaps: Partial<Record<ErrorCode, Gap>> = {
  denied: "blocked",
  window_gone: "no_window",
  out_of_bounds: "no_window",
};
// Any other failure may be gone by the next frame.
const lasting: readonly ErrorCode[] = ["not_connected", "permission_missing"];

/** Takes a picture of the window in front each time it is called. */
export class Film {
  readonly #surface: Surface;
  readonly #options: FilmOptions;
  /** The message of the last failure. */
  failure: string | undefined;
  #last: FilmFrame | undefined;

  constructor(surface: Surface, options: FilmOptions) {
    this.#surface = surface;
    this.#options = options;
  }

  /** The window in front, or why it cannot be shown. Throws failures that will not go away by themselves. */
  async take(signal: AbortSignal): Promise<FilmFrame | Gap> {
    try {
      return await this.#take(signal);
    } catch (error) {
      if (signal.aborted || !(error instanceof ToolError) || lasting.includes(error.code)) throw error;
      const gap = gaps[error.code] ?? "failed";
      if (gap === "failed") this.failure = error.message;
      return gap;
    }
  }

  async #take(signal: AbortSignal): Promise<FilmFrame | Gap> {
    const { encode, includeCursor, permits } = this.#options;
    const windows = this.#surface.need("windows");
    const id = await windows.active({ signal });
    const before = id === undefined ? undefined : await windows.get(id, { signal });
    if (!before) return "no_window";
    if (before.blocked || !permits(before)) return "blocked";
    const picture = await this.#surface.picture({ kind: "window", windowId: before.id }, { includeCursor, signal });
    const at = Date.now();
    // Switching tabs may have changed what the window shows, and whether it may be shown.
    const window = (await windows.get(before.id, { signal })) ?? before;
    if (window.blocked || !permits(window)) return "blocked";
    const last = this.#last;
    const isRepeat = last !== undefined && isSame(last.picture, picture);
    const image = isRepeat ? last.image : await this.#surface.encode(picture.pixels, encode);
    this.#last = { at, window, picture, image, isRepeat };
    return this.#last;
  }
}

function isSame({ pixels: a }: Picture, { pixels: b }: Picture): boolean {
  return a.width === b.width && a.height === b.height && a.stride === b.stride && Buffer.compare(a.data, b.data) === 0;
}
