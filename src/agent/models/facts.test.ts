import { expect, test } from "vitest";
import { factsOf, type Vendor } from "./facts.ts";

test.each<[Vendor, string, string | undefined]>([
  ["anthropic", "claude-opus-5-5", "computer_toolset_20260801"],
  ["anthropic", "claude-haiku-5-5-20261001", "computer_toolset_20260801"],
  ["anthropic", "claude-sonnet-5", "computer_20251124"],
  ["anthropic", "claude-opus-4-7", "computer_20251124"],
  ["anthropic", "claude-sonnet-4-5", "computer_20250124"],
  ["anthropic", "claude-3-5-haiku-latest", undefined],
  ["openai", "gpt-5.4", "computer"],
  ["openai", "gpt-5.12-mini", "computer"],
  ["openai", "gpt-5", undefined],
  ["openai", "computer-use-preview-2025-03-11", "computer_use_preview"],
  ["gemini", "gemini-3.5-flash", "computerUse"],
  ["gemini", "models/gemini-2.5-computer-use-preview-10-2025", "computerUse-2.5"],
  ["gemini", "gemini-2.5-pro", undefined],
  ["chat", "gpt-5.4", undefined],
])("%s:%s uses the computer tool %s", (vendor, model, tool) => {
  expect(factsOf(vendor, model).computer).toBe(tool);
});

test.each<[Vendor, string, boolean]>([
  ["chat", "llava:7b", true],
  ["chat", "qwen2.5vl:7b", true],
  ["chat", "llama3.2-vision:11b", true],
  ["chat", "llama4:scout", true],
  ["chat", "some-model-nobody-knows", true],
  ["chat", "qwen2.5:7b", false],
  ["chat", "llama3.3:70b", false],
  ["chat", "deepseek-r1:8b", false],
  ["chat", "gpt-oss:20b", false],
  ["openai", "o3-mini", false],
])("whether %s:%s sees: %s [S3-48]", (vendor, model, sees) => {
  expect(factsOf(vendor, model).sees).toBe(sees);
});

test("newer models take larger pictures", () => {
  expect(factsOf("anthropic", "claude-opus-4-6").limits).toEqual({ maxSide: 1568, maxPixels: 1_150_000 });
  expect(factsOf("anthropic", "claude-opus-5-5").limits).toEqual({ maxSide: 2576, maxPixels: 3_750_000 });
});

test("models use pixels or a grid", () => {
  expect(factsOf("gemini", "gemini-2.0-flash").coordinates).toBe("grid");
  expect(factsOf("chat", "qwen3-vl:8b").coordinates).toBe("grid");
  expect(factsOf("chat", "qwen2.5vl:7b").coordinates).toBe("pixels");
});
