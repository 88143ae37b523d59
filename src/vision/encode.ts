import type { Pixels } from "../base/frame.ts";
import type { Size } from "../base/geometry.ts";
import { ToolError } from "../base/errors.ts";
import { economicSize } from "./economic-size.ts";
import { encodePng, type Deflate } from "./png.ts";
import { toRgb } from "./swap.ts";

export const imageFormats = ["jpeg", "png", "webp"] as const;
export type ImageFormat = (typeof imageFormats)[number];

export interface EncodeOptions {
  readonly format: ImageFormat;
  /** 1–100; ignored for PNG. */
  readonly quality: number;
  /** Longest side of the result; larger pictures are shrunk. */
  readonly maxSide?: number | undefined;
  /** Also shrink to what a vision model shows for its price. */
  readonly isEconomic?: boolean | undefined;
  /** Maximum bytes of the result; quality is reduced first, then size. */
  readonly maxBytes?: number | undefined;
}

export interface EncodedImage extends Size {
  readonly bytes: Uint8Array;
  readonly mimeType: string;
  readonly format: ImageFormat;
  readonly quality: number;
}

/** Faster encoders than sharp's and zlib's, loaded on first use; undefined if the machine has none. */
export interface Codecs {
  readonly jpeg?: () => Promise<JpegCodec | undefined>;
  readonly deflate?: () => Promise<Deflate | undefined>;
}

/** Takes the pixels as captured. */
export type JpegCodec = (pixels: Pixels, quality: number) => Promise<Uint8Array>;

// A smaller picture is of no use, so a budget that requires one is refused.
const smallestSide = 64;

export class Encoder {
  readonly #codecs: Codecs;

  constructor(codecs: Codecs = {}) {
    this.#codecs = codecs;
  }

  async encode(pixels: Pixels, options: EncodeOptions): Promise<EncodedImage> {
    let size = sizeFor(pixels, options);
    let quality = options.quality;
    const source = once(() => toRgb(pixels));
    for (;;) {
      const bytes = await this.#encodeAt(pixels, source, size, options.format, quality);
      if (options.maxBytes === undefined || bytes.byteLength <= options.maxBytes) {
        return { bytes, mimeType: `image/${options.format}`, format: options.format, quality, ...size };
      }
      const lossy = options.format !== "png";
      if (lossy && quality > 40) quality = Math.max(40, quality - 20);
      else size = shrink(size, Math.sqrt(options.maxBytes / bytes.byteLength), options.maxBytes);
    }
  }

  async #encodeAt(
    pixels: Pixels,
    rgb: () => Uint8Array,
    size: Size,
    format: ImageFormat,
    quality: number,
  ): Promise<Uint8Array> {
    const whole = size.width === pixels.width && size.height === pixels.height;
    if (whole && pixels.format === "bgrx") {
      if (format === "png") return encodePng(pixels, await this.#codecs.deflate?.());
      const codec = format === "jpeg" ? await this.#codecs.jpeg?.() : undefined;
      if (codec) return codec(pixels, quality);
    }
    const { default: sharp } = await import("sharp");
    let image = sharp(rgb(), { raw: { width: pixels.width, height: pixels.height, channels: 3 } });
    // Lanczos adds halos to the strokes of small text; mitchell does not, and is faster.
    if (!whole) image = image.resize(size.width, size.height, { fit: "fill", kernel: "mitchell" });
    if (format === "png") return image.png({ compressionLevel: 1, adaptiveFiltering: false }).toBuffer();
    if (format === "webp") return image.webp({ quality, effort: 0 }).toBuffer();
    // Optimised Huffman tables halve the speed to save a tenth of the bytes.
    return image.jpeg({ quality, optimizeCoding: false }).toBuffer();
  }
}

/** The size in which a picture is sent, unless it has too many bytes. */
export const sizeFor = (size: Size, { maxSide, isEconomic = false }: EncodeOptions): Size =>
  isEconomic ? economicSize(size, maxSide ?? Infinity) : fitInto(size, maxSide);

/** The size that keeps the proportions with no side above the limit. */
export function fitInto(size: Size, maxSide: number | undefined): Size {
  const longest = Math.max(size.width, size.height);
  if (maxSide === undefined || longest <= maxSide) return { width: size.width, height: size.height };
  const factor = maxSide / longest;
  return {
    width: Math.max(1, Math.round(size.width * factor)),
    height: Math.max(1, Math.round(size.height * factor)),
  };
}

function shrink(size: Size, factor: number, maxBytes: number): Size {
  const step = Math.min(0.9, Math.max(0.5, factor * 0.95));
  const next = { width: Math.round(size.width * step), height: Math.round(size.height * step) };
  if (Math.max(next.width, next.height) < smallestSide) {
    throw new ToolError("invalid_argument", `The picture does not fit into ${maxBytes} bytes.`, {
      hint: "Raise max_bytes, or capture a smaller region.",
    });
  }
  return { width: Math.max(1, next.width), height: Math.max(1, next.height) };
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
