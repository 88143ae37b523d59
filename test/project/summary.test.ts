import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Results } from "../support/summary-reporter.ts";

const root = join(import.meta.dirname, "../..");
const ours = ["scripts/test.mjs", "scripts/test-summary.mjs", "scripts/setup", "test/support/summary-reporter.ts"];
const tests = {
  "vitest.config.ts": `export default { test: { retry: 2 } };`,
  "src/base/fine.test.ts": `
    import { test } from "vitest";
    test("passes", () => {});
    test.skip("is left out", () => {});`,
  "test/agent/wobbly.test.ts": `
    import { describe, test } from "vitest";
    let tries = 0;
    describe("an agent", () => {
      test("passes the second time", () => {
        if (++tries < 2) throw new Error("not yet");
      });
      test("never passes", () => {
        throw new Error("never");
      });
    });`,
};

let folder: string;
let lines: readonly string[];
let code: number | null;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "handsight-summary-"));
  for (const file of [...ours, ...Object.keys(tests)]) mkdirSync(dirname(join(folder, file)), { recursive: true });
  for (const file of ours) cpSync(join(root, file), join(folder, file), { recursive: true });
  for (const [file, content] of Object.entries(tests)) writeFileSync(join(folder, file), content);
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"), "junction");
  const run = spawn(process.execPath, ["scripts/test.mjs"], { cwd: folder, stdio: ["ignore", "pipe", "ignore"] });
  const ended = once(run, "close");
  lines = (await text(run.stdout)).trimEnd().split("\n");
  [code] = (await ended) as [number | null];
}, 60_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("a run ends with a line of its counts and nothing else", () => {
  expect(lines.at(-1)).toBe("2 passed, 1 failed, 1 skipped");
  expect(code).toBe(1);
});

test("a test that passed only when tried again is listed as flaky, with its file", () => {
  const at = lines.indexOf("1 flaky, passed only when tried again:");
  expect(lines[at + 1]).toBe("  test/agent/wobbly.test.ts > an agent > passes the second time (1 retry)");
  expect(lines.slice(at + 2)).toEqual([lines.at(-1)]);
});

test("the results keep how often each test was tried again", () => {
  const results = JSON.parse(readFileSync(join(folder, ".build/results.json"), "utf8")) as Results;
  expect(Object.fromEntries(results.tests.map(({ title, retries }) => [title, retries]))).toEqual({
    passes: 0,
    "is left out": 0,
    "an agent > passes the second time": 1,
    "an agent > never passes": 2,
  });
});

test("a run says how long each part took", () => {
  const parts = lines.filter((line) => /^ +\d+\.\d s {2}/.test(line)).map((line) => line.trim().split(/ s {2}/)[1]);
  expect(new Set(parts.slice(0, -1))).toEqual(new Set(["src/base", "test/agent"]));
  expect(parts.at(-1)).toMatch(/^in all, side by side in \d+\.\d s$/);
});
