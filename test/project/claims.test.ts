import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { claims, readLedger } from "../../scripts/ledger.ts";

const root = join(import.meta.dirname, "../..");
const real = readLedger(readFileSync(join(root, "docs/requirements.md"), "utf8"));
const all = real.requirements.map(({ id }) => id);
/** It quotes claims to test how they are read. */
const quotes = /requirements\.test\.ts$/;

/** The numbers that tests in these folders claim. */
function claimedIn(...folders: readonly string[]): ReadonlySet<string> {
  const files = folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".test.ts") && !file.includes("node_modules") && !quotes.test(file))
      .map((file) => join(root, folder, file)),
  );
  return new Set(files.flatMap((file) => claims(readFileSync(file, "utf8"), all).known));
}

test.each([
  ["coordinates and the overlay", "S3-52…S3-58"],
  ["picking at a point", "S3-59…S3-63"],
  ["patterns", "S3-64…S3-69"],
  ["events", "S3-30, S3-70…S3-75"],
])("%s are checked on private desktops, which need no person at a screen [S3-83]", (_, numbers) => {
  const onDesktops = claimedIn("test/desktop", "test/observe", "test/vision", "test/linux", "test/browser");
  expect(claims(`[${numbers}]`, all).known.filter((id) => onDesktops.has(id))).not.toEqual([]);
});

test("every requirement is claimed by a test, asks for nothing, or is named with what it waits for", () => {
  const claimed = claimedIn("src", "test");
  // A number with sub-items is proven by them.
  const hasParts = (id: string) => all.some((each) => each.startsWith(id) && /^[a-z]$/.test(each.slice(id.length)));
  const open = all.filter((id) => !claimed.has(id) && !real.idle.has(id) && !real.waiting.has(id) && !hasParts(id));
  expect(open).toEqual([]);
});
