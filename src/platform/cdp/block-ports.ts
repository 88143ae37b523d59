import type { PrivatePorts } from "../../base/private-ports.ts";
import type { SendOptions, Session } from "./wire.ts";

/**
 * Keeps a page from private ports: what it opens, is sent on to, shows in a frame or fetches. The browser compares the
 * addresses; only those that may be meant are asked about.
 */
export async function blockPorts(session: Session, ports: PrivatePorts, options: SendOptions): Promise<() => void> {
  session.on("Fetch.requestPaused", ({ requestId, request: { url } }) => {
    const isPrivate = ports.find(url) !== undefined;
    const answer = isPrivate
      ? session.attempt("Fetch.failRequest", { requestId, errorReason: "BlockedByClient" })
      : session.attempt("Fetch.continueRequest", { requestId });
    // The page may be gone by now.
    answer.catch(() => {});
  });
  const watch = () => {
    const patterns = ports.list().map((port) => ({ urlPattern: `*:${port}*` }));
    return patterns.length === 0 ? undefined : session.attempt("Fetch.enable", { patterns }, options);
  };
  const off = ports.onChange(() => void watch()?.catch(() => {}));
  await watch();
  return off;
}
