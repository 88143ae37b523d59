import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { rows } from "../../scripts/readme/rows.mjs";
import { commandsIn, findSnippets, serverIn } from "../../scripts/readme/snippets.mjs";
import { allTools } from "../../src/tools/registry.ts";

const root = join(import.meta.dirname, "../..");
const snippets = findSnippets(readFileSync(join(root, "README.md"), "utf8"));
const commands = snippets.filter(({ language }) => language === "sh").flatMap(commandsIn);
const servers = snippets.filter(({ language }) => language !== "ts").flatMap((snippet) => serverIn(snippet) ?? []);

describe("every command of the README", () => {
  test("is in a block that says what it is", () => {
    expect(snippets.length).toBeGreaterThan(5);
    expect(snippets.filter(({ language }) => !["sh", "json", "toml", "ts"].includes(language))).toEqual([]);
  });

  test("has a row that says how it is run and judged, and no row is left over", () => {
    const judged = commands.filter((command) => !command.startsWith("claude mcp add "));
    expect(judged.toSorted()).toEqual(Object.keys(rows).toSorted());
  });

  test("names a script, command or tool that exists", () => {
    const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { scripts: object };
    const known = new Set(["doctor", "desktop", "agent", "bench", "mcp", ...allTools.map(({ name }) => name)]);
    const unknown = commands.filter((command) => {
      const [program, word = "", script = ""] = command.split(" ");
      if (program === "npm") return !((word === "run" ? script : word) in scripts);
      return program === "npx" && !known.has(script);
    });
    expect(unknown).toEqual([]);
  });
});

test("every MCP client is told to start the same server", () => {
  const blocks = snippets.filter(({ language, text }) =>
    language === "sh" ? text.includes("mcp add") : language !== "ts",
  );
  expect(blocks.length).toBeGreaterThanOrEqual(4);
  for (const block of blocks)
    expect(serverIn(block), block.text).toEqual(["npx", "-y", "handsight", "mcp", "--desktop", "virtual"]);
  expect(servers.length).toBe(blocks.length * 6);
});
