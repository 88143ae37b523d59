import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { findAskers } from "../../src/platform/asking.ts";
import { placeVariable } from "../../src/base/runtime.ts";
import { compileSources } from "../support/compiled.ts";
import { kill } from "../support/xvfb.ts";
import { removeFolderNow } from "../support/remove-folder.ts";

function openFolder(): string {
  const place = mkdtempSync(join(tmpdir(), "handsight-asking-"));
  onTestFinished(() => removeFolderNow(place));
  mkdirSync(join(place, "asking"), { mode: 0o700 });
  return place;
}

/** The id of a process that has ended. */
async function endedPid(): Promise<number> {
  const child = spawn("/bin/true");
  await once(child, "exit");
  return child.pid ?? 0;
}

test.each(["", "{", "null", '{"pid":7}', '{"pid":"x","lineage":[],"shownBy":[]}'])(
  "a note %j of a process that runs counts as a question",
  async (text) => {
    const folder = join(openFolder(), "asking");
    const note = join(folder, `${process.pid}-1.json`);
    writeFileSync(note, text);
    expect(findAskers(":0", folder)).toMatchObject({ isAsked: true });
    expect(findAskers(":0", folder)?.pids.has(process.pid)).toBe(true);
    expect(existsSync(note)).toBe(true);
  },
);

test("a note of a process that has ended is ignored and removed", async () => {
  const folder = join(openFolder(), "asking");
  const note = join(folder, `${await endedPid()}-1.json`);
  writeFileSync(note, "{");
  expect(findAskers(":0", folder)).toBeUndefined();
  expect(existsSync(note)).toBe(false);
});

test("a reader during a rewrite gets all of the old or all of the new note", async () => {
  const place = openFolder();
  await using compiled = await compileSources();
  const source = `
    const { AskingNote } = await import(${JSON.stringify(compiled.url("platform/asking"))});
    const note = new AskingNote();
    const shownBy = Array.from({ length: 3_000 }, (_, index) => 1_000_000 + index);
    note.write({ isAsked: true, shownBy });
    console.log("begun");
    setImmediate(function again() { note.write({ isAsked: true, shownBy }); setImmediate(again); });
  `;
  const writer = spawn(process.execPath, ["--input-type=module", "-e", source], {
    env: { ...process.env, DISPLAY: ":0", [placeVariable]: place },
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => kill(writer));
  await once(writer.stdout, "data");
  for (let look = 0; look < 200; look++) {
    const askers = findAskers(":0", join(place, "asking"));
    expect([askers?.isAsked, askers?.pids.has(1_000_000), askers?.pids.has(1_002_999)]).toEqual([true, true, true]);
  }
});
