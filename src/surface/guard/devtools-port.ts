import type { PrivatePorts } from "../../base/private-ports.ts";

const devToolsPath = /^\/(json(\/|$)|devtools\/)/i;
const answerMs = 1_000;

/**
 * Adds the port of an address that looks like a browser's debugging port and answers like one. Ports of browsers we
 * are connected to are already known; another browser of the user exposes its pages just as well.
 */
export async function noticeDevTools(address: string, ports: PrivatePorts): Promise<void> {
  if (!URL.canParse(address) || ports.find(address) !== undefined) return;
  const { protocol, host, port, pathname } = new URL(address);
  if (!/^https?:$/.test(protocol) || !devToolsPath.test(pathname)) return;
  try {
    const answer = await fetch(`${protocol}//${host}/json/version`, {
      signal: AbortSignal.timeout(answerMs),
      // No rule has been asked about where it would lead.
      redirect: "error",
    });
    const text = (await answer.text()).slice(0, 10_000);
    if (text.includes("webSocketDebuggerUrl")) ports.add(Number(port), "a browser's debugging port");
  } catch {
    // Nothing listens there, or it is not a debugging port.
  }
}
