import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { Access } from "../policy/decide.ts";
import { describeTool } from "./describe.ts";
import { defineTool, type AnyTool } from "./tool.ts";

function sample(overrides: Partial<Pick<AnyTool, "access" | "idempotent" | "set">> = {}): AnyTool {
  return defineTool({
    name: "sample",
    title: "Sample",
    summary: "Does nothing.",
    set: "desktop",
    access: "act",
    needs: [],
    input: z.strictObject({
      text: z.string().describe("What to say"),
      count: z.int().min(1).default(1),
      offset: z.int().optional(),
    }),
    output: z.object({ said: z.string(), times: z.int().default(0) }),
    positional: ["text"],
    run: async ({ text }) => ({ data: { said: text } }),
    ...overrides,
  });
}

describe("describeTool", () => {
  test("takes name, title and summary as they are", () => {
    expect(describeTool(sample())).toMatchObject({ name: "sample", title: "Sample", description: "Does nothing." });
  });

  test("describes the input as the caller writes it: a field with a default is optional", () => {
    expect(describeTool(sample()).inputSchema).toEqual({
      type: "object",
      properties: {
        text: { type: "string", description: "What to say" },
        count: { type: "integer", minimum: 1, default: 1 },
        offset: { type: "integer" },
      },
      required: ["text"],
      additionalProperties: false,
    });
  });

  test("describes the output as it is sent: a field with a default is always there", () => {
    expect(describeTool(sample()).outputSchema["required"]).toEqual(["said", "times"]);
  });

  test("is the same every time", () => {
    expect(JSON.stringify(describeTool(sample()))).toBe(JSON.stringify(describeTool(sample())));
  });

  test("refuses a tuple", () => {
    const tool = { ...sample(), input: z.strictObject({ point: z.tuple([z.number(), z.number()]) }) };
    expect(() => describeTool(tool)).toThrow("sample: use an object");
  });

  test.each<[Access, boolean | undefined, object]>([
    ["observe", undefined, { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true }],
    ["act", undefined, { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true }],
    ["act", true, { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true }],
    ["manage", undefined, { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true }],
    ["execute", undefined, { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true }],
  ])("annotates %s (idempotent: %s)", (access, idempotent, annotations) => {
    const tool = sample({ access, ...(idempotent === undefined ? {} : { idempotent }) });
    expect(describeTool(tool).annotations).toEqual(annotations);
  });

  test("a meta tool touches nothing outside", () => {
    expect(describeTool(sample({ set: "meta", access: "observe" })).annotations.openWorldHint).toBe(false);
  });
});
