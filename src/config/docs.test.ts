import { expect, test } from "vitest";
import { optionsMarkdown } from "./docs.ts";
import { envOf, flagOf, options } from "./options.ts";

const names = Object.keys(options({ config: "/c", state: "/s" }));

test("the page has one full row for every option", () => {
  const rows = optionsMarkdown()
    .split("\n")
    .filter((line) => line.startsWith("| `--"));
  expect(rows).toHaveLength(names.length);
  for (const [index, name] of names.entries()) {
    const cells = rows[index]?.split(/(?<!\\)\|/).map((cell) => cell.trim()) ?? [];
    expect(cells[1]).toMatch(name === "overlay" ? "`--overlay`" : `\`${flagOf(name)} <`);
    expect(cells[2]).toBe(`\`${envOf(name)}\``);
    expect(cells[3]).toBe(`\`${name}\``);
    expect(cells.slice(4, 6).every((cell) => cell !== "")).toBe(true);
    expect(cells).toHaveLength(7);
  }
});

test("the page is the same on every machine", () => {
  expect(optionsMarkdown()).not.toMatch(/undefined|\/root|\/home\/|\/tmp/);
});

test("names turn into flags and variables", () => {
  expect(flagOf("runsKeepMb")).toBe("--runs-keep-mb");
  expect(envOf("runsKeepMb")).toBe("HANDSIGHT_RUNS_KEEP_MB");
});
