import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findProblems, readSetting, type Ending } from "./check.ts";
import { taskShape, type Check } from "./task.ts";

let home: string;
beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), "handsight-check-"));
  mkdirSync(join(home, "papers"));
  writeFileSync(join(home, "papers/a.txt"), "one\ntwo\n");
  writeFileSync(join(home, "papers/.hidden"), "");
  writeFileSync(join(home, "app.ini"), "first=0\n[view]\nlines = true\npath=a=b\n[other]\nlines=false\n");
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

const look = (check: unknown, more: Partial<Ending> = {}): Promise<readonly string[]> => {
  const { check: checks } = taskShape.parse({
    id: "a",
    app: "a",
    open: { program: "a" },
    goal: "a",
    check: [check],
  }) as { check: Check[] };
  return findProblems(checks, {
    home,
    page: () => undefined,
    output: () => "",
    exitCode: () => undefined,
    clipboard: async () => "",
    windows: async () => [],
    ...more,
  });
};

describe("a check is satisfied by what is there, and by nothing else:", () => {
  test.each([
    ["a file", { file: "papers/a.txt", equals: "one\ntwo" }, { file: "papers/a.txt", equals: "one" }],
    ["part of a file", { file: "papers/a.txt", contains: "two" }, { file: "papers/a.txt", lacks: "two" }],
    ["a file of a form", { file: "papers/a.txt", matches: "^one$|^one\\n" }, { file: "papers/a.txt", matches: "^two" }],
    ["a file that is there", { file: "papers/a.txt" }, { file: "papers/b.txt" }],
    ["a file that is gone", { file: "papers/b.txt", exists: false }, { file: "papers/a.txt", exists: false }],
    ["a folder", { folder: "papers", holds: ["a.txt"] }, { folder: "papers", holds: ["a.txt", "b.txt"] }],
    ["a folder that is there", { folder: "papers", holds: ["a.txt"] }, { folder: "pictures", holds: [] }],
    [
      "a setting",
      { setting: "lines", section: "view", file_of: "app.ini", equals: "true" },
      { setting: "lines", section: "other", file_of: "app.ini", equals: "true" },
    ],
    [
      "a setting that is there",
      { setting: "first", file_of: "app.ini", equals: "0" },
      { setting: "first", section: "view", file_of: "app.ini" },
    ],
  ])("%s", async (_what, good, bad) => {
    expect(await look(good)).toEqual([]);
    expect(await look(bad)).toHaveLength(1);
  });

  test("what the page reported, in the requested keys", async () => {
    const page = () => ({ items: [{ text: "a" }], more: 1 });
    expect(await look({ page: { items: [{ text: "a" }] } }, { page })).toEqual([]);
    expect(await look({ page: { items: [] } }, { page })).toEqual(['on the page items is [{"text":"a"}]']);
    expect(await look({ page: { items: [] } })).toEqual(["the page was left as it was"]);
  });

  test("what the program printed, and how it ended", async () => {
    const ended = { output: () => "Ada|\n", exitCode: () => 0 };
    expect(await look({ output: { equals: "Ada|" } }, ended)).toEqual([]);
    expect(await look({ output: { equals: "Ada|" } })).toEqual(['what it printed is ""']);
    expect(await look({ exit_code: 0 }, ended)).toEqual([]);
    expect(await look({ exit_code: 1 }, ended)).toEqual(["the program ended with 0, not 1"]);
    expect(await look({ exit_code: 0 })).toEqual(["the program still runs"]);
  });

  test("the clipboard and the windows", async () => {
    const ending = { clipboard: async () => "105", windows: async () => ["*notes.txt - Editor"] };
    expect(await look({ clipboard: { equals: "105" } }, ending)).toEqual([]);
    expect(await look({ clipboard: { equals: "105" } })).toHaveLength(1);
    expect(await look({ window: "editor", open: true }, ending)).toEqual([]);
    expect(await look({ window: "editor", open: false }, ending)).toEqual(['the window "editor" is open']);
    expect(await look({ window: "editor", open: true })).toEqual(['no window "editor"']);
  });
});

test("a value may hold an equals sign", () => {
  expect(readSetting("[view]\npath=a=b\n", "view", "path")).toBe("a=b");
});

test("a check outside the home folder is refused", async () => {
  expect(() => look({ file: "../etc/passwd" })).toThrow("below the home folder");
  expect(() => look({ file: "/etc/passwd" })).toThrow("below the home folder");
});
