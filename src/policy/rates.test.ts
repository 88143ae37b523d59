import { expect, test } from "vitest";
import { Rates } from "./rates.ts";
import { toRules } from "./rules.ts";

const rates = (given: Parameters<typeof toRules>[0]) => new Rates(toRules(given, { roots: [] }));

test("never more than the limit in any minute, and it says when the next one is free [S1-97]", () => {
  const count = rates({ maxCapturesPerMinute: 3 });
  for (const at of [0, 10_000, 20_000]) expect(count.take("captures", "desktop", at)).toBeUndefined();
  expect(count.take("captures", "desktop", 30_000)).toEqual({ waitMs: 30_000, perMinute: 3 });
  expect(count.take("captures", "desktop", 60_000)).toBeUndefined();
  expect(count.take("captures", "desktop", 60_001)).toEqual({ waitMs: 9_999, perMinute: 3 });
});

test("a burst limits how many come at once", () => {
  const count = rates({ maxActionsPerMinute: 60, burst: 2 });
  expect([1, 2, 3].map(() => count.take("actions", "desktop", 0))).toEqual([
    undefined,
    undefined,
    { waitMs: 1_000, perMinute: 60 },
  ]);
  expect(count.take("actions", "desktop", 1_000)).toBeUndefined();
});

test("a tool set may have a rate of its own, and captures do not count as actions", () => {
  const count = rates({ maxActionsPerMinute: 1, rates: { browser: { actionsPerMinute: 2 } } });
  expect(count.take("actions", "desktop", 0)).toBeUndefined();
  expect(count.take("actions", "desktop", 0)).toBeDefined();
  expect([1, 2, 3].map(() => count.take("actions", "browser", 0) === undefined)).toEqual([true, true, false]);
  expect(count.take("captures", "desktop", 0)).toBeUndefined();
  expect(rates({ maxCapturesPerMinute: 0 }).take("captures", "desktop", 0)).toEqual({ waitMs: 60_000, perMinute: 0 });
});
