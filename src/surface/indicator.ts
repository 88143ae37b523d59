import type { Display, OverlayShape } from "../platform/backend.ts";
import type { GuardedBackend } from "./guard/guarded.ts";
import { drawnScale } from "./overlay/drawn-scale.ts";

const layer = "indicator";
/** Its diameter and its distance from the edge, in units of a display at scale 1. */
const diameter = 22;
const gap = 4;

/** A small eye at the top of every display: it shows a person that handsight watches what they do. */
export class Indicator {
  readonly #backend: GuardedBackend;
  #reasons = 0;

  constructor(backend: GuardedBackend) {
    this.#backend = backend;
  }

  /** Until disposed; several may show it at once. Does nothing where nothing can be drawn. */
  async show(): Promise<AsyncDisposable> {
    const { overlay, screen } = this.#backend;
    if (!overlay || !screen) return { [Symbol.asyncDispose]: async () => {} };
    const drop = async (): Promise<void> => {
      this.#reasons--;
      if (this.#reasons === 0) await overlay.hide(layer);
    };
    this.#reasons++;
    try {
      if (this.#reasons === 1) {
        const displays = await screen.displays();
        await overlay.show(
          layer,
          displays.map((display) => eyeOn(display, drawnScale({ backend: this.#backend }, display))),
        );
      }
    } catch (error) {
      await drop().catch(() => {});
      throw error;
    }
    let isShown = true;
    return {
      async [Symbol.asyncDispose]() {
        if (!isShown) return;
        isShown = false;
        // The screen may be what was lost.
        await drop().catch(() => {});
      },
    };
  }
}

function eyeOn({ bounds }: Display, scale: number): OverlayShape {
  const side = Math.round(diameter * scale);
  return {
    kind: "picture",
    rect: {
      x: Math.round(bounds.x + (bounds.width - side) / 2),
      y: Math.round(bounds.y + gap * scale),
      width: side,
      height: side,
    },
    rgba: drawEye(side),
    size: { width: side, height: side },
  };
}

type Colour = readonly [red: number, green: number, blue: number];
const badge: Colour = [24, 28, 36];
const white: Colour = [255, 255, 255];
const pupil: Colour = [222, 54, 62];

/** Where the two arcs of the lids have their centres, and their radius; the badge has the radius 1. */
const lid = { offset: 0.5, radius: 0.9 };

function colourAt(x: number, y: number): Colour | undefined {
  if (Math.hypot(x, y) > 1) return undefined;
  if (Math.hypot(x, y) < 0.25) return pupil;
  const isInEye = Math.hypot(x, y - lid.offset) < lid.radius && Math.hypot(x, y + lid.offset) < lid.radius;
  return isInEye ? white : badge;
}

// Without it the edges of a picture this small are ragged.
const samplesPerSide = 4;

function drawEye(side: number): Uint8Array {
  const rgba = new Uint8Array(side * side * 4);
  const toUnit = (pixel: number, sample: number): number => ((pixel + (sample + 0.5) / samplesPerSide) / side) * 2 - 1;
  const samples = Array.from({ length: samplesPerSide ** 2 }, (_, index) => ({
    across: index % samplesPerSide,
    down: Math.floor(index / samplesPerSide),
  }));
  for (let y = 0; y < side; y++) {
    for (let x = 0; x < side; x++) {
      const seen = samples.flatMap(({ across, down }) => {
        const colour = colourAt(toUnit(x, across), toUnit(y, down));
        return colour ? [colour] : [];
      });
      if (seen.length === 0) continue;
      const mean = (channel: 0 | 1 | 2): number => seen.reduce((sum, colour) => sum + colour[channel], 0) / seen.length;
      rgba.set([mean(0), mean(1), mean(2), (255 * seen.length) / samples.length], (y * side + x) * 4);
    }
  }
  return rgba;
}
