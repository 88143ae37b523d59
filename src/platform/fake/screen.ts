import { ToolError } from "../../base/errors.ts";
import { contains, intersect, type Rect } from "../../base/geometry.ts";
import type { CallOptions, Capture, CaptureArea, CaptureOptions, Display, Screen } from "../backend.ts";
import type { FakeDesktop } from "./desktop.ts";
import { overlayColourAt } from "./overlay.ts";

/**
 * Paints every window in a colour derived from its id, with its patches on top, so that a picture reveals what it
 * shows.
 */
export class FakeScreen implements Screen {
  readonly units = "screen pixels";
  readonly #desktop: FakeDesktop;

  constructor(desktop: FakeDesktop) {
    this.#desktop = desktop;
  }

  async displays({ signal }: CallOptions = {}): Promise<readonly Display[]> {
    await this.#desktop.enter("displays", signal);
    return this.#desktop.displays;
  }

  async bounds({ signal }: CallOptions = {}): Promise<Rect> {
    await this.#desktop.enter("bounds", signal);
    return this.#desktop.bounds;
  }

  async capture(area: CaptureArea, options: CaptureOptions = {}): Promise<Capture> {
    const { signal, includeCursor = false, locate } = options;
    const desktop = this.#desktop;
    await desktop.enter("capture", signal);
    const bounds = this.#rectOf(area);
    const { scale } = desktop;
    const [width, height] = [Math.round(bounds.width * scale), Math.round(bounds.height * scale)];
    const pointer = includeCursor ? desktop.pointer : undefined;
    const words = new Uint32Array(width * height);
    for (let y = 0; y < height; y++) {
      for (let x = 0; x < width; x++) {
        const point = { x: bounds.x + x / scale, y: bounds.y + y / scale };
        const isCursor = Math.floor(point.x) === pointer?.x && Math.floor(point.y) === pointer.y;
        words[y * width + x] = isCursor ? cursorColour : this.#colourAt(area, point);
      }
    }
    return {
      pixels: { data: new Uint8Array(words.buffer), width, height, stride: width * 4, format: "bgrx" },
      bounds,
      ...(locate ? { located: locate.map((id) => desktop.need(id).bounds) } : {}),
      [Symbol.dispose]: () => {},
    };
  }

  #colourAt(area: CaptureArea, point: { readonly x: number; readonly y: number }): number {
    const id = area.kind === "window" ? area.windowId : (this.#desktop.topmostAt(point)?.id ?? 0);
    const { leaksOverlay, overlay } = this.#desktop;
    const leaked = leaksOverlay && area.kind !== "window" ? overlayColourAt(overlay, point) : undefined;
    if (leaked !== undefined) return leaked;
    const patch = this.#desktop.patches.findLast(({ windowId, rect }) => windowId === id && contains(rect, point));
    return patch?.colour ?? colourOf(id);
  }

  #rectOf(area: CaptureArea): Rect {
    switch (area.kind) {
      case "screen":
        return this.#desktop.bounds;
      case "window": {
        const window = this.#desktop.need(area.windowId);
        if (window.isVisible && !window.isMinimized) return window.bounds;
        throw new ToolError("not_supported", `Window ${area.windowId} is minimised and has no pixels.`);
      }
      case "display": {
        const display = this.#desktop.displays.find(({ id }) => id === area.displayId);
        if (display) return display.bounds;
        throw new ToolError("not_found", `There is no display ${area.displayId}.`);
      }
      case "region": {
        const visible = intersect(area.rect, this.#desktop.bounds);
        if (visible) return visible;
        throw new ToolError("out_of_bounds", "The region is off the screen.");
      }
    }
  }
}

const cursorColour = 0xffffff;

/** A colour derived from the id; never black, so that an empty picture is recognisable. */
export function colourOf(id: number): number {
  return (((id * 40) & 0xff) << 16) | (((id * 90) & 0xff) << 8) | (0x40 + ((id * 7) & 0x7f));
}
