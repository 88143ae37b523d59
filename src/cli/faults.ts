import type { Log } from "../base/log.ts";

/**
 * A server survives unexpected errors: a listener that throws, a promise that nobody awaited. The call it belongs to,
 * if any, gets its own answer; here it only goes to the log, with its stack.
 */
export function surviveFaults(log: Log): void {
  const survive = (kind: string) => (fault: unknown) => log.error(`${kind}; the server keeps running`, fault);
  process.on("uncaughtException", survive("uncaught error"));
  process.on("unhandledRejection", survive("unhandled rejection"));
  // A client may close stderr, or leave it unread: Node would end the process, or wait for it with every line.
  process.stderr.on("error", () => {});
  const { _handle: pipe } = process.stderr as { _handle?: { setBlocking?: (isBlocking: boolean) => void } };
  pipe?.setBlocking?.(false);
}
