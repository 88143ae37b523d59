import { ToolError } from "../base/errors.ts";
import type { Pixels } from "../base/frame.ts";
import type { Rgba } from "./find-image/needle.ts";

export interface Decoded extends Rgba {
  readonly mime: string;
  /** Whether the file stores transparency. */
  readonly hasAlpha: boolean;
  /** The number of pictures in the file; only the first is decoded. */
  readonly pages: number;
}

export interface DecodeOptions {
  /** What to call the picture in messages. */
  readonly what: string;
  /** Larger pictures are shrunk, keeping their proportions. */
  readonly maxWidth?: number | undefined;
  readonly maxHeight?: number | undefined;
}

/**
 * Two thirds of a gigapixel can be compressed into a few kilobytes; this limit is a bit more than an 8K screen, 144
 * MB decoded.
 */
export const mostPixels = 36_000_000;
/** The largest screen that a browser or a device may send. */
const mostScreenPixels = 8_192 * 8_192;
/**
 * The first bytes of PNG, JPEG and WebP. A text format such as SVG would be rendered, and may refer to other files.
 */
const screenFormats = /^(\x89PNG|\xff\xd8\xff|RIFF[^]{4}WEBP)/;
/** The limit for encoded files. */
export const mostBytes = 64 * 1024 * 1024;
/** Formats that the decoder handles without running other programs or reading other files. */
const formats: Readonly<Record<string, string>> = {
  png: "image/png",
  jpeg: "image/jpeg",
  webp: "image/webp",
  gif: "image/gif",
  tiff: "image/tiff",
  avif: "image/avif",
  heif: "image/avif",
};

/** Decodes by content, whatever the file is called: upright, in sRGB, eight bits, only the first picture. */
export async function decodeImage(bytes: Uint8Array, { what, maxWidth, maxHeight }: DecodeOptions): Promise<Decoded> {
  if (bytes.length === 0) throw unreadable(what, "it is empty");
  if (bytes.length > mostBytes) {
    throw new ToolError("invalid_argument", `${what} is ${Math.round(bytes.length / 1e6)} MB; the limit is 64 MB.`);
  }
  const { default: sharp } = await import("sharp");
  const options = { limitInputPixels: false, failOn: "error", sequentialRead: true, pages: 1 } as const;
  const about = await sharp(bytes, options)
    .metadata()
    .catch((error: unknown) => {
      throw unreadable(what, reasonOf(error));
    });
  const mime = formats[about.format ?? ""];
  if (mime === undefined) throw unreadable(what, `its format, ${about.format}, is not supported`);
  // Without the height of one page, an animation is as high as all its pages together.
  const [width, height] = [about.width, about.pageHeight ?? about.height];
  if (width * height > mostPixels) {
    const limit = `${mostPixels / 1e6} million`;
    throw new ToolError("invalid_argument", `${what} is ${width}×${height} pixels, more than the ${limit} allowed.`, {
      hint: "Shrink it, or cut out the part you need.",
    });
  }
  const image = sharp(bytes, options)
    .autoOrient()
    .resize({ width: maxWidth, height: maxHeight, fit: "inside", withoutEnlargement: true })
    .toColourspace("srgb")
    .ensureAlpha();
  const { data, info } = await image
    .raw({ depth: "uchar" })
    .toBuffer({ resolveWithObject: true })
    .catch((error: unknown) => {
      throw unreadable(what, reasonOf(error));
    });
  return { width: info.width, height: info.height, data, mime, hasAlpha: about.hasAlpha, pages: about.pages ?? 1 };
}

/** The pixels of an encoded picture (PNG, JPEG, WebP), without transparency. */
export async function decodePicture(bytes: Uint8Array): Promise<Pixels> {
  if (!screenFormats.test(Buffer.from(bytes.subarray(0, 12)).toString("latin1")))
    throw noScreen("it is not PNG, JPEG or WebP");
  const { default: sharp } = await import("sharp");
  const { data, info } = await sharp(bytes, { limitInputPixels: mostScreenPixels })
    .removeAlpha()
    .toColourspace("srgb")
    .raw()
    .toBuffer({ resolveWithObject: true })
    .catch((error: unknown) => {
      throw noScreen(reasonOf(error), error);
    });
  return { data, width: info.width, height: info.height, stride: info.width * 3, format: "rgb" };
}

const noScreen = (why: string, cause?: unknown): ToolError =>
  new ToolError("not_connected", `What was sent as a picture of the screen cannot be read: ${why}.`, { cause });

/** Twice as large in each direction, smoothed. */
export async function enlarge({ width, height, data }: Rgba): Promise<Rgba> {
  const { default: sharp } = await import("sharp");
  const size = { width: width * 2, height: height * 2 };
  const larger = await sharp(data, { raw: { width, height, channels: 4 } })
    .resize(size.width, size.height, { kernel: "cubic", fit: "fill" })
    .raw()
    .toBuffer();
  return { ...size, data: larger };
}

/** As PNG, from RGBA or from one byte per pixel. */
export async function toPng(width: number, height: number, data: Uint8Array): Promise<Uint8Array> {
  const { default: sharp } = await import("sharp");
  const channels = data.length === width * height ? 1 : 4;
  return sharp(data, { raw: { width, height, channels } }).png({ compressionLevel: 2 }).toBuffer();
}

const unreadable = (what: string, why: string): ToolError =>
  new ToolError("invalid_argument", `${what} cannot be read as a picture: ${why}.`, {
    hint: "PNG, JPEG, WebP, GIF, TIFF and AVIF are read.",
  });

const reasonOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).trim().split("\n")[0]?.replace(/\.$/, "") ?? "";
