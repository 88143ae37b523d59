import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openVirtualDesktop } from "../../src/platform/virtual/desktop.ts";
import { startFixture } from "../support/fixture.ts";
import { startHandsight, type Handsight } from "../support/handsight.ts";
import { residentMb } from "../support/memory.ts";

async function open(args: readonly string[] = []) {
  const desktop = await openVirtualDesktop({ width: 1280, height: 900, monitors: 1, scale: 1 });
  onTestFinished(() => desktop[Symbol.asyncDispose]());
  const handsight = await startHandsight({ ...desktop.env, NODE_OPTIONS: smallHeap }, ["--log-level", "error"]);
  onTestFinished(() => handsight[Symbol.asyncDispose]());
  const app = await startFixture("gtk3_controls", { env: desktop.env, args: ["--rows", "50", ...args] });
  onTestFinished(() => app.stop());
  await app.waitFor(({ event }) => event === "ready", 20_000);
  await handsight.call("wait_for", { window_title: title, timeout_ms: 20_000 });
  return { handsight, app };
}

const title = "GTK3 Controls";
// By default V8 lets garbage pile up for as long as there is memory, which looks like a leak.
const smallHeap = "--max-semi-space-size=1 --max-old-space-size=128";

test("10 000 actions and looks grow neither the memory nor the journal", { timeout: 900_000 }, async () => {
  const { handsight, app } = await open();
  const perRound = 25;
  let pressed = 0;
  const round = async () => {
    const uid = await buttonOf(handsight);
    await Promise.all(Array.from({ length: perRound }, () => handsight.call("ax_click", { uid, settle_ms: 0 })));
    pressed += perRound;
    if (pressed % 100 === 0) await handsight.call("take_ax_snapshot", { window_title: title });
  };
  for (let turn = 0; turn < 2_000 / perRound; turn++) await round();
  const warm = await settledMb(handsight);
  for (let turn = 0; turn < 10_000 / perRound; turn++) await round();
  const end = await settledMb(handsight);
  await expect
    .poll(() => app.events.findLast(({ event }) => event === "pressed")?.["count"], { timeout: 20_000 })
    .toBe(pressed);
  const journal = await bytesIn(handsight.runsDir);
  process.stdout.write(`memory: ${warm} MB warm, ${end} MB after 10000 more; journal ${journal} bytes\n`);
  // Keeping two kilobytes per action would exceed this; a journal entry alone is one.
  expect(end).toBeLessThan(warm + 20);
  // About a kilobyte per call, below the limit for all runs together.
  expect(journal).toBeLessThan(2_000 * pressed);
});

test("what the journal keeps in memory of large answers is bounded", { timeout: 300_000 }, async () => {
  const { handsight } = await open(["--many", "2000"]);
  const look = () => handsight.call("take_ax_snapshot", { window_title: title, format: "json", max_nodes: 2_000 });
  for (let step = 0; step < 20; step++) await look();
  const warm = await settledMb(handsight);
  for (let step = 0; step < 40; step++) await look();
  const end = await settledMb(handsight);
  process.stdout.write(`memory: ${warm} MB after 20 large answers, ${end} MB after 60\n`);
  // Keeping the text of each would take 20 MB, keeping its objects several times that.
  expect(end).toBeLessThan(warm + 20);
});

async function buttonOf(handsight: Handsight): Promise<string> {
  const { elements } = await handsight.call("find_elements", { selector: "Button:Press me", window_title: title });
  return (elements as { uid: string }[])[0]?.uid ?? "";
}

/** The lowest of several readings: garbage that is not collected yet is not a leak. */
async function settledMb(handsight: Handsight): Promise<number> {
  let lowest = Infinity;
  for (let look = 0; look < 10; look++) {
    for (let call = 0; call < 20; call++) await handsight.call("list_displays");
    lowest = Math.min(lowest, await residentMb(handsight.pid));
  }
  return lowest;
}

async function bytesIn(folder: string): Promise<number> {
  let sum = 0;
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
    if (entry.isFile()) sum += (await stat(join(entry.parentPath, entry.name))).size;
  }
  return sum;
}
