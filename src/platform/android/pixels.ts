import { ToolError } from "../../base/errors.ts";
import type { Pixels } from "../../base/frame.ts";
import type { Size } from "../../base/geometry.ts";

export type DecodePicture = (bytes: Uint8Array) => Promise<Pixels>;

const bytesPerPixel: Readonly<Record<number, number>> = { 1: 4, 2: 4, 3: 3, 4: 2, 5: 4 };
// Larger than any display; rejects a garbage header.
const largestSide = 20_000;
const pngSign = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

const unreadable = (why: string): ToolError =>
  new ToolError("ax_error", `The device's picture cannot be read: ${why}.`, { hint: "Try again." });

/**
 * The output of `screencap` without `-p`: width, height, format and, since Android 9, the colour space, then the
 * rows. The length of the header follows from the total size (AOSP: frameworks/base/cmds/screencap).
 */
export function readRaw(bytes: Buffer): Pixels {
  if (bytes.length < 12) throw unreadable(bytes.length === 0 ? "it is empty" : `${bytes.length} bytes`);
  const [width, height, format] = [bytes.readUInt32LE(0), bytes.readUInt32LE(4), bytes.readUInt32LE(8)];
  const depth = bytesPerPixel[format];
  if (depth === undefined || width === 0 || height === 0 || width > largestSide || height > largestSide) {
    throw unreadable(`${width}×${height} pixels in format ${format}`);
  }
  const header = bytes.length - width * height * depth;
  if (header !== 12 && header !== 16) throw unreadable(`${bytes.length} bytes for ${width}×${height} pixels`);
  const data = bytes.subarray(header);
  if (format === 3) return toBgrx({ width, height, data, format: "rgb", stride: width * 3 });
  if (format === 4) return { width, height, data: from565(data), format: "bgrx", stride: width * 4 };
  // 5 is already BGRA.
  return { width, height, data: format === 5 ? data : swapRedAndBlue(data), format: "bgrx", stride: width * 4 };
}

/** In place if alignment allows it: a frame is ten megabytes. */
function swapRedAndBlue(data: Buffer): Uint8Array {
  const bytes = data.byteOffset % 4 === 0 ? data : Buffer.from(data);
  const words = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4);
  for (let at = 0; at < words.length; at++) {
    const word = words[at] as number;
    words[at] = (word & 0xff00ff00) | ((word & 0xff) << 16) | ((word >>> 16) & 0xff);
  }
  return bytes;
}

/** Converts to one format, because pictures of a device are compared with each other, however they arrived. */
export function toBgrx(pixels: Pixels): Pixels {
  if (pixels.format === "bgrx") return pixels;
  const { width, height, data, stride } = pixels;
  const out = new Uint32Array(width * height);
  let to = 0;
  for (let y = 0; y < height; y++) {
    for (let at = y * stride, end = at + width * 3; at < end; at += 3) {
      out[to++] = ((data[at] as number) << 16) | ((data[at + 1] as number) << 8) | (data[at + 2] as number);
    }
  }
  return { width, height, data: new Uint8Array(out.buffer), format: "bgrx", stride: width * 4 };
}

function from565(data: Buffer): Uint8Array {
  const out = Buffer.alloc(data.length * 2);
  for (let at = 0; at + 1 < data.length; at += 2) {
    const word = data.readUInt16LE(at);
    const [red, green, blue] = [word >>> 11, (word >>> 5) & 63, word & 31];
    out[at * 2] = (blue << 3) | (blue >>> 2);
    out[at * 2 + 1] = (green << 2) | (green >>> 4);
    out[at * 2 + 2] = (red << 3) | (red >>> 2);
  }
  return out;
}

/** The PNG in the output of `screencap -p`; some devices print a warning before it. */
export function findPng(bytes: Buffer): Buffer {
  const at = bytes.indexOf(pngSign);
  if (at < 0) throw unreadable(bytes.length === 0 ? "it is empty" : "there is no PNG in it");
  return bytes.subarray(at);
}

/** From the first chunk, which is always the header. */
export function pngSize(bytes: Buffer): Size {
  if (bytes.length < 24) throw unreadable(`${bytes.length} bytes`);
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}

type Way = "raw" | "png";
// The first try of each includes one-time costs.
const tries = 2;
// So much slower that one-time costs cannot be the reason.
const clearly = 3;

/** Raw or PNG: whichever was faster on this device over this connection. Each is tried twice. */
export class PictureWay {
  readonly #took: Record<Way, number[]> = { raw: [], png: [] };

  next(first: Way = "raw"): Way {
    const { raw, png } = this.#took;
    const [ownRaw, ownPng] = [raw[0], png[0]];
    if (ownRaw !== undefined && ownPng !== undefined) {
      if (ownRaw > ownPng * clearly) return "png";
      if (ownPng > ownRaw * clearly) return "raw";
    }
    if (raw.length === png.length && raw.length < tries) return first;
    if (raw.length < tries || png.length < tries) return raw.length < png.length ? "raw" : "png";
    return Math.min(...raw) <= Math.min(...png) ? "raw" : "png";
  }

  note(way: Way, ms: number): void {
    if (this.#took[way].length < tries) this.#took[way].push(ms);
  }

  /** This way does not work here. */
  refuse(way: Way): void {
    this.#took[way] = Array<number>(tries).fill(Infinity);
  }
}
