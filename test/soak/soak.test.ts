import { expect, test } from "vitest";
import { desktopTurns } from "../support/soak/desktop-turns.ts";
import { deviceTurns } from "../support/soak/device-turns.ts";
import { judgeFlatness } from "../support/soak/flat.ts";
import { hostileTurns } from "../support/soak/hostile-turns.ts";
import { pageTurns, visit } from "../support/soak/page-turns.ts";
import { soak } from "../support/soak/soak.ts";
import type { Usage } from "../support/soak/usage.ts";

// More pages that come and go than in everyday use: anything kept per page must show within a few hundred calls.
const turns = [
  [25, desktopTurns],
  [10, pageTurns],
  [30, [[1, visit]]],
  [15, deviceTurns],
  [20, hostileTurns],
] as const;
const calls = 160;

/** A short version of `npm run bench -- soak`, which makes ten thousand calls with tighter limits. */
test("hundreds of mixed calls are all answered while peers die, and leave nothing behind", async () => {
  const { ledger, usage, endMs, left } = await soak({
    calls,
    seed: "short",
    batchesPerFault: 4,
    turns,
    tell: () => {},
  });
  expect(ledger.faults()).toEqual([]);
  expect(ledger.answered).toBe(ledger.begun);
  expect(ledger.begun).toBeGreaterThanOrEqual(calls);
  const rise = (of: (usage: Usage) => number) => {
    const { early, late } = judgeFlatness({ name: "", unit: "", of, limit: { rise: 0, perThousand: 0 } }, usage, 5);
    return late - early;
  };
  // Caches fill and the allocator settles; keeping one picture per page would exceed this.
  expect(rise(({ serverMb }) => serverMb)).toBeLessThan(200);
  expect(rise(({ handles }) => handles)).toBeLessThan(5);
  expect(rise(({ processes }) => processes)).toBeLessThan(3);
  expect(rise(({ browsers }) => browsers)).toBeLessThan(1);
  expect(rise(({ files }) => files)).toBeLessThan(6);
  expect(rise(({ sharedMemory }) => sharedMemory)).toBeLessThan(4);
  expect(left).toEqual([]);
  expect(endMs).toBeLessThan(5_000);
}, 120_000);
