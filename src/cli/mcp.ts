import { openLog } from "../base/log.ts";
import type { Config } from "../config/options.ts";
import type { Session } from "../tools/session.ts";
import { exitCodes } from "./exit.ts";
import { surviveFaults } from "./faults.ts";
import { preparedList } from "./prepared.ts";

/** Serves until the client leaves or a signal arrives. */
export async function runMcp(config: Config): Promise<number> {
  if (config.http === undefined && process.stdin.isTTY) {
    process.stderr.write("handsight speaks MCP on stdin and stdout and waits for a client. Ctrl-C ends it.\n");
  }
  const list = config.http === undefined ? preparedList(config) : undefined;
  if (list) {
    const log = openLog({ level: config.logLevel, file: config.logFile });
    surviveFaults(log);
    const { serveStdioLate } = await import("../mcp/stdio.ts");
    await serveStdioLate({ ...list, log, open: () => open(config) });
    return exitCodes.ok.code;
  }
  const session = await open(config);
  surviveFaults(session.log);
  if (config.http === undefined) await overStdio(session);
  else await overHttp(session, { ...config, port: config.http });
  return exitCodes.ok.code;
}

async function open(config: Config): Promise<Session> {
  const { openServed } = await import("./served.ts");
  return openServed(config);
}

async function overStdio(session: Session): Promise<void> {
  const { serveStdio } = await import("../mcp/stdio.ts");
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
