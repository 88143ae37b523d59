import type { Picture } from "../base/frame.ts";
import { centre, contains, intersect, type ImageRect, type Rect } from "../base/geometry.ts";
import type { Line } from "../vision/ocr/reader.ts";
import type { Surface } from "./surface.ts";
import { pixelsPerUnit, toImageRect, toScreenRect, type View } from "./view.ts";

export interface ReadScreenOptions {
  /** Only this part of the screen. */
  readonly part?: Rect | undefined;
  readonly maxLines?: number | undefined;
  readonly deadlineMs?: number | undefined;
  readonly signal: AbortSignal;
}

export interface ScreenText {
  /** Boxes in screen units. */
  readonly lines: readonly Line<"screen">[];
  readonly engine: string;
  readonly isComplete: boolean;
}

/** The scale of the display at the centre of the bounds; letters on a 2× display are twice as large. */
async function displayScale(surface: Surface, bounds: Rect, signal: AbortSignal): Promise<number> {
  const displays = (await surface.backend.screen?.displays({ signal })) ?? [];
  return displays.find((display) => contains(display.bounds, centre(bounds)))?.scale ?? 1;
}

/** The text in a picture, and where it is on the screen. */
export async function readScreen(
  surface: Surface,
  picture: Picture,
  { part, ...options }: ReadScreenOptions,
): Promise<ScreenText> {
  const { pixels, bounds, source } = picture;
  const view: View = { bounds, image: pixels };
  const edge: ImageRect = { x: 0, y: 0, width: pixels.width, height: pixels.height };
  const roi = part && intersect(toImageRect(view, part), edge);
  if (part && !roi) return { lines: [], engine: "", isComplete: true };
  const reader = await surface.reader();
  const reading = await reader.read(pixels, {
    ...options,
    roi,
    scale: pixelsPerUnit(view) * (await displayScale(surface, bounds, options.signal)),
    view: `${surface.id} ${source.kind} ${"windowId" in source ? source.windowId : ""}`,
  });
  const place = <Text extends { readonly box: ImageRect }>(text: Text) => ({
    ...text,
    box: toScreenRect(view, text.box),
  });
  return {
    engine: reading.engine,
    isComplete: reading.isComplete,
    lines: reading.lines.map((line) => ({ ...place(line), words: line.words.map(place) })),
  };
}
