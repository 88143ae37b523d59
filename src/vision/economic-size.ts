import type { Size } from "../base/geometry.ts";
import { anthropicLarge, anthropicStandard } from "../base/picture-prices/anthropic-2026-11.ts";
import { geminiFlat, geminiTiles } from "../base/picture-prices/gemini-2026-11.ts";
import { openaiPatches, openaiTiles } from "../base/picture-prices/openai-2026-11.ts";
import { tokensOf, type PicturePrice } from "../base/picture-prices/price.ts";

/** What a client's model may charge; which one it is, nobody says. */
const prices: readonly PicturePrice[] = [
  anthropicStandard,
  anthropicLarge,
  openaiTiles,
  openaiPatches,
  geminiTiles,
  geminiFlat,
];

// A larger picture costs more where it is seen as it is, and is shrunk again where it is not.
const budget = anthropicStandard.maxTokens;
/** Shrinking by a few per cent blurs every letter, so a picture that costs a little more stays as it is. */
const grace = 1.25;
/** How far below the largest size the best one is looked for. */
const searched = 0.06;

const counted = (size: Size): number => tokensOf(anthropicLarge, size);

/** The size that shows most for what it costs: not one pixel over the edge of a square that would be paid whole. */
export function economicSize(size: Size, maxSide: number): Size {
  const longest = Math.max(size.width, size.height);
  if (longest <= maxSide && counted(size) <= budget * grace) return { width: size.width, height: size.height };
  const largest = Math.min(1, maxSide / longest, Math.sqrt((budget * anthropicLarge.square ** 2) / area(size)));
  const most = Math.floor(longest * largest);
  const sizes = Array.from({ length: Math.max(1, Math.ceil(most * searched)) }, (_, less) =>
    scaledTo(size, Math.max(1, most - less)),
  ).filter((each) => counted(each) <= budget);
  const first = sizes[0] ?? scaledTo(size, most);
  return sizes.reduce((best, each) => (worth(each) > worth(best) ? each : best), first);
}

const area = ({ width, height }: Size): number => width * height;

function scaledTo({ width, height }: Size, longest: number): Size {
  const factor = longest / Math.max(width, height);
  return { width: Math.max(1, Math.round(width * factor)), height: Math.max(1, Math.round(height * factor)) };
}

/** Pixels for a token, averaged over everyone who may charge for it. */
const worth = (size: Size): number => area(size) * prices.reduce((sum, price) => sum + 1 / tokensOf(price, size), 0);
