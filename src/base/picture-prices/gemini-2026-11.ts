import type { PicturePrice } from "./price.ts";

// ai.google.dev, "Understand and count tokens" and "Media resolution", as of November 2026.

/** Every begun tile of 768 by 768 pixels costs. */
export const geminiTiles: PicturePrice = {
  models: "Gemini 2",
  maxSide: 3072,
  maxPixels: 9_437_184,
  maxTokens: Infinity,
  square: 768,
  perSquare: 258,
  base: 0,
};

/** At the default resolution the same for every size. */
export const geminiFlat: PicturePrice = {
  models: "Gemini 3 and later",
  maxSide: 3072,
  maxPixels: 9_437_184,
  maxTokens: Infinity,
  square: 3072,
  perSquare: 1120,
  base: 0,
};
