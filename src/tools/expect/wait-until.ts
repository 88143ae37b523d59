import { poll, throwIfCancelled, sleep, withDeadline } from "../../base/async.ts";
import { ToolError } from "../../base/errors.ts";
import { Activity } from "../../surface/activity.ts";
import type { Surface } from "../../surface/surface.ts";

/** One look; undefined while what is awaited is not there. */
export type Look<Met> = () => Promise<Met | undefined>;

/** What a look reports besides its answer. */
export interface Asking {
  readonly signal: AbortSignal;
  /** How long is waited in all. */
  readonly timeoutMs: number;
  /** Called with the reason when it cannot be checked. */
  readonly note: (trouble: ToolError) => void;
  /** Called with what is there instead, in our own words with names quoted, and the names that come nearest. */
  readonly sees: (what: string, near?: readonly string[]) => void;
}

export interface Waiting<Met> {
  readonly surface: Surface;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly what: string;
  /** Look at fixed intervals: the surface has no events for what is awaited. */
  readonly isPolled?: boolean | undefined;
  readonly look: (asking: Asking) => Look<Met>;
  readonly onLook?: ((waitedMs: number) => void) | undefined;
}

// However short the timeout, one look may take this long: a phone needs up to three seconds to report its elements.
const slowestLookMs = 3_000;
const everyMs = 50;
// Some changes have no event: an app that reports none, a picture that was painted before the watch began.
const anywayMs = 400;

/** Waits for what a look answers; throws `timeout`, with what was there instead, when it does not come. */
export async function waitUntil<Met>({
  surface,
  timeoutMs,
  signal,
  what,
  isPolled = false,
  ...waiting
}: Waiting<Met>): Promise<{ readonly met: Met; readonly waitedMs: number }> {
  const started = performance.now();
  const waited = () => Math.round(performance.now() - started);
  let trouble: ToolError | undefined;
  let seen: { readonly what: string; readonly near: readonly string[] } | undefined;
  const ms = Math.max(timeoutMs, slowestLookMs);
  const met = await withDeadline({ ms, what, signal }, async (inner) => {
    const ask = waiting.look({
      signal: inner,
      timeoutMs,
      note: (error) => (trouble = error),
      sees: (words, near = []) => (seen = { what: words, near }),
    });
    const look = async () => {
      trouble = undefined;
      waiting.onLook?.(waited());
      return ask();
    };
    if (isPolled) return poll(look, { timeoutMs, everyMs, signal: inner });
    return lookAtChanges(async () => surface, look, { end: started + timeoutMs, signal: inner });
  }).catch((error: unknown) => {
    if (signal.aborted || performance.now() - started < ms) throw error;
    return undefined;
  });
  if (met !== undefined) return { met, waitedMs: waited() };
  const because = trouble ? `: ${trouble.message.replace(/\.$/, "")}` : seen ? `: ${seen.what}` : "";
  throw new ToolError("timeout", `${what} was not met within ${timeoutMs} ms${because}.`, {
    hint: "Take a snapshot or screenshot to see what is there instead, or raise timeout_ms.",
    ...(seen && seen.near.length > 0 ? { candidates: seen.near } : {}),
  });
}

interface Until {
  readonly end: number;
  readonly signal: AbortSignal;
}

/** Looks when something has happened on the surface, so that waiting for a still screen costs next to nothing. */
export async function lookAtChanges<Met>(
  surface: () => Promise<Surface>,
  look: Look<Met>,
  { end, signal }: Until,
): Promise<Met | undefined> {
  const first = await look();
  if (first !== undefined || performance.now() >= end) return first;
  await using activity = await Activity.open(await surface(), { pid: undefined, windowId: undefined }, signal, {
    leavesNothing: true,
  });
  for (;;) {
    throwIfCancelled(signal);
    const lookedAt = performance.now();
    const met = await look();
    if (met !== undefined) return met;
    const now = performance.now();
    if (now >= end) return undefined;
    const hasChanged = activity.lastAt > lookedAt;
    if (activity.isLive && !hasChanged) await activity.next(Math.min(end, now + anywayMs), signal);
    // Something that keeps moving must not be looked at without a pause.
    await sleep(Math.max(0, Math.min(everyMs - (performance.now() - lookedAt), end - performance.now())), signal);
  }
}
