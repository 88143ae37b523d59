import { cancelled } from "../../base/async.ts";
import type { Rect } from "../../base/geometry.ts";
import type { CallOptions, Overlay, OverlayShape, OverlayExposure } from "../backend.ts";
import { probeOverlay } from "../probe-overlay.ts";
import { shmPool } from "./capture/transfer.ts";
import type { XDisplay } from "./display.ts";
import { OverlayWindow } from "./overlay/overlay-window.ts";
import type { XScreen } from "./screen.ts";
import { needX11Screen } from "./wayland.ts";

export class XOverlay implements Overlay, AsyncDisposable {
  readonly #display: XDisplay;
  readonly #screen: XScreen;
  readonly #layers = new Map<string, readonly OverlayShape[]>();
  #window: OverlayWindow | undefined;
  #turn: Promise<void> = Promise.resolve();

  constructor(display: XDisplay, screen: XScreen) {
    this.#display = display;
    this.#screen = screen;
  }

  async show(layer: string, shapes: readonly OverlayShape[], { signal }: CallOptions = {}): Promise<void> {
    if (signal?.aborted) throw cancelled(signal);
    this.#layers.set(layer, shapes);
    await this.#redraw();
  }

  async hide(layer?: string, { signal }: CallOptions = {}): Promise<void> {
    if (signal?.aborted) throw cancelled(signal);
    if (layer === undefined) this.#layers.clear();
    else this.#layers.delete(layer);
    await this.#redraw();
  }

  async probe(options: CallOptions = {}): Promise<OverlayExposure | undefined> {
    const c = await this.#display.connect(options);
    const look = async (part: Rect): Promise<Uint8Array> => {
      using grab = await (await shmPool(c)).grab(c.root, part, options);
      return Uint8Array.from(grab.data);
    };
    return probeOverlay({ overlay: this, screen: this.#screen, look }, options);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#layers.clear();
    await this.#redraw().catch(() => {});
  }

  /** One after the other; a drawing that fails does not stop the next. */
  #redraw(): Promise<void> {
    const drawing = this.#turn.then(() => this.#draw());
    this.#turn = drawing.catch(() => {});
    return drawing;
  }

  async #draw(): Promise<void> {
    const shapes = [...this.#layers.values()].flat();
    if (shapes.length === 0) {
      const window = this.#window;
      this.#window = undefined;
      return window?.close();
    }
    const c = await this.#display.connect();
    needX11Screen(await this.#display.isPartial(), "Nothing can be drawn on the screen.");
    if (this.#window?.isClosed === true) this.#window = undefined;
    this.#window ??= await OverlayWindow.open(c, () => this.#replace());
    await this.#window.draw(shapes);
  }

  #replace(): void {
    void this.#window?.close();
    void this.#redraw().catch(() => {});
  }
}
