import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ownerFile, ownerText, sweepRuns } from "./retention.ts";

let folder: string;
const own = "20250601T000000000Z-1-ffffff";

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "handsight-runs-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

interface RunSpec {
  readonly ageDays: number;
  readonly bytes?: number;
  readonly owner?: string;
}

const ended = JSON.stringify({ pid: 2 ** 22 + 1, started: "1", host: hostname() });

function makeRun(name: string, { ageDays, bytes = 10, owner = ended }: RunSpec): void {
  const run = join(folder, name);
  mkdirSync(join(run, "frames"), { recursive: true });
  if (owner !== "") writeFileSync(join(run, ownerFile), owner);
  writeFileSync(join(run, "frames", "s1-1.jpg"), Buffer.alloc(bytes));
  writeFileSync(join(run, "events.jsonl"), "");
  const then = new Date(Date.now() - ageDays * 86_400_000);
  for (const path of [join(run, "events.jsonl"), run]) utimesSync(path, then, then);
}

const runs = (): string[] => readdirSync(folder).filter((name) => !name.startsWith("."));
const sweep = (changes: Partial<Parameters<typeof sweepRuns>[0]> = {}) =>
  sweepRuns({ folder, keepDays: 14, keepBytes: 1e9, own, ...changes });

const old = "20250101T000000000Z-1-aaaaaa";
const middle = "20250301T000000000Z-1-bbbbbb";
const recent = "20250501T000000000Z-1-cccccc";

test("runs older than the limit are deleted, newer ones stay", async () => {
  makeRun(old, { ageDays: 15 });
  makeRun(recent, { ageDays: 13 });
  expect(await sweep()).toEqual([old]);
  expect(runs()).toEqual([recent]);
});

test("if the total is too large, the oldest are deleted until the rest fits", async () => {
  makeRun(old, { ageDays: 3, bytes: 4_000 });
  makeRun(middle, { ageDays: 2, bytes: 4_000 });
  makeRun(recent, { ageDays: 1.5, bytes: 4_000 });
  expect(await sweep({ keepBytes: 9_000 })).toEqual([old]);
  expect(await sweep({ keepBytes: 100 })).toEqual([middle, recent]);
});

test("a run whose process is alive is kept, however old and large, and so is the caller's own", async () => {
  makeRun(old, { ageDays: 100, bytes: 5_000, owner: ownerText() });
  makeRun(own, { ageDays: 100, bytes: 5_000 });
  expect(await sweep({ keepBytes: 1 })).toEqual([]);
  expect(runs()).toEqual([old, own]);
});

test("a fresh run of another machine, or without an owner yet, is kept; an old one is not", async () => {
  makeRun(old, { ageDays: 0.1, owner: "" });
  makeRun(middle, { ageDays: 0.1, owner: JSON.stringify({ pid: 1, host: "elsewhere" }) });
  makeRun(recent, { ageDays: 2, owner: "not json" });
  expect(await sweep({ keepBytes: 1 })).toEqual([recent]);
});

test("whatever is not a run folder is left alone", async () => {
  mkdirSync(join(folder, "my-notes"));
  writeFileSync(join(folder, "20250101T000000000Z-1-aaaaaa.txt"), "mine");
  const then = new Date(0);
  utimesSync(join(folder, "my-notes"), then, then);
  expect(await sweep({ keepDays: 0, keepBytes: 0 })).toEqual([]);
  expect(runs()).toHaveLength(2);
});

test("a second sweep soon after the first does nothing", async () => {
  await sweep({ atMostEveryMs: 60_000 });
  makeRun(old, { ageDays: 15 });
  expect(await sweep({ atMostEveryMs: 60_000 })).toEqual([]);
  expect(existsSync(join(folder, old))).toBe(true);
});
