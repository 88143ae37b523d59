import { centre, contains, type Rect } from "../../base/geometry.ts";
import type { Display, OverlayShape } from "../../platform/backend.ts";
import { chipSize, drawChip, type Colour } from "../../vision/chip.ts";
import type { Rgba } from "../../vision/find-image/needle.ts";
import { placeLabels } from "../../vision/labels.ts";
import type { Region, RegionSource } from "../regions.ts";
import { frame } from "./frame.ts";

/** Dark enough for white digits, and apart for people who confuse red and green. */
const colours: Readonly<Record<RegionSource, Colour>> = {
  accessibility: [0, 92, 197],
  dom: [0, 92, 197],
  ocr: [0, 117, 60],
  template: [140, 40, 160],
  heuristic: [176, 82, 0],
};
const white = 0xffffff;

/** Outlines and numbers of regions as they look on these displays. */
export function regionShapes(
  regions: readonly Region[],
  texts: readonly Rect[],
  displays: readonly Display[],
): readonly OverlayShape[] {
  return displays.flatMap((display) => {
    const own = regions.filter(({ rect }) => contains(display.bounds, centre(rect)));
    const labels = placeLabels(
      own.map(({ rect, number }) => ({ rect, size: chipSize(number, display.scale) })),
      { within: display.bounds, avoid: texts },
    );
    const line = Math.max(1, Math.round(1.5 * display.scale));
    const edge = Math.max(1, Math.round(display.scale / 2));
    return [
      // Seen on any background, and below every line.
      ...own.flatMap(({ rect }) => frame(rect, line + edge, white)),
      ...own.flatMap(({ rect, source }) => frame(rect, line, toNumber(colours[source]))),
      ...own.flatMap(({ number, source }, index): readonly OverlayShape[] => {
        const label = labels[index];
        return label ? [picture(label, chipOf(number, source, display.scale))] : [];
      }),
    ];
  });
}

const picture = (rect: Rect, { data, width, height }: Rgba): OverlayShape => ({
  kind: "picture",
  rect,
  rgba: data,
  size: { width, height },
});

const toNumber = ([red, green, blue]: Colour): number => (red << 16) | (green << 8) | blue;

// The same numbers are drawn again whenever something moves.
const mostChips = 1_000;
const chips = new Map<string, Rgba>();

function chipOf(number: number, source: RegionSource, scale: number): Rgba {
  const key = `${number} ${source} ${scale}`;
  const known = chips.get(key);
  if (known) return known;
  if (chips.size >= mostChips) chips.clear();
  const chip = drawChip(number, colours[source], scale);
  chips.set(key, chip);
  return chip;
}
