import { withDeadline } from "../base/async.ts";
import { ToolError } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import type { Serving } from "./server.ts";

/** Together less than the second within which clients expect a server to exit. */
const closeMs = 150;
const idleMs = 250;
const disposeMs = 350;

const signals = ["SIGTERM", "SIGINT", "SIGHUP"] as const;

/** Resolves with the name of the first signal that asks this process to end. */
export function untilSignal(): Promise<string> {
  return new Promise((resolve) => {
    for (const signal of signals) process.once(signal, resolve);
  });
}

/**
 * Closes the transport, which aborts the calls in flight; lets them release what they hold; then disposes of the
 * session. Each step has a deadline, so a tool that ignores its signal cannot keep the process alive.
 */
export async function shutDown(
  session: AsyncDisposable & { readonly log: Log },
  serving: Serving,
  close: () => Promise<void>,
): Promise<void> {
  const step = (what: string, ms: number, work: () => Promise<void>) =>
    withDeadline({ ms, what }, work).catch((error: unknown) => {
      // On a slow machine a private desktop takes longer; its own supervisor takes it down anyway.
      if (error instanceof ToolError) session.log.info(`shutting down: ${error.message}`);
      else session.log.warn("shutting down", error);
    });
  await step("Closing the connections", closeMs, close);
  await step("Ending the calls in flight", idleMs, () => serving.idle());
  await step("Closing the session", disposeMs, async () => session[Symbol.asyncDispose]());
}
