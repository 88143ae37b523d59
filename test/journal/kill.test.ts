import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, onTestFinished, test } from "vitest";
import { readRun } from "../../src/journal/read.ts";

const writer = (folder: string): string => `
  import { writeSync } from "node:fs";
  import { openJournal } from ${JSON.stringify(new URL("../../dist/journal/open.js", import.meta.url).href)};
  const log = { error() {}, warn() {}, info() {}, debug() {} };
  const journal = openJournal({ folder: ${JSON.stringify(folder)}, enabled: true, keepDays: 1, keepBytes: 1e9, log });
  for (;;) {
    const step = journal.nextStep();
    const result = { text: "é".repeat(1000) };
    journal.append({ type: "call", step, at: 1, ms: 1, tool: "t", access: "act", arguments: {}, ok: true, result, artifacts: [] });
    writeSync(1, step + "\\n");
  }
`;

test("every entry whose append returned is there after kill -9, and the record stays readable", async () => {
  const folder = mkdtempSync(join(tmpdir(), "handsight-kill-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const child = spawn(process.execPath, ["--input-type=module", "-e", writer(folder)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = once(child, "exit");
  const returned: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    returned.push(line);
    if (returned.length === 100) child.kill("SIGKILL");
  }
  await exited;
  const [run = ""] = readdirSync(folder).filter((name) => !name.startsWith("."));
  const { entries, badLines } = readRun(join(folder, run));
  expect(returned.length).toBeGreaterThanOrEqual(100);
  expect(entries.slice(0, returned.length).map(({ step }) => step)).toEqual(returned);
  expect(badLines).toBe(0);
});
