import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { anthropicLarge, anthropicStandard } from "../base/picture-prices/anthropic-2026-11.ts";
import { geminiFlat, geminiTiles } from "../base/picture-prices/gemini-2026-11.ts";
import { openaiPatches, openaiTiles } from "../base/picture-prices/openai-2026-11.ts";
import { tokensOf, type PicturePrice } from "../base/picture-prices/price.ts";
import { economicSize } from "./economic-size.ts";
import { fitInto } from "./encode.ts";

const at = (width: number, height: number) => ({ width, height });

describe("what a picture costs, as the vendors' pages say", () => {
  test.each<[string, PicturePrice, number, number, number]>([
    ["squares of 28 pixels", anthropicLarge, 280, 280, 100],
    ["one pixel more is a row of squares more", anthropicLarge, 281, 280, 110],
    ["the largest that is not shrunk", anthropicStandard, 1092, 1092, 1521],
    ["a large one is shrunk first", anthropicLarge, 3840, 2160, 4784],
    ["a square of 1024 becomes 768 and four tiles", openaiTiles, 1024, 1024, 70 + 4 * 140],
    ["patches of 32 pixels", openaiPatches, 1024, 1024, 1024],
    ["tiles of 768 pixels", geminiTiles, 1536, 768, 2 * 258],
    ["the same for every size", geminiFlat, 1920, 1080, 1120],
  ])("%s", (_what, price, width, height, tokens) => {
    const cost = tokensOf(price, at(width, height));
    expect(cost).toBeLessThanOrEqual(tokens);
    expect(cost).toBeGreaterThan(tokens * 0.97);
  });
});

const size = fc.record({ width: fc.integer({ min: 16, max: 8000 }), height: fc.integer({ min: 16, max: 8000 }) });

describe("the size that shows most for its cost", () => {
  test.each([
    [1280, 800],
    [1440, 900],
    [800, 1500],
  ])("leaves %i×%i alone: shrinking a little blurs everything and saves little", (width, height) => {
    expect(economicSize(at(width, height), 1568)).toEqual(at(width, height));
  });

  test("of a full HD screen costs less than the same limit of the side, and nearly fills the squares it pays for", () => {
    const chosen = economicSize(at(1920, 1080), 1568);
    const plain = fitInto(at(1920, 1080), 1568);
    expect(tokensOf(anthropicLarge, chosen)).toBeLessThan(tokensOf(anthropicLarge, plain) * 0.9);
    expect((chosen.width * chosen.height) / (tokensOf(anthropicLarge, chosen) * 28 * 28)).toBeGreaterThan(0.97);
  });

  test("is never larger, keeps the proportions, the side and the budget", () => {
    fc.assert(
      fc.property(size, fc.integer({ min: 64, max: 1568 }), (from, maxSide) => {
        const chosen = economicSize(from, maxSide);
        expect(chosen.width).toBeLessThanOrEqual(from.width);
        expect(chosen.height).toBeLessThanOrEqual(from.height);
        expect(Math.max(chosen.width, chosen.height)).toBeLessThanOrEqual(maxSide);
        expect(tokensOf(anthropicLarge, chosen)).toBeLessThanOrEqual(1568 * 1.25);
        const [long, short] = [Math.max(from.width, from.height), Math.min(from.width, from.height)];
        const factor = Math.max(chosen.width, chosen.height) / long;
        expect(Math.abs(Math.min(chosen.width, chosen.height) - short * factor)).toBeLessThanOrEqual(1);
      }),
    );
  });
});
