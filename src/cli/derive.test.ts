import { Command } from "commander";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { allTools } from "../tools/registry.ts";
import { defineTool, type AnyTool } from "../tools/tool.ts";
import { parametersOf, readWords } from "./derive.ts";
import { completeToolCommand, toolCommand } from "./tool-command.ts";

const sample: AnyTool = defineTool({
  name: "sample_tool",
  title: "Sample",
  summary: "For these tests.",
  set: "meta",
  access: "observe",
  needs: [],
  input: z.strictObject({
    button: z.enum(["left", "right"]).default("left").describe("Which button"),
    x: z.number().optional(),
    y: z.int().optional(),
    text: z.string().optional(),
    deep_flag: z.boolean().default(false),
    keep: z.boolean().default(true),
    key: z.union([z.string(), z.array(z.string())]).optional(),
    args: z.array(z.string()).default([]),
    numbers: z.array(z.int()).optional(),
    area: z.object({ x: z.number(), y: z.number() }).optional(),
    many: z.array(z.object({ a: z.number() })).optional(),
    limit: z.union([z.number(), z.literal("auto")]).optional(),
    size: z.number().nullable().optional(),
    level: z.union([z.enum(["1", "2"]), z.number()]).optional(),
  }),
  output: z.object({}),
  positional: ["x", "y"],
  run: async () => ({ data: {} }),
});

/** What the tool would get for this command line. */
async function given(words: readonly string[], tool: AnyTool = sample): Promise<Record<string, unknown>> {
  let received: Record<string, unknown> | undefined;
  const command = toolCommand(tool)
    .exitOverride()
    .configureOutput({ writeErr: () => {} });
  completeToolCommand(command, tool, async (invocation) => {
    received = invocation.arguments;
  });
  await new Command()
    .exitOverride()
    .addCommand(command)
    .parseAsync([tool.name, ...words], { from: "user" });
  return received ?? {};
}

describe("a derived subcommand", () => {
  test.each([
    ["nothing", [], {}],
    ["positional fields in their order", ["3", "4"], { x: 3, y: 4 }],
    ["negative positional numbers", ["-3", "-4.5"], { x: -3, y: -4.5 }],
    ["the same fields as flags", ["--y", "4", "--x=-3"], { x: -3, y: 4 }],
    ["a choice", ["--button", "right"], { button: "right" }],
    ["a bad choice, for the tool to refuse", ["--button", "up"], { button: "up" }],
    ["a bad number, for the tool to refuse", ["three"], { x: "three" }],
    ["an empty number, which is not zero", [""], { x: "" }],
    ["digits where the field is text", ["--text", "42"], { text: "42" }],
    ["text that looks like JSON where the field is text", ["--text", "[1]"], { text: "[1]" }],
    ["switches", ["--deep-flag", "--no-keep"], { deep_flag: true, keep: false }],
    ["switches turned to their default", ["--no-deep-flag", "--keep"], { deep_flag: false, keep: true }],
    ["a repeated flag as a list", ["--args", "a", "--args", "[b"], { args: ["a", "[b"] }],
    ["one flag as a list of one", ["--args", "a"], { args: ["a"] }],
    ["a list as JSON", ["--args", '["a","b"]'], { args: ["a", "b"] }],
    ["a list of numbers", ["--numbers", "1", "--numbers", "2"], { numbers: [1, 2] }],
    ["text for a field that also takes a list", ["--key", "ctrl+s"], { key: "ctrl+s" }],
    ["a list for a field that also takes text", ["--key", "ctrl", "--key", "s"], { key: ["ctrl", "s"] }],
    ["an opening bracket as text", ["--key", "["], { key: "[" }],
    ["an object as JSON", ["--area", '{"x":1,"y":2}'], { area: { x: 1, y: 2 } }],
    ["a list of objects", ["--many", '{"a":1}', "--many", '{"a":2}'], { many: [{ a: 1 }, { a: 2 }] }],
    ["a word or a number", ["--limit", "auto"], { limit: "auto" }],
    ["a number or a word", ["--limit", "7"], { limit: 7 }],
    ["digits that are a choice", ["--level", "1"], { level: "1" }],
    ["digits that are no choice", ["--level", "3"], { level: 3 }],
    ["null where it is allowed", ["--size", "null"], { size: null }],
  ])("takes %s", async (_, words, expected) => {
    expect(await given(words)).toEqual(expected);
  });

  test("passes the rest of the line to a list that comes last", async () => {
    const launch = allTools.find(({ name }) => name === "launch_app");
    expect(launch?.positional).toEqual(["app_name", "args"]);
    expect(await given(["editor", "--", "--new", "file"], launch)).toEqual({
      app_name: "editor",
      args: ["--new", "file"],
    });
  });

  test("refuses an unknown option and one argument too many", async () => {
    await expect(given(["--nope"])).rejects.toThrow("unknown option '--nope'");
    await expect(given(["1", "2", "3"])).rejects.toThrow("too many arguments");
  });

  test("explains every field in its help", () => {
    const command = toolCommand(sample);
    completeToolCommand(command, sample, async () => {});
    const help = command.helpInformation();
    expect(help).toMatch(/--button <left\|right>\s+Which button \(default left\)/);
    expect(help).toContain("--no-keep");
    expect(help).toContain("--deep-flag");
    expect(help).not.toContain("--no-deep-flag");
  });
});

describe("key=value words", () => {
  test.each([
    [["x=1", "text=a=b", "text=c"], { x: 1, text: "c" }],
    [["args=a", "args=b"], { args: ["a", "b"] }],
    [["deep_flag=true", "keep=false"], { deep_flag: true, keep: false }],
    [["deep-flag=true"], { deep_flag: true }],
    [["text=two\nlines"], { text: "two\nlines" }],
    [['{"x": 1, "unknown": 2}'], { x: 1, unknown: 2 }],
    [[], {}],
  ])("%j", (words, expected) => {
    expect(readWords(sample, words)).toEqual(expected);
  });

  test.each([
    [["butto=left"], 'unknown argument "butto"'],
    [["plain"], '"plain" is neither key=value nor a JSON object'],
    [["{"], "not JSON"],
    [["=1"], '"=1" is neither'],
  ])("%j is refused", (words, message) => {
    expect(() => readWords(sample, words)).toThrow(message);
  });
});

describe("every tool of the registry", () => {
  test.each(allTools.map((tool) => [tool.name, tool] as const))("%s can be derived", (_, tool) => {
    const command = toolCommand(tool);
    expect(() => completeToolCommand(command, tool, async () => {})).not.toThrow();
    const fields = Object.keys(tool.input.shape);
    expect(
      parametersOf(tool)
        .map(({ name }) => name)
        .toSorted(),
    ).toEqual(fields.toSorted());
    expect(fields).toEqual(expect.arrayContaining([...tool.positional]));
  });
});
