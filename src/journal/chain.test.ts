import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Chain, verifyRun } from "./chain.ts";

let run: string;
beforeEach(() => {
  run = join(mkdtempSync(join(tmpdir(), "handsight-chain-")), "20261116T000000000Z-1-abcdef");
  mkdirSync(run);
  const chain = new Chain("20261116T000000000Z-1-abcdef");
  const lines = [1, 2, 3, 4].map((step) => chain.seal(JSON.stringify({ step, text: 'a "hash":"x"}' })));
  writeFileSync(join(run, "events.jsonl"), `${lines.join("\n")}\n`);
});
afterEach(() => rmSync(join(run, ".."), { recursive: true }));

const change = (edit: (lines: string[]) => string[]): void => {
  const file = join(run, "events.jsonl");
  const lines = readFileSync(file, "utf8").split("\n").slice(0, -1);
  writeFileSync(file, `${edit(lines).join("\n")}\n`);
};

test("an untouched record is intact, even if a kill cut its last line short", () => {
  const whole = verifyRun(run);
  expect(whole).toMatchObject({ lines: 4, head: expect.stringMatching(/^[0-9a-f]{64}$/) as string });
  expect(whole.brokenAt).toBeUndefined();
  writeFileSync(join(run, "events.jsonl"), '{"step": 5', { flag: "a" });
  expect(verifyRun(run)).toEqual(whole);
});

test.each([
  [
    "changed",
    2,
    (lines: string[]) => lines.map((line, at) => (at === 1 ? line.replace('"step":2', '"step":9') : line)),
  ],
  ["left out", 2, (lines: string[]) => lines.filter((_, at) => at !== 1)],
  ["added", 3, (lines: string[]) => lines.toSpliced(2, 0, lines[1] ?? "")],
  ["moved", 1, (lines: string[]) => [lines[1] ?? "", lines[0] ?? "", ...lines.slice(2)]],
  ["without a hash", 4, (lines: string[]) => [...lines.slice(0, 3), '{"step":4}']],
] as const)("a line that was %s is found", (_what, brokenAt, edit) => {
  change(edit);
  expect(verifyRun(run)).toMatchObject({ brokenAt, lines: brokenAt - 1 });
});

test("a missing end shows in the last hash", () => {
  const { head } = verifyRun(run);
  change((lines) => lines.slice(0, 3));
  expect(verifyRun(run)).toMatchObject({ lines: 3 });
  expect(verifyRun(run).head).not.toBe(head);
});
