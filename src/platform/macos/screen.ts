import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual, promisify } from "node:util";
import { throwIfCancelled } from "../../base/async.ts";
import { ToolError } from "../../base/errors.ts";
import type { Pixels } from "../../base/frame.ts";
import { intersect, showRect, type Rect } from "../../base/geometry.ts";
import type { CallOptions, CaptureArea, CaptureOptions, Display } from "../backend.ts";
import { constants } from "./bindings/constants.ts";
import type { Pointer } from "./bindings/native.ts";
import { listDisplays, screenBounds, toCGRect } from "./displays.ts";
import type { Mac } from "./mac.ts";
import { needPermission, needUnlocked } from "./permissions.ts";
import { listed, windowGone, type MacWindows } from "./windows.ts";

const run = promisify(execFile);
const captureMs = 10_000;

/** A picture as the host has it: encoded by macOS, or its pixels. */
export interface MacCapture {
  readonly png?: Uint8Array | undefined;
  readonly pixels?: Pixels | undefined;
  readonly bounds: Rect;
  /** Where the windows asked for were; missing when one moved meanwhile. */
  readonly located?: readonly Rect[] | undefined;
}

/** The part of the screen that is in the host; decoding happens where the picture is used. */
export class MacScreen {
  readonly #mac: Mac;
  readonly #windows: MacWindows;
  /** The program that takes pictures. It is the same on every version of macOS; in-process ways are not. */
  readonly #screencapture: string;

  constructor(mac: Mac, windows: MacWindows, screencapture: string) {
    this.#mac = mac;
    this.#windows = windows;
    this.#screencapture = screencapture;
  }

  async displays({ signal }: CallOptions = {}): Promise<readonly Display[]> {
    throwIfCancelled(signal);
    return listDisplays(this.#mac);
  }

  async bounds({ signal }: CallOptions = {}): Promise<Rect> {
    throwIfCancelled(signal);
    return screenBounds(this.#mac);
  }

  async capture(area: CaptureArea, options: CaptureOptions = {}): Promise<MacCapture> {
    throwIfCancelled(options.signal);
    needPermission(this.#mac, "Screen Recording");
    needUnlocked(this.#mac);
    const { locate } = options;
    const before = locate && this.#locate(locate);
    const capture = await this.#take(area, options);
    const after = locate && this.#locate(locate);
    return before && isDeepStrictEqual(before, after) ? { ...capture, located: before } : capture;
  }

  #locate(ids: readonly number[]): readonly Rect[] {
    const windows = listed(this.#mac);
    return ids.flatMap((id) => windows.filter((window) => window.id === id).map(({ bounds }) => bounds));
  }

  async #take(area: CaptureArea, { signal, includeCursor = false }: CaptureOptions): Promise<MacCapture> {
    const bounds = await this.#place(area);
    const png = await this.#photograph(area, bounds, includeCursor, signal);
    if (png) return { png, bounds };
    const pixels = this.#copy(area, bounds);
    if (pixels) return { pixels, bounds };
    if (area.kind === "window" && !(await this.#windows.get(area.windowId))) throw windowGone(area.windowId);
    throw new ToolError("ax_error", "macOS made no picture.", {
      hint: "Try again; handsight doctor shows what is missing.",
    });
  }

  async #place(area: CaptureArea): Promise<Rect> {
    const all = screenBounds(this.#mac);
    switch (area.kind) {
      case "screen":
        return all;
      case "display": {
        const display = listDisplays(this.#mac).find(({ id }) => id === area.displayId);
        if (display) return display.bounds;
        throw new ToolError("not_found", `There is no display ${area.displayId}.`, {
          hint: "list_displays shows which there are.",
        });
      }
      case "region": {
        const part = intersect(area.rect, all);
        if (part) return part;
        throw new ToolError("out_of_bounds", `${showRect(area.rect)} is outside the screen (${showRect(all)}).`);
      }
      case "window": {
        const window = await this.#windows.get(area.windowId);
        if (!window) throw windowGone(area.windowId);
        if (!window.isMinimized) return window.bounds;
        throw new ToolError("not_supported", `Window ${area.windowId} is minimised, so there is no picture of it.`, {
          hint: "Restore it first: set_window restore.",
        });
      }
    }
  }

  /** The picture as macOS encodes it; undefined when the program is missing or made none. */
  async #photograph(
    area: CaptureArea,
    { x, y, width, height }: Rect,
    includeCursor: boolean,
    signal: AbortSignal | undefined,
  ): Promise<Uint8Array | undefined> {
    const folder = await mkdtemp(join(tmpdir(), "handsight-picture-"));
    const file = join(folder, "picture.png");
    // -o leaves out the shadow, so that the picture shows exactly the window's bounds.
    const what = area.kind === "window" ? ["-o", `-l${area.windowId}`] : [`-R${x},${y},${width},${height}`];
    try {
      await run(this.#screencapture, ["-x", ...(includeCursor ? ["-C"] : []), ...what, "-t", "png", file], {
        timeout: captureMs,
        ...(signal ? { signal } : {}),
      });
      return await readFile(file);
    } catch {
      throwIfCancelled(signal);
      return undefined;
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  /** In this process, on systems that still export the call. */
  #copy(area: CaptureArea, bounds: Rect): Pixels | undefined {
    const { native, burst } = this.#mac;
    if (!native.has("CGWindowListCreateImage")) return undefined;
    const { kCGWindowListOptionIncludingWindow, kCGWindowListOptionOnScreenOnly } = constants;
    const { kCGWindowImageBoundsIgnoreFraming, kCGWindowImageBestResolution } = constants;
    const isWindow = area.kind === "window";
    return burst(() => {
      const image = native.CGWindowListCreateImage(
        toCGRect(bounds),
        isWindow ? kCGWindowListOptionIncludingWindow : kCGWindowListOptionOnScreenOnly,
        isWindow ? area.windowId : 0,
        kCGWindowImageBoundsIgnoreFraming | kCGWindowImageBestResolution,
      );
      if (image === null) return undefined;
      try {
        return this.#pixelsOf(image);
      } finally {
        native.CGImageRelease(image);
      }
    });
  }

  #pixelsOf(image: Pointer): Pixels | undefined {
    const { native, burst } = this.#mac;
    const info = native.CGImageGetBitmapInfo(image);
    const isLittle = (info & constants.kCGBitmapByteOrderMask) === constants.kCGBitmapByteOrder32Little;
    const alpha = info & constants.kCGBitmapAlphaInfoMask;
    const { kCGImageAlphaPremultipliedFirst, kCGImageAlphaNoneSkipFirst } = constants;
    const isFirst = alpha === kCGImageAlphaPremultipliedFirst || alpha === kCGImageAlphaNoneSkipFirst;
    if (!isLittle || !isFirst || native.CGImageGetBitsPerPixel(image) !== 32) return undefined;
    const [width, height] = [native.CGImageGetWidth(image), native.CGImageGetHeight(image)];
    // Rows are padded: their length is not the width times four.
    const from = native.CGImageGetBytesPerRow(image);
    return burst((own) => {
      const bytes = own(native.CGDataProviderCopyData(native.CGImageGetDataProvider(image)));
      if (bytes === null) return undefined;
      const all = new Uint8Array(native.koffi.view(native.CFDataGetBytePtr(bytes), native.CFDataGetLength(bytes)));
      const stride = width * 4;
      const data = new Uint8Array(stride * height);
      for (let row = 0; row < height; row++) data.set(all.subarray(row * from, row * from + stride), row * stride);
      return { data, width, height, stride, format: "bgrx" };
    });
  }
}
