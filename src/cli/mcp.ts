import { openSession } from "../app.ts";
import type { Config } from "../config/options.ts";
import { selectTools } from "../tools/registry.ts";
import type { Session } from "../tools/session.ts";
import { offerApproval } from "./approval.ts";
import { EmergencyStop } from "./emergency.ts";
import { exitCodes } from "./exit.ts";
import { surviveFaults } from "./faults.ts";

/** Serves until the client leaves or a signal arrives. */
export async function runMcp(config: Config): Promise<number> {
  const emergency = new EmergencyStop();
  const session = openSession(config, { tools: emergency.guard(selectTools(config.tools)) });
  emergency.protect(session);
  surviveFaults(session.log);
  if (config.approvalPage) offerApproval(session);
  if (config.http === undefined) await overStdio(session);
  else await overHttp(session, { ...config, port: config.http });
  return exitCodes.ok.code;
}

async function overStdio(session: Session): Promise<void> {
  const { serveStdio } = await import("../mcp/stdio.ts");
  if (process.stdin.isTTY) {
    process.stderr.write("handsight speaks MCP on stdin and stdout and waits for a client. Ctrl-C ends it.\n");
  }
  await serveStdio(session);
}

async function overHttp(session: Session, config: Config & { readonly port: number }): Promise<void> {
  const [{ serveHttp }, { shutDown, untilSignal }] = await Promise.all([
    import("../mcp/http.ts"),
    import("../mcp/lifetime.ts"),
  ]);
  const { port, host, token, allowedHosts, allowedOrigins } = config;
  const ended = untilSignal();
  const server = await serveHttp(session, { port, host, token, allowedHosts, allowedOrigins });
  session.privatePorts?.add(Number(new URL(server.url).port), "handsight's own port");
  process.stderr.write(`handsight serves MCP at ${server.url}\n`);
  if (token === undefined) process.stderr.write(`Authorization: Bearer ${server.token}\n`);
  await ended;
  await shutDown(session, server.serving, () => server.close());
}
