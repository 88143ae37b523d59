import { expect, test } from "vitest";
import { keepPace, type Clock } from "./pace.ts";

/** A clock that advances only by sleeping and by what a test adds. */
function fakeClock() {
  let now = 1_000;
  const clock: Clock = {
    now: () => now,
    sleep: async (ms, signal) => {
      signal.throwIfAborted();
      now += ms;
    },
  };
  return { clock, pass: (ms: number) => (now += ms), elapsed: () => now - 1_000 };
}

async function run(everyMs: number, forMs: number, takesMs: readonly number[]) {
  const { clock, pass, elapsed } = fakeClock();
  const at: number[] = [];
  let dropped = 0;
  const { signal } = new AbortController();
  const work = async () => {
    at.push(elapsed());
    pass(takesMs[at.length - 1] ?? 0);
  };
  await keepPace({ everyMs, forMs, signal }, work, (count) => (dropped += count), clock);
  return { at, dropped, ended: elapsed() };
}

test("works once a turn, and ends when the time is over", async () => {
  expect(await run(200, 1_000, [])).toEqual({ at: [200, 400, 600, 800], dropped: 0, ended: 1_000 });
  expect(await run(10_000, 500, [])).toEqual({ at: [], dropped: 0, ended: 500 });
});

test("turns missed by slow work are dropped and counted, never made up for", async () => {
  expect(await run(200, 1_000, [550])).toEqual({ at: [200, 800], dropped: 2, ended: 1_000 });
});

test("work that takes a little longer than a turn loses few of them", async () => {
  const { at, dropped } = await run(
    100,
    1_000,
    Array.from({ length: 20 }, () => 110),
  );
  expect([at.length, dropped]).toEqual([8, 1]);
});

test("work that never ends in time drops all turns there were, and no more", async () => {
  expect(await run(100, 1_000, [5_000])).toEqual({ at: [100], dropped: 8, ended: 5_100 });
});

test("ends with the signal, while it waits and when the work fails", async () => {
  const controller = new AbortController();
  const work = async () => controller.abort(new Error("enough"));
  const pacing = keepPace({ everyMs: 1, forMs: 600_000, signal: controller.signal }, work, () => {});
  await expect(pacing).rejects.toThrow("cancelled");
  const failing = keepPace(
    { everyMs: 1, forMs: 10, signal: new AbortController().signal },
    async () => {
      throw new Error("no");
    },
    () => {},
  );
  await expect(failing).rejects.toThrow("no");
});
