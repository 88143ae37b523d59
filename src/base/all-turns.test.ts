import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { AllTurns, mostOpen } from "./all-turns.ts";

const actor = { client: "claude 1.0", tool: "click" };
const options = { signal: new AbortController().signal, timeoutMs: 5_000 };

function open() {
  const folder = mkdtempSync(join(tmpdir(), "handsight-turns-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return { folder, all: new AllTurns(() => folder) };
}

test("keeps no folder for pages that are gone", async () => {
  const { folder, all } = open();
  for (let page = 0; page < 3 * mostOpen; page++) {
    const end = await all.of(`page_${page}`, "The page").take(actor, options);
    end();
  }
  expect(readdirSync(folder)).toHaveLength(mostOpen);
  expect(readdirSync(folder)).toContain(`page_${3 * mostOpen - 1}`);
  all[Symbol.dispose]();
  expect(readdirSync(folder)).toEqual([]);
});

test("a turn that is held stays, however many others come", async () => {
  const { folder, all } = open();
  const end = await all.of("desktop", undefined).take(actor, options);
  for (let page = 0; page < 3 * mostOpen; page++) (await all.of(`page_${page}`, undefined).take(actor, options))();
  expect(readdirSync(join(folder, "desktop"))).toEqual(["turn"]);
  await expect(all.of("desktop", undefined).take(actor, { ...options, timeoutMs: 50 })).rejects.toMatchObject({
    code: "timeout",
  });
  end();
});
