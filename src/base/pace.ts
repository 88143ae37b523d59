import { sleep } from "./async.ts";

export interface Pace {
  readonly everyMs: number;
  readonly forMs: number;
  readonly signal: AbortSignal;
}

export interface Clock {
  now(): number;
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

const realClock: Clock = { now: () => performance.now(), sleep };

// The longest time that a Node timer can wait.
const longestSleepMs = 2 ** 31 - 1;

/**
 * Works at a steady pace, one piece at a time, until the time is over. The first turn comes after one interval. A
 * turn that comes while the last piece is still in progress is dropped, never made up for; `onDrop` gets the number.
 * Rejects when the work does, or when the signal aborts.
 */
export async function keepPace(
  { everyMs, forMs, signal }: Pace,
  work: () => Promise<void>,
  onDrop: (count: number) => void,
  clock: Clock = realClock,
): Promise<void> {
  const started = clock.now();
  const waitUntil = async (ms: number): Promise<void> => {
    for (let left = ms - elapsed(); left > 0; left = ms - elapsed()) {
      await clock.sleep(Math.min(left, longestSleepMs), signal);
    }
  };
  const elapsed = (): number => clock.now() - started;
  for (let turn = 1; turn * everyMs < forMs;) {
    await waitUntil(turn * everyMs);
    await work();
    // Half a turn late is still this turn: otherwise work that takes just over one interval would lose every second
    // turn.
    const next = Math.max(turn + 1, Math.ceil(elapsed() / everyMs - 0.5));
    const missed = Math.min(next, Math.ceil(forMs / everyMs)) - turn - 1;
    if (missed > 0) onDrop(missed);
    turn = next;
  }
  await waitUntil(forMs);
}
