import type { PrivatePorts } from "../../base/private-ports.ts";
import type { SendOptions, Session } from "./wire.ts";

/**
 * Keeps a page away from private ports: pages it opens, redirects, frames and requests. The browser matches the
 * addresses; only possible matches are checked here.
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
