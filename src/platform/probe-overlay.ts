import { sleep } from "../base/async.ts";
import type { Rect } from "../base/geometry.ts";
import type { CallOptions, Capture, CaptureArea, Overlay, OverlayShape, OverlayExposure, Screen } from "./backend.ts";

const layer = "leak probe";
/** Two colours that no theme uses. */
const colours = [0xf30bd1, 0x0bf35c] as const;
const square = 4;
const squares = 4;
const place: Rect = { x: 0, y: 0, width: square * squares, height: square * squares };
/** A compositor paints with the next frame, or after some of them. */
const longestMs = 500;

export interface Probed {
  readonly overlay: Overlay;
  readonly screen: Pick<Screen, "capture">;
  /** Reads a part of the screen itself, with everything on it: four bytes per pixel, blue first. */
  readonly look: (part: Rect) => Promise<Uint8Array>;
}

/**
 * Draws a checker of two colours for a moment, and captures it in every way. If the screen itself does not show it, a
 * capture without it proves nothing.
 */
export async function probeOverlay(
  { overlay, screen, look }: Probed,
  options: CallOptions,
): Promise<OverlayExposure | undefined> {
  await overlay.show(layer, checker(), options);
  try {
    const end = performance.now() + longestMs;
    while (!(await isOnScreen(look))) {
      if (performance.now() > end) return undefined;
      await sleep(10, options.signal);
    }
    const areas: readonly CaptureArea[] = [{ kind: "screen" }, { kind: "region", rect: place }];
    for (const area of areas) {
      using capture = await screen.capture(area, options);
      if (hasColours(capture)) return "leaked";
    }
    return (await isOnScreen(look)) ? "excluded" : undefined;
  } finally {
    await overlay.hide(layer);
  }
}

function checker(): readonly OverlayShape[] {
  return Array.from({ length: squares * squares }, (_, index) => {
    const [column, row] = [index % squares, Math.floor(index / squares)];
    return {
      kind: "fill" as const,
      rect: { x: place.x + column * square, y: place.y + row * square, width: square, height: square },
      colour: colours[(column + row) % 2] ?? 0,
    };
  });
}

async function isOnScreen(look: Probed["look"]): Promise<boolean> {
  return hasBoth(await look(place), place.width, { ...place, x: 0, y: 0 });
}

function hasColours({ pixels, bounds }: Capture): boolean {
  const { x, y } = { x: place.x - bounds.x, y: place.y - bounds.y };
  return hasAny(pixels.data, pixels.width, { ...place, x, y });
}

const hasBoth = (bgrx: Uint8Array, width: number, part: Rect): boolean => {
  const seen = new Set(coloursIn(bgrx, width, part));
  return colours.every((colour) => seen.has(colour));
};

const hasAny = (bgrx: Uint8Array, width: number, part: Rect): boolean =>
  coloursIn(bgrx, width, part).some((colour) => colours.some((own) => own === colour));

function coloursIn(bgrx: Uint8Array, width: number, part: Rect): readonly number[] {
  return Array.from({ length: part.width * part.height }, (_, index) => {
    const at = ((part.y + Math.floor(index / part.width)) * width + part.x + (index % part.width)) * 4;
    return ((bgrx[at + 2] ?? 0) << 16) | ((bgrx[at + 1] ?? 0) << 8) | (bgrx[at] ?? 0);
  });
}
