import { cancelled, Lock, sleep } from "../../base/async.ts";
import { intersect, type Rect } from "../../base/geometry.ts";
import type { CallOptions, Overlay, OverlayExposure, OverlayShape } from "../backend.ts";
import { probeOverlay } from "../probe-overlay.ts";
import { takeCanvas } from "./capture/canvas.ts";
import { screenBounds } from "./capture/monitors.ts";
import { captureScreen } from "./capture/window-picture.ts";
import type { MessageThread } from "./messages/thread.ts";
import { boundsOf, paintShapes } from "./overlay/paint.ts";
import type { GdiScreen } from "./screen.ts";
import { win32, type Handle } from "./win32.ts";
import { listWindows } from "./windows/list.ts";

const show = { hide: 0, withoutFocus: 4 } as const;
const topmost = -1;
const keepAllButOrder = 0x1 | 0x2 | 0x10;
const excludeFromCapture = 0x11;
const useAlpha = 2;
/** BLENDFUNCTION: source over, opaque as a whole, with an opacity of its own per pixel. */
const blend = Buffer.from([0, 0, 255, 1]);
const abortIfHung = 2;
/** Apps paint what the overlay covered; one that does not respond is not waited for longer. */
const repaintMs = 300;
const betweenLooksMs = 25;

export class LayeredOverlay implements Overlay, AsyncDisposable {
  readonly #messages: MessageThread;
  readonly #layers = new Map<string, readonly OverlayShape[]>();
  readonly #lock = new Lock();
  #screen: GdiScreen | undefined;
  #window: Handle | undefined;
  #shown: { readonly bounds: Rect; readonly pixels: Uint32Array } | undefined;
  #isExcluded = false;

  constructor(messages: MessageThread) {
    this.#messages = messages;
  }

  /** The screen whose captures it must not be in. */
  attach(screen: GdiScreen): void {
    this.#screen = screen;
  }

  async show(layer: string, shapes: readonly OverlayShape[], { signal }: CallOptions = {}): Promise<void> {
    if (signal?.aborted) throw cancelled(signal);
    this.#layers.set(layer, shapes);
    await this.#lock.run("exclusive", undefined, () => this.#draw());
  }

  async hide(layer?: string, { signal }: CallOptions = {}): Promise<void> {
    if (signal?.aborted) throw cancelled(signal);
    if (layer === undefined) this.#layers.clear();
    else this.#layers.delete(layer);
    await this.#lock.run("exclusive", undefined, () => this.#draw());
  }

  async probe(options: CallOptions = {}): Promise<OverlayExposure | undefined> {
    const screen = this.#screen;
    if (!screen) return undefined;
    const look = async (rect: Rect): Promise<Uint8Array> => {
      const { canvas } = captureScreen(rect);
      const pixels = Uint8Array.from(canvas.data);
      canvas[Symbol.dispose]();
      return pixels;
    };
    return probeOverlay({ overlay: this, screen, look }, options);
  }

  /** Runs a capture while the overlay is not in it: Windows leaves it out, or it is off the screen for that moment. */
  async without<T>(work: () => Promise<T>): Promise<T> {
    const shown = this.#shown;
    if (!shown || this.#isExcluded) return work();
    return this.#lock.run("exclusive", undefined, async () => {
      if (this.#window === undefined || this.#shown === undefined) return work();
      win32().show(this.#window, show.hide);
      try {
        await repainted(this.#shown);
        return await work();
      } finally {
        win32().show(this.#window, show.withoutFocus);
        win32().place(this.#window, topmost, 0, 0, 0, 0, keepAllButOrder);
      }
    });
  }

  async #draw(): Promise<void> {
    const shapes = [...this.#layers.values()].flat();
    const bounds = boundsOf(shapes, screenBounds());
    if (!bounds) {
      if (this.#window !== undefined) await this.#messages.closeWindow(this.#window);
      this.#window = undefined;
      this.#shown = undefined;
      return;
    }
    const api = win32();
    if (this.#window === undefined || !api.isWindow(this.#window)) {
      this.#window = await this.#messages.openWindow();
      this.#isExcluded = (api.setAffinity?.(this.#window, excludeFromCapture) ?? 0) !== 0;
    }
    using canvas = takeCanvas(bounds);
    paintShapes(canvas, bounds, shapes);
    const [at, size, from] = [pair(bounds.x, bounds.y), pair(bounds.width, bounds.height), pair(0, 0)];
    api.updateLayered(this.#window, 0, at, size, canvas.dc, from, 0, blend, useAlpha);
    api.show(this.#window, show.withoutFocus);
    api.place(this.#window, topmost, 0, 0, 0, 0, keepAllButOrder);
    const pixels = Uint32Array.from(
      new Uint32Array(canvas.data.buffer, canvas.data.byteOffset, canvas.data.length / 4),
    );
    this.#shown = { bounds, pixels };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#layers.clear();
    await this.#lock.run("exclusive", undefined, () => this.#draw()).catch(() => {});
  }
}

/** POINT or SIZE. */
function pair(first: number, second: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeInt32LE(first, 0);
  bytes.writeInt32LE(second, 4);
  return bytes;
}

/** Resolves when the apps below have painted what the overlay covered, as far as that can be seen. */
async function repainted({ bounds, pixels }: { readonly bounds: Rect; readonly pixels: Uint32Array }): Promise<void> {
  const api = win32();
  const out = Buffer.alloc(8);
  const below = listWindows().filter((window) => window.isVisible && intersect(window.bounds, bounds));
  for (const { id } of below) api.sendTimeout(id, 0, 0, 0, abortIfHung, repaintMs, out);
  const opaque = [...pixels.keys()].filter((at) => (pixels[at] ?? 0) >>> 24 === 255);
  const end = performance.now() + repaintMs;
  let before: Uint32Array | undefined;
  while (performance.now() < end) {
    const { canvas } = captureScreen(bounds);
    const now = Uint32Array.from(new Uint32Array(canvas.data.buffer, canvas.data.byteOffset, pixels.length));
    canvas[Symbol.dispose]();
    const isGone = opaque.every((at) => ((now[at] ?? 0) & 0xffffff) !== ((pixels[at] ?? 0) & 0xffffff));
    // What was covered is black until it is painted.
    if (isGone && before && now.every((pixel, at) => pixel === before?.[at])) return;
    before = isGone ? now : undefined;
    await sleep(isGone ? betweenLooksMs : 5);
  }
}
