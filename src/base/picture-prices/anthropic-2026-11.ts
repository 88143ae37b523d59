import type { PicturePrice } from "./price.ts";

// platform.claude.com, "Images and vision", as of November 2026. A token is a begun square of 28 by 28 pixels.
const squares = { square: 28, perSquare: 1, base: 0 } as const;

export const anthropicStandard: PicturePrice = {
  ...squares,
  models: "Claude up to 4.6",
  maxSide: 1568,
  maxPixels: 1_150_000,
  maxTokens: 1568,
};

export const anthropicLarge: PicturePrice = {
  ...squares,
  models: "Claude Opus 4.7, and 5 and later",
  maxSide: 2576,
  maxPixels: 3_750_000,
  maxTokens: 4784,
};
