import type { PicturePrice } from "./price.ts";

// developers.openai.com, "Images and vision", as of November 2026.

/** Detail "high": the short side becomes 768 pixels, then every begun tile of 512 by 512 costs. */
export const openaiTiles: PicturePrice = {
  models: "GPT-5 up to 5.3",
  maxSide: 2048,
  maxPixels: Infinity,
  shortSide: 768,
  maxTokens: Infinity,
  square: 512,
  perSquare: 140,
  base: 70,
};

/** Detail "original": begun squares of 32 by 32 pixels. */
export const openaiPatches: PicturePrice = {
  models: "GPT-5.4 and later",
  maxSide: 6000,
  maxPixels: 10_240_000,
  maxTokens: 10_000,
  square: 32,
  perSquare: 1,
  base: 0,
};
