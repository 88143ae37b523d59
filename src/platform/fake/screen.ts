import { ToolError } from "../../base/errors.ts";
import { contains, intersect, type Rect } from "../../base/geometry.ts";
import type { Capture, CaptureArea, CaptureOptions, Display, Screen } from "../backend.ts";
import type { FakeDesktop } from "./desktop.ts";

/** Paints every window in a colour made from its id, so that a picture tells what it shows. */
export class FakeScreen implements Screen {
  readonly #desktop: FakeDesktop;

  constructor(desktop: FakeDesktop) {
    this.#desktop = desktop;
  }

  async displays(): Promise<readonly Display[]> {
    await this.#desktop.enter("displays");
    return this.#desktop.displays;
  }

  async bounds(): Promise<Rect> {
    await this.#desktop.enter("bounds");
    return this.#desktop.bounds;
  }

  async capture(area: CaptureArea, { signal }: CaptureOptions = {}): Promise<Capture> {
    await this.#desktop.enter("capture", signal);
    const bounds = this.#rectOf(area);
    const { pixelsPerUnit, drawings } = this.#desktop;
    const colourAt = (x: number, y: number): number =>
      drawings.findLast(({ rect }) => contains(rect, { x, y }))?.colour ??
      colourOf(area.kind === "window" ? area.windowId : (this.#desktop.topmostAt({ x, y })?.id ?? 0));
    const width = Math.round(bounds.width * pixelsPerUnit);
    const height = Math.round(bounds.height * pixelsPerUnit);
    const words = new Uint32Array(width * height);
    for (let y = 0; y < height; y++) {
      for (let x = 0; x < width; x++)
        words[y * width + x] = colourAt(bounds.x + x / pixelsPerUnit, bounds.y + y / pixelsPerUnit);
    }
    const data = new Uint8Array(words.buffer);
    return { pixels: { data, width, height, stride: width * 4, format: "bgrx" }, bounds, [Symbol.dispose]: () => {} };
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

/** Red, green and blue made from the id; never black, so that a picture of nothing shows. */
export function colourOf(id: number): number {
  return (((id * 40) & 0xff) << 16) | (((id * 90) & 0xff) << 8) | (0x40 + ((id * 7) & 0x7f));
}
