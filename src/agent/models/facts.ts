import { anthropicLarge, anthropicStandard } from "../../base/picture-prices/anthropic-2026-11.ts";
import { geminiTiles } from "../../base/picture-prices/gemini-2026-11.ts";
import { openaiPatches } from "../../base/picture-prices/openai-2026-11.ts";
import type { PicturePrice } from "../../base/picture-prices/price.ts";
import type { PictureLimits } from "../model.ts";

export type Vendor = "anthropic" | "openai" | "gemini" | "chat";

/** The model's coordinates in a picture: pixels, or a grid of 1000 by 1000. */
export type Coordinates = "pixels" | "grid";

/** The vendor's tool that a model was trained on; undefined to ask for strict JSON instead. */
export type ComputerTool =
  | "computer_toolset_20260801"
  | "computer_20251124"
  | "computer_20250124"
  | "computer"
  | "computer_use_preview"
  | "computerUse"
  | "computerUse-2.5";

export interface ModelFacts {
  readonly sees: boolean;
  readonly limits: PictureLimits;
  readonly coordinates: Coordinates;
  readonly computer?: ComputerTool;
}

interface Row extends Partial<ModelFacts> {
  readonly name: RegExp;
}

const limitsOf = ({ maxSide, maxPixels }: PicturePrice): PictureLimits => ({ maxSide, maxPixels });

// As documented by the vendors in November 2026. Names and limits change every few months; update them here.
const anthropicOld: PictureLimits = limitsOf(anthropicStandard);
const anthropicNew: PictureLimits = limitsOf(anthropicLarge);
// With detail "high", all but the newest models get a copy whose short side has 768 pixels.
const openaiOld: PictureLimits = { maxSide: 1365, maxPixels: 1_048_320 };
const openaiNew: PictureLimits = limitsOf(openaiPatches);
const gemini: PictureLimits = limitsOf(geminiTiles);
// Open models differ; below this none that we know of shrinks a picture.
const open: PictureLimits = { maxSide: 1280, maxPixels: 1_048_576 };

/** The first matching row counts. */
const rows: Readonly<Record<Vendor, readonly Row[]>> = {
  anthropic: [
    {
      name: /^claude-(opus|sonnet|haiku)-(5-[5-9]|[6-9])/,
      limits: anthropicNew,
      computer: "computer_toolset_20260801",
    },
    { name: /^claude-opus-4-[7-9]|^claude-(opus|sonnet|haiku)-5/, limits: anthropicNew, computer: "computer_20251124" },
    { name: /^claude-opus-4-[56]|^claude-sonnet-4-6/, limits: anthropicOld, computer: "computer_20251124" },
    {
      name: /^claude-(sonnet|haiku)-4-5|^claude-(opus|sonnet)-4|^claude-3-7/,
      limits: anthropicOld,
      computer: "computer_20250124",
    },
    { name: /^claude-(2|instant)/, sees: false },
    { name: /./, limits: anthropicOld },
  ],
  openai: [
    { name: /^(gpt-5\.([4-9]|\d\d)|gpt-[6-9])/, limits: openaiNew, computer: "computer" },
    { name: /^computer-use-preview/, limits: openaiOld, computer: "computer_use_preview" },
    { name: /^(gpt-3\.5|o1-mini|o1-preview|o3-mini|gpt-oss)/, sees: false },
    { name: /./, limits: openaiOld },
  ],
  gemini: [
    { name: /^gemini-(3\.[5-9]|[4-9])/, computer: "computerUse" },
    { name: /^gemini-2\.5-computer-use/, computer: "computerUse-2.5" },
    { name: /./ },
  ],
  chat: [
    { name: /qwen-?3[\w.]*-?vl|qwen-?3\.5/, coordinates: "grid" },
    { name: /vl|vision|multimodal|llava|pixtral|molmo|moondream|minicpm-v|glm-\d[\w.]*v|ui-tars|4o/ },
    {
      name: /deepseek|gpt-oss|llama-?[23]|qwen-?[23]|qwen$|qwq|phi-?[34]|mixtral|mistral-(7b|nemo)|coder|embed/,
      sees: false,
    },
    { name: /./ },
  ],
};

const usual: Readonly<Record<Vendor, ModelFacts>> = {
  anthropic: { sees: true, limits: anthropicOld, coordinates: "pixels" },
  openai: { sees: true, limits: openaiOld, coordinates: "pixels" },
  gemini: { sees: true, limits: gemini, coordinates: "grid" },
  chat: { sees: true, limits: open, coordinates: "pixels" },
};

export function factsOf(vendor: Vendor, model: string): ModelFacts {
  const bare = model.toLowerCase().replace(/^(models|openai|anthropic|google)\//, "");
  const { name: _, ...row } = rows[vendor].find(({ name }) => name.test(bare)) ?? { name: /./ };
  return { ...usual[vendor], ...row };
}
