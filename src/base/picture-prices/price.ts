import type { Size } from "../geometry.ts";

/** How a family of vision models counts a picture. */
export interface PicturePrice {
  readonly models: string;
  /** A larger picture is shrunk by the vendor before it is counted. */
  readonly maxSide: number;
  readonly maxPixels: number;
  readonly maxTokens: number;
  /** Of a picture that is counted in tiles, the short side is shrunk to this. */
  readonly shortSide?: number;
  /** Begun squares of this side are counted whole. */
  readonly square: number;
  readonly perSquare: number;
  readonly base: number;
}

/** What a picture of this size costs. */
export function tokensOf(price: PicturePrice, size: Size): number {
  let seen = shrinkTo(price, size);
  let tokens = count(price, seen);
  while (tokens > price.maxTokens) {
    const factor = Math.min(0.99, Math.sqrt(price.maxTokens / tokens));
    seen = { width: seen.width * factor, height: seen.height * factor };
    tokens = count(price, seen);
  }
  return tokens;
}

function shrinkTo({ maxSide, maxPixels, shortSide = Infinity }: PicturePrice, { width, height }: Size): Size {
  const factor = Math.min(
    1,
    maxSide / Math.max(width, height),
    Math.sqrt(maxPixels / (width * height)),
    shortSide / Math.min(width, height),
  );
  return { width: width * factor, height: height * factor };
}

const count = ({ square, perSquare, base }: PicturePrice, { width, height }: Size): number =>
  base + perSquare * Math.ceil(width / square) * Math.ceil(height / square);
