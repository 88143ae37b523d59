import { cancelled } from "../../../base/async.ts";
import type { Connection } from "../x11/connection.ts";
import { isGone } from "../x11/errors.ts";
import { clientMessage, getProperty, sendEvent, toNumbers } from "../x11/requests.ts";
import { watchRoot } from "../x11/watch.ts";

export interface PingOptions {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

export type PingAnswer = "answered" | "unsupported" | "timeout";

let lastPing = 0;

/**
 * Pings the app behind a top-level window (`_NET_WM_PING`). An answer means that the app has read everything sent to
 * it before. A window that disappears meanwhile counts as `unsupported`.
 */
export async function pingWindow(c: Connection, window: number, options: PingOptions): Promise<PingAnswer> {
  const { WM_PROTOCOLS: protocols, _NET_WM_PING: ping } = await c.atoms("WM_PROTOCOLS", "_NET_WM_PING");
  try {
    const [supported] = await Promise.all([getProperty(c, window, protocols, options), watchRoot(c)]);
    if (!toNumbers(supported).includes(ping)) return "unsupported";
    lastPing = (lastPing + 1) >>> 0;
    const stamp = lastPing;
    const answer = nextEcho(c, { ping, stamp, window }, options);
    const message = clientMessage(window, protocols, [ping, stamp, window]);
    try {
      await sendEvent(c, message, { to: window, signal: options.signal });
      return await answer.promise;
    } finally {
      answer.stop();
    }
  } catch (error) {
    if (isGone(error)) return "unsupported";
    throw error;
  }
}

/** Apps send the reply to the root window; we may also see replies meant for the window manager. */
function nextEcho(
  c: Connection,
  wanted: { readonly ping: number; readonly stamp: number; readonly window: number },
  { timeoutMs, signal }: PingOptions,
): { readonly promise: Promise<PingAnswer>; stop(): void } {
  let stop = () => {};
  const promise = new Promise<PingAnswer>((resolve, reject) => {
    const onAbort = () => reject(cancelled(signal as AbortSignal));
    const timer = setTimeout(() => resolve("timeout"), timeoutMs);
    const stopListening = c.on((event) => {
      if (event.type === "DestroyNotify" && event.window === wanted.window) return resolve("unsupported");
      if (event.type !== "ClientMessage" || event.window !== c.root) return;
      const [type, stamp, window] = event.data;
      if (type === wanted.ping && stamp === wanted.stamp && window === wanted.window) resolve("answered");
    });
    const stopWatching = c.onClose(() => resolve(c.sync().then(() => "timeout" as const)));
    signal?.addEventListener("abort", onAbort, { once: true });
    stop = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
      stopListening();
      stopWatching();
    };
  });
  // If sending fails, nobody awaits the reply.
  promise.catch(() => {});
  return { promise, stop };
}
