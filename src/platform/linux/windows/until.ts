import { cancelled } from "../../../base/async.ts";
import type { Connection } from "../x11/connection.ts";
import { eventMask } from "../x11/events.ts";
import { watchRoot, watchWindow } from "../x11/watch.ts";

export interface UntilOptions {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** Some changes send us no event, such as those of a frame inside a frame, so check this often anyway. */
const everyMs = 50;

/**
 * Checks again whenever something happens to the window or to the list of windows, until `isDone` or the time is up.
 * Rejects with an XError when the window is gone before the watch begins.
 */
export async function until(
  c: Connection,
  window: number,
  isDone: () => Promise<boolean>,
  { timeoutMs, signal }: UntilOptions,
): Promise<boolean> {
  await Promise.all([
    watchRoot(c),
    watchWindow(c, window, eventMask.propertyChange | eventMask.structureNotify, { signal }),
  ]);
  const end = performance.now() + timeoutMs;
  let hasStirred = false;
  let wake = () => {};
  const stop = c.on((event) => {
    if (!("window" in event) || (event.window !== window && event.window !== c.root && !("parent" in event))) return;
    hasStirred = true;
    wake();
  });
  try {
    for (;;) {
      hasStirred = false;
      if (await isDone()) return true;
      const left = end - performance.now();
      if (left <= 0) return false;
      if (hasStirred) continue;
      await new Promise<void>((resolve, reject) => {
        const finish = () => {
          clearTimeout(timer);
          signal?.removeEventListener("abort", onAbort);
          resolve();
        };
        const onAbort = () => {
          clearTimeout(timer);
          reject(cancelled(signal as AbortSignal));
        };
        const timer = setTimeout(finish, Math.min(left, everyMs));
        wake = finish;
        if (signal?.aborted) onAbort();
        else signal?.addEventListener("abort", onAbort, { once: true });
      });
    }
  } finally {
    stop();
  }
}
