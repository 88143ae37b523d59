import { describe, expect, test } from "vitest";
import { z } from "zod";
import { errorsMarkdown } from "../../scripts/error-docs.ts";
import { toolListCosts } from "../../scripts/tokens.ts";
import { toolsMarkdown } from "../../scripts/tool-docs.ts";
import { defineTool } from "../../src/tools/tool.ts";

const poke = defineTool({
  name: "poke",
  title: "Poke",
  summary: "Touches a thing.",
  set: "desktop",
  access: "act",
  needs: ["pointer"],
  input: z.strictObject({
    where: z.string().describe("a|b"),
    how: z.enum(["soft", "hard"]).default("soft"),
    times: z.int().min(1).max(3).optional(),
  }),
  output: z.object({ ok: z.literal(true), felt: z.array(z.object({ x: z.number(), note: z.string().optional() })) }),
  positional: ["where"],
  run: async () => ({ data: { ok: true as const, felt: [] } }),
});

describe("the page of tools", () => {
  const page = toolsMarkdown([poke]);

  test("lists each argument with its type, default and meaning", () => {
    expect(page).toContain("| `where` | string | **required** | a\\|b |");
    expect(page).toContain('| `how` | `soft` `hard` | `"soft"` |  |');
    expect(page).toContain("| `times` | integer 1–3 |  |  |");
  });

  test("lists the fields of the result", () => {
    expect(page).toContain("Returns `ok` `true`, `felt` list of { x, note? }.");
  });

  test("links to each tool from its set", () => {
    expect(page).toContain("- **desktop** — [`poke`](#poke)");
    expect(page).toContain("### poke");
  });

  test("shows only sets that have tools", () => {
    expect(page).not.toContain("**android**");
  });
});

test("the page of errors has every code, and whether to try again", () => {
  expect(errorsMarkdown()).toContain("| `timeout` | It did not happen within the time allowed. | yes |");
});

test("the core set stays small enough to be read with every request", () => {
  const core = toolListCosts().find(({ set }) => set === "core");
  expect(core?.tools).toBeGreaterThan(5);
  expect(core?.tokens).toBeLessThanOrEqual(4000);
});
