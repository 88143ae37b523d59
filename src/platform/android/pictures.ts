import { ToolError } from "../../base/errors.ts";
import type { Pixels } from "../../base/frame.ts";
import type { Size } from "../../base/geometry.ts";
import type { CallOptions, CaptureOptions } from "../backend.ts";
import type { Connection } from "./connection.ts";
import { findPng, PictureWay, pngSize, readRaw, toBgrx, type DecodePicture } from "./pixels.ts";

const captureMs = 15_000;
// For our own PNG encoder on one core; a raw picture still has to be encoded before it is shown.
const encodeNsPerPixel = 10;

export interface Png extends Size {
  readonly bytes: Buffer;
}

/** Pictures of the screen, by whichever way is faster on this device: raw pixels, or encoded by the device. */
export class Pictures {
  readonly #connection: Connection;
  readonly #decode: DecodePicture;
  readonly #forPixels = new PictureWay();
  readonly #toShow = new PictureWay();
  /**
   * Kept separately: around an action the device has just redrawn its screen, so timings differ from those at rest.
   */
  readonly #asEvidence = new PictureWay();
  #decoded: { readonly png: Uint8Array; readonly pixels: Promise<Pixels> } | undefined;

  constructor(connection: Connection, decode: DecodePicture) {
    this.#connection = connection;
    this.#decode = decode;
  }

  /** As pixels. `display` is a physical display. */
  async pixels(display: string | undefined, { signal }: CallOptions): Promise<Pixels> {
    const way = this.#forPixels.next();
    const started = performance.now();
    const pixels = await (way === "raw"
      ? this.#orPng(display, () => this.#raw(display, { signal }), { signal })
      : this.decode((await this.#png(display, { signal })).bytes));
    this.#forPixels.note(way, performance.now() - started);
    return pixels;
  }

  /**
   * For showing: encoded by the device, unless it sends raw pixels so much faster that encoding them here is better.
   */
  async toShow(display: string | undefined, { signal, isEvidence }: CaptureOptions): Promise<Png | Pixels> {
    const ways = isEvidence ? this.#asEvidence : this.#toShow;
    const way = ways.next("png");
    const started = performance.now();
    const picture = await (way === "raw"
      ? this.#orPng(display, () => this.#raw(display, { signal }), { signal })
      : this.#png(display, { signal }));
    const encodingMs = isEvidence || "bytes" in picture ? 0 : (picture.width * picture.height * encodeNsPerPixel) / 1e6;
    ways.note(way, performance.now() - started + encodingMs);
    return picture;
  }

  /** The same picture comes several times around an action: byte-identical pictures are decoded once. */
  decode(png: Uint8Array): Promise<Pixels> {
    const known = this.#decoded;
    if (known && Buffer.compare(known.png, png) === 0) return known.pixels;
    const pixels = this.#decode(png).then(toBgrx);
    this.#decoded = { png, pixels };
    pixels.catch(() => (this.#decoded = undefined));
    return pixels;
  }

  async #raw(display: string | undefined, { signal }: CallOptions): Promise<Pixels> {
    return readRaw((await this.#take("", display, signal)).stdout);
  }

  async #png(display: string | undefined, { signal }: CallOptions): Promise<Png> {
    const { stdout, stderr } = await this.#take(" -p", display, signal);
    if (stdout.length === 0) throw refusedPicture(stderr);
    const bytes = findPng(stdout);
    return { bytes, ...pngSize(bytes) };
  }

  /** If a device's pixels have an unknown format, it is asked for PNG from now on. */
  async #orPng(display: string | undefined, raw: () => Promise<Pixels>, options: CallOptions): Promise<Pixels> {
    try {
      return await raw();
    } catch (error) {
      if (!(error instanceof ToolError) || error.code !== "ax_error") throw error;
      for (const way of [this.#forPixels, this.#toShow, this.#asEvidence]) way.refuse("raw");
      return this.decode((await this.#png(display, options)).bytes);
    }
  }

  #take(options: string, display: string | undefined, signal: AbortSignal | undefined) {
    const command = `screencap${options}${display === undefined ? "" : ` -d ${display}`}`;
    return this.#connection.fetch(command, { signal, timeoutMs: captureMs, output: "binary", what: "The screenshot" });
  }
}

function refusedPicture(said: string): ToolError {
  return new ToolError(
    "not_supported",
    `The device returned no picture: ${said.trim().slice(0, 200) || "it is empty"}.`,
    {
      hint: "A protected window may be open (a password manager, a video): go to another screen.",
    },
  );
}
