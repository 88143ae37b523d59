import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Log } from "../base/log.ts";
import type { Journal, JournalEntry } from "./journal.ts";
import { openJournal, type JournalOptions } from "./open.ts";
import { readRun } from "./read.ts";

let base: string;
let runs: string;
let warnings: string[];
let infos: string[];
let errors: string[];
let log: Log;

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), "handsight-journal-"));
  runs = join(base, "state", "runs");
  warnings = [];
  infos = [];
  errors = [];
  const ignore = () => {};
  log = {
    error: (message) => errors.push(message),
    debug: ignore,
    warn: (message) => warnings.push(message),
    info: (message) => infos.push(message),
  };
});
afterEach(() => rmSync(base, { recursive: true }));

const open = (changes: Partial<JournalOptions> = {}): Journal =>
  openJournal({ folder: runs, enabled: true, keepDays: 14, keepBytes: 1e9, log, ...changes });

function entry(journal: Journal, changes: Partial<JournalEntry> = {}): JournalEntry {
  return {
    type: "call",
    step: journal.nextStep(),
    at: 1,
    ms: 1,
    tool: "click",
    access: "act",
    arguments: {},
    ok: true,
    result: {},
    artifacts: [],
    ...changes,
  };
}

test("opening one, and even closing it, touches no file", async () => {
  const journal = open();
  expect(journal.nextStep()).toBe("s1");
  await journal[Symbol.asyncDispose]();
  expect(readdirSync(base)).toEqual([]);
});

test("an entry is on disk when append returns, for this user only", async () => {
  await using journal = open();
  const first = entry(journal);
  journal.append(first);
  const run = join(runs, journal.runId);
  expect(readRun(run).entries).toEqual([first]);
  expect(statSync(runs).mode & 0o777).toBe(0o700);
  expect(statSync(run).mode & 0o777).toBe(0o700);
  for (const name of ["events.jsonl", "owner.json"]) expect(statSync(join(run, name)).mode & 0o777).toBe(0o600);
});

test("the run folder is named by time, process and a random part", () => {
  expect(open().runId).toMatch(new RegExp(`^\\d{8}T\\d{9}Z-${process.pid}-[0-9a-f]{6}$`));
  expect(open().runId).not.toBe(open().runId);
});

describe("artifacts", () => {
  test("are kept beside the record and read back", async () => {
    await using journal = open();
    const name = journal.saveArtifact("s1-1.jpg", Buffer.from("picture"));
    expect(name).toBe("frames/s1-1.jpg");
    expect(readFileSync(join(runs, journal.runId, name), "utf8")).toBe("picture");
    expect(Buffer.from(journal.readArtifact(name) ?? []).toString()).toBe("picture");
    expect(journal.saveArtifact("tree.json", Buffer.from("{}"))).toBe("trees/tree.json");
  });

  test.each(["../../evil.png", "/etc/evil.png", "..\\evil.png", "..", "", "a\0b", "x/../../y.txt"])(
    "named %j stay inside the run",
    async (wanted) => {
      await using journal = open();
      const name = journal.saveArtifact(wanted, Buffer.from("x"));
      expect(name).toMatch(/^(frames|files)\/[\w.-]+$/);
      expect(existsSync(join(runs, journal.runId, name))).toBe(true);
      expect(readdirSync(base)).toEqual(["state"]);
    },
  );

  test("outside the run are never read", async () => {
    writeFileSync(join(base, "secret.jpg"), "secret");
    await using journal = open();
    journal.append(entry(journal));
    for (const name of [
      "../../../secret.jpg",
      "frames/../../../../secret.jpg",
      join(base, "secret.jpg"),
      "events.jsonl",
    ]) {
      expect(journal.readArtifact(name)).toBeUndefined();
    }
  });

  test("of one run take at most half of the space, and the newest are kept", async () => {
    await using journal = open({ keepBytes: 100 });
    const names = ["a.jpg", "b.jpg", "c.jpg"].map((name) => journal.saveArtifact(name, Buffer.alloc(20)));
    expect(names.map((name) => journal.readArtifact(name) !== undefined)).toEqual([false, true, true]);
  });
});

test("old entries are dropped from memory and read from disk, in order", async () => {
  await using journal = open();
  for (let count = 0; count < 1_100; count++) journal.append(entry(journal));
  expect(journal.entries().map(({ step }) => step)).toEqual(
    Array.from({ length: 1_100 }, (_, index) => `s${index + 1}`),
  );
  rmSync(join(runs, journal.runId, "events.jsonl"));
  expect(journal.entries()).toHaveLength(1_000);
});

test("listeners get every entry until they leave, and a failing one affects no other", async () => {
  await using journal = open();
  const heard: string[] = [];
  journal.onAppend(() => {
    throw new Error("bad listener");
  });
  const leave = journal.onAppend(({ step }) => heard.push(step));
  journal.append(entry(journal));
  leave();
  journal.append(entry(journal));
  expect(heard).toEqual(["s1"]);
});

test("switched off, it writes nothing and still knows the last entries and pictures [S1-98]", async () => {
  await using journal = open({ enabled: false });
  journal.append(entry(journal));
  const name = journal.saveArtifact("a.png", Buffer.from("x"));
  expect(journal.entries()).toHaveLength(1);
  expect(journal.readArtifact(name)).toEqual(Buffer.from("x"));
  expect(readdirSync(base)).toEqual([]);
  expect(infos).toEqual([]);
});

test("switched off, it builds what it keeps after the answer, or when somebody reads it", async () => {
  await using journal = open({ enabled: false });
  const made: string[] = [];
  const heard: string[] = [];
  journal.onAppend(({ step }) => heard.push(step));
  const append = () =>
    journal.append(() => {
      const own = entry(journal);
      made.push(own.step);
      return own;
    });
  append();
  const name = journal.saveArtifact("tree.json", () => Buffer.from("tree"));
  expect(made).toEqual([]);
  expect(journal.readArtifact(name)).toEqual(Buffer.from("tree"));
  expect(journal.entries().map(({ step }) => step)).toEqual(["s1"]);
  append();
  await vi.waitFor(() => expect(heard).toEqual(["s1", "s2"]));
  expect(made).toEqual(["s1", "s2"]);
});

test("an entry that cannot be built is reported, and the next one is kept", async () => {
  await using journal = open({ enabled: false });
  journal.append(() => {
    throw new Error("no entry");
  });
  journal.append(entry(journal));
  expect(journal.entries()).toHaveLength(1);
  expect(errors).toEqual(["the journal could not be kept"]);
});

test("large entries are kept in memory by size, and all of them are read from disk", async () => {
  const large = { result: { text: "x".repeat(500_000) } };
  const unwritten = open({ enabled: false });
  for (let step = 0; step < 50; step++) unwritten.append(entry(unwritten, large));
  expect(unwritten.entries().length).toBeLessThan(10);
  expect(unwritten.entries().at(-1)?.step).toBe("s50");
  const written = open();
  for (let step = 0; step < 50; step++) written.append(entry(written, large));
  expect(written.entries().map(({ step }) => step)).toEqual(Array.from({ length: 50 }, (_, at) => `s${at + 1}`));
  await written[Symbol.asyncDispose]();
});

test("pictures kept in memory are bounded", async () => {
  await using journal = open({ enabled: false });
  const names = Array.from({ length: 5 }, (_, index) => journal.saveArtifact(`${index}.png`, Buffer.alloc(5_000_000)));
  expect(names.map((name) => journal.readArtifact(name) !== undefined)).toEqual([false, false, true, true, true]);
});

test("every call is logged as one audit line [S1-103]", async () => {
  await using journal = open();
  journal.append(entry(journal, { arguments: { x: 1, y: 2 } }));
  expect(infos).toEqual(["[UI] 1970-01-01T00:00:00.001Z click x=1 y=2 button=left step=s1 ms=1 ok=true"]);
});

test("the first entry of a run deletes runs that are too old", async () => {
  const old = join(runs, "20200101T000000000Z-1-aaaaaa");
  mkdirSync(old, { recursive: true });
  utimesSync(old, new Date(0), new Date(0));
  const journal = open();
  journal.append(entry(journal));
  await journal[Symbol.asyncDispose]();
  expect(existsSync(old)).toBe(false);
  expect(existsSync(join(runs, journal.runId))).toBe(true);
});

describe("when the disk fails", () => {
  test("from the start, it warns once and continues in memory", async () => {
    // A file in place of the folder fails for root as well; file permissions would not.
    mkdirSync(join(base, "state"));
    writeFileSync(runs, "in the way");
    await using journal = open();
    journal.append(entry(journal));
    const name = journal.saveArtifact("a.png", Buffer.from("x"));
    journal.append(entry(journal));
    expect(journal.entries()).toHaveLength(2);
    expect(journal.readArtifact(name)).toEqual(Buffer.from("x"));
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain(runs);
  });

  test("midway, what was written stays readable", async () => {
    await using journal = open();
    journal.append(entry(journal));
    const run = join(runs, journal.runId);
    rmSync(join(run, "frames"), { recursive: true });
    writeFileSync(join(run, "frames"), "in the way");
    const name = journal.saveArtifact("a.png", Buffer.from("x"));
    journal.append(entry(journal));
    expect(journal.readArtifact(name)).toEqual(Buffer.from("x"));
    expect(journal.entries()).toHaveLength(2);
    expect(readRun(run).entries).toHaveLength(1);
    expect(warnings).toHaveLength(1);
  });

  test.runIf(existsSync("/dev/full"))("because it is full, the call continues", async () => {
    await using journal = open();
    const run = join(runs, journal.runId);
    mkdirSync(run, { recursive: true });
    symlinkSync("/dev/full", join(run, "events.jsonl"));
    journal.append(entry(journal));
    journal.append(entry(journal));
    expect(journal.entries()).toHaveLength(2);
    expect(warnings).toHaveLength(1);
  });
});
