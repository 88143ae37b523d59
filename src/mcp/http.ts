import { randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type Server as NodeServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { toNodeHandler, type NodeMcpRequestHandler } from "@modelcontextprotocol/node";
import { createMcpHandler, isLegacyRequest } from "@modelcontextprotocol/server";
import { ToolError } from "../base/errors.ts";
import type { Session } from "../tools/session.ts";
import { readBody } from "./http-body.ts";
import { jsonRpcError } from "./http-error.ts";
import { findRefusal, type GuardOptions } from "./http-guard.ts";
import { HttpSessions } from "./http-sessions.ts";
import { Strangers } from "./http-strangers.ts";
import { maxBodyBytes as standardBodyBytes } from "./limits.ts";
import { openServing, type Serving } from "./server.ts";

export interface HttpOptions {
  /** 0 picks a free one. */
  readonly port: number;
  /** Where to listen. Anything but loopback lets other machines reach this one's screen and keyboard. */
  readonly host?: string | undefined;
  /** Default: 32 random bytes. */
  readonly token?: string | undefined;
  /** Host names besides the loopback ones. */
  readonly allowedHosts?: readonly string[] | undefined;
  /** Web origins besides this server's own. */
  readonly allowedOrigins?: readonly string[] | undefined;
  readonly maxBodyBytes?: number | undefined;
  /** The maximum number of concurrent sessions of 2025 clients. */
  readonly maxSessions?: number | undefined;
  readonly sessionIdleMs?: number | undefined;
  /** How long a client may take to show the token; a whole request may take fifteen times that. */
  readonly patienceMs?: number | undefined;
  readonly serving?: Serving | undefined;
}

export interface HttpServing {
  readonly url: string;
  readonly token: string;
  readonly serving: Serving;
  /** Refuses new requests, aborts the running ones and closes every connection. */
  close(): Promise<void>;
}

export const endpoint = "/mcp";

const methods = ["GET", "POST", "DELETE"];
const loopback = ["localhost", "127.0.0.1", "[::1]"];

const mostStrangers = 128;
const mostConnections = 512;

/** A short token can be guessed; generated ones have 43 characters. */
const shortestToken = 16;

/** Streamable HTTP for both protocol revisions at `/mcp`. */
export async function serveHttp(session: Session, options: HttpOptions): Promise<HttpServing> {
  const serving = options.serving ?? openServing(session);
  const token = needToken(options.token);
  const maxBodyBytes = options.maxBodyBytes ?? standardBodyBytes;
  const report = (error: Error) => session.log.debug("http", error);

  const modern = createMcpHandler((context) => serving.create(context), {
    legacy: "reject",
    maxRequestBodySize: maxBodyBytes,
    onerror: report,
  });
  const sessions = new HttpSessions({
    create: (requestInfo) => serving.create({ era: "legacy", requestInfo }),
    maxSessions: options.maxSessions ?? 32,
    idleMs: options.sessionIdleMs ?? 30 * 60_000,
    maxBodyBytes,
  });
  const fetch = async (request: Request): Promise<Response> =>
    (await isLegacyRequest(request, undefined, { maxRequestBodySize: maxBodyBytes }))
      ? sessions.fetch(request)
      : modern.fetch(request);
  const answer = toNodeHandler({ fetch }, { maxRequestBodySize: maxBodyBytes, onerror: report });

  // A client that sends byte by byte must not hold a connection for long.
  const patienceMs = options.patienceMs ?? 2_000;
  const timeouts = {
    headersTimeout: patienceMs * 5,
    requestTimeout: patienceMs * 15,
    connectionsCheckingInterval: patienceMs,
  };
  const node = createServer(timeouts, (request, response) => {
    handle(request, response).catch((error: unknown) => {
      report(error as Error);
      response.destroy();
    });
  });
  const strangers = new Strangers({ patienceMs, most: mostStrangers });
  node.on("connection", (socket) => strangers.admit(socket));
  node.maxConnections = mostConnections;

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const refused = refuse(request, guard);
    if (refused) return send(response, refused);
    strangers.welcome(request.socket);
    const body = await readBody(request, maxBodyBytes);
    if (body === "too-large") {
      const message = `The body is larger than the ${maxBodyBytes} bytes allowed.`;
      return send(response, jsonRpcError(413, -32_000, message, { connection: "close" }));
    }
    response.once("close", sessions.hold(headerOf(request, "mcp-session-id")));
    const { method = "GET", url = "/", headers } = request;
    await answer({ method, url, headers, [Symbol.asyncIterator]: () => once(body) }, eager(response));
  };

  const host = options.host ?? "127.0.0.1";
  const port = await listen(node, host, options.port);
  const name = host.includes(":") ? `[${host}]` : host;
  const guard: GuardOptions = {
    token,
    allowedHosts: [...loopback, name, ...(options.allowedHosts ?? [])],
    allowedOrigins: [...loopback.map((own) => `http://${own}:${port}`), ...(options.allowedOrigins ?? [])],
  };
  const stopEvents = serving.onEvent((event) => modern.bus.publish(event));

  return {
    url: `http://${name}:${port}${endpoint}`,
    token,
    serving,
    async close() {
      stopEvents();
      const closed = new Promise<void>((resolve) => node.close(() => resolve()));
      await Promise.allSettled([modern.close(), sessions.close()]);
      node.closeAllConnections();
      await closed;
    },
  };
}

function refuse(request: IncomingMessage, guard: GuardOptions): Response | undefined {
  const refusal = findRefusal(request.headers, guard);
  if (refusal) return jsonRpcError(refusal.status, -32_000, refusal.message, refusal.headers);
  const path = (request.url ?? "/").split("?", 1)[0];
  if (path !== endpoint) return jsonRpcError(404, -32_000, `There is nothing at ${path}; MCP is at ${endpoint}.`);
  if (methods.includes(request.method ?? "")) return undefined;
  return jsonRpcError(405, -32_000, `${request.method} is not used here.`, { allow: methods.join(", ") });
}

async function send(response: ServerResponse, refused: Response): Promise<void> {
  response.writeHead(refused.status, Object.fromEntries(refused.headers));
  response.end(await refused.text());
}

function needToken(given: string | undefined): string {
  if (given === undefined) return randomBytes(32).toString("base64url");
  if (given.length >= shortestToken && /^[\x21-\x7e]+$/.test(given)) return given;
  throw new ToolError("invalid_argument", `The HTTP token must have at least ${shortestToken} visible characters.`, {
    hint: "Leave it out to have one generated, or use the output of: openssl rand -hex 32",
  });
}

function listen(node: NodeServer, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    node.once("error", (cause: NodeJS.ErrnoException) => {
      const hint = cause.code === "EADDRINUSE" ? "Choose another port, or 0 for a free one." : "Check host and port.";
      reject(new ToolError("not_connected", `Cannot listen on ${host}:${port} (${cause.code}).`, { hint, cause }));
    });
    node.listen(port, host, () => resolve((node.address() as AddressInfo).port));
  });
}

function headerOf(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value[0] : value;
}

/** Node delays the headers until there is something to send, and a client would wait for its event stream. */
function eager(response: ServerResponse): Parameters<NodeMcpRequestHandler>[1] {
  return {
    writeHead(status, headers) {
      response.writeHead(status, headers);
      response.flushHeaders();
    },
    write: (chunk) => response.write(chunk),
    end: (chunk) => response.end(chunk),
    on: (event, listener) => response.on(event, listener),
    get destroyed() {
      return response.destroyed;
    },
  };
}

async function* once(body: Buffer): AsyncGenerator<Buffer> {
  yield body;
}
