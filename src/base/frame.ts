import type { Rect, Size } from "./geometry.ts";

/** Channel order in memory. X servers use `bgrx`: blue first, fourth byte without meaning. */
export type PixelFormat = "bgrx" | "rgb";

export interface Pixels extends Size {
  readonly data: Uint8Array;
  readonly format: PixelFormat;
  /** Bytes from one row to the next. */
  readonly stride: number;
}

/** Pixels encoded by somebody else; decoded on demand. */
export interface EncodedPixels extends Size {
  readonly png: Uint8Array;
  decode(): Promise<Pixels>;
}

/** What a picture shows. */
export type FrameSource =
  | { readonly kind: "screen" }
  | { readonly kind: "display"; readonly displayId: number }
  | { readonly kind: "window"; readonly windowId: number }
  | { readonly kind: "region" };

/** What was captured, in its own memory, before anyone sees it. */
export interface Picture {
  readonly source: FrameSource;
  /** How many windows and fields were painted over. */
  readonly masked?: number;
  /** A password field kept moving, so everything around it was painted over. */
  readonly isCovered?: boolean;
  readonly bounds: Rect;
  readonly pixels: Pixels;
}

/** The same, possibly still encoded. */
export interface Photo extends Omit<Picture, "pixels"> {
  readonly content: Pixels | EncodedPixels;
}

/**
 * A picture that the caller was given: which rectangle of the screen it shows, and how many pixels it has. `scale` is
 * image pixels per screen unit and may differ slightly per axis after rounding, so the conversion in
 * `surface/view.ts` uses the two sizes, not `scale`.
 */
export interface Frame {
  readonly id: string;
  readonly surface: string;
  readonly source: FrameSource;
  readonly bounds: Rect;
  readonly image: Size;
  readonly scale: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
}
