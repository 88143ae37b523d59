// oxlint-disable unicorn/prefer-add-event-listener -- the objects of the SDK have callbacks, not events
import { randomUUID } from "node:crypto";
import {
  isInitializeRequest,
  WebStandardStreamableHTTPServerTransport,
  type Server,
} from "@modelcontextprotocol/server";
import { jsonRpcError } from "./http-error.ts";

export interface SessionsOptions {
  readonly create: (request: Request) => Server;
  readonly maxSessions: number;
  readonly idleMs: number;
  readonly maxBodyBytes: number;
}

interface HttpSession {
  readonly server: Server;
  readonly transport: WebStandardStreamableHTTPServerTransport;
  /** Responses being written, including the open event stream. */
  open: number;
  lastSeen: number;
}

/**
 * 2025 clients over HTTP: one server per `Mcp-Session-Id`, because a permission question must be pushed to the client
 * while its call waits.
 */
export class HttpSessions {
  readonly #options: SessionsOptions;
  readonly #sessions = new Map<string, HttpSession>();
  readonly #sweeper: NodeJS.Timeout;

  constructor(options: SessionsOptions) {
    this.#options = options;
    this.#sweeper = setInterval(() => this.#sweep(), Math.min(options.idleMs, 60_000));
    this.#sweeper.unref();
  }

  /** Keeps a session from being evicted until the returned function is called. */
  hold(id: string | undefined): () => void {
    const session = this.#sessions.get(id ?? "");
    if (!session) return () => {};
    session.open++;
    return () => {
      session.open--;
      session.lastSeen = performance.now();
    };
  }

  async fetch(request: Request): Promise<Response> {
    const id = request.headers.get("mcp-session-id");
    if (id === null) return this.#begin(request);
    const session = this.#sessions.get(id);
    if (!session) return jsonRpcError(404, -32_001, "This session no longer exists. Initialize a new one.");
    session.lastSeen = performance.now();
    return session.transport.handleRequest(request);
  }

  async close(): Promise<void> {
    clearInterval(this.#sweeper);
    await Promise.allSettled([...this.#sessions.values()].map(({ server }) => server.close()));
  }

  async #begin(request: Request): Promise<Response> {
    if (request.method !== "POST") return jsonRpcError(400, -32_000, "The Mcp-Session-Id header is missing.");
    const message = await parse(request.clone());
    if (message === undefined) return jsonRpcError(400, -32_700, "Parse error: the body is not JSON.");
    if (!isInitializeRequest(message)) {
      return jsonRpcError(400, -32_000, "The Mcp-Session-Id header is missing. Initialize a session first.");
    }
    if (!this.#makeRoom()) {
      const busy = jsonRpcError(
        503,
        -32_000,
        `All ${this.#options.maxSessions} sessions are in use. Close one, or wait.`,
      );
      busy.headers.set("retry-after", "10");
      return busy;
    }
    const server = this.#options.create(request);
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      maxRequestBodySize: this.#options.maxBodyBytes,
      onsessioninitialized: (id) => {
        this.#sessions.set(id, { server, transport, open: 0, lastSeen: performance.now() });
      },
    });
    transport.onclose = () => {
      if (transport.sessionId !== undefined) this.#sessions.delete(transport.sessionId);
    };
    await server.connect(transport);
    const response = await transport.handleRequest(request);
    if (transport.sessionId === undefined) await server.close();
    return response;
  }

  /** When the limit is reached, ends the session that has been idle longest. */
  #makeRoom(): boolean {
    if (this.#sessions.size < this.#options.maxSessions) return true;
    const [longestIdle] = [...this.#sessions]
      .filter(([, { open }]) => open === 0)
      .sort(([, a], [, b]) => a.lastSeen - b.lastSeen);
    if (!longestIdle) return false;
    this.#end(...longestIdle);
    return true;
  }

  #sweep(): void {
    const before = performance.now() - this.#options.idleMs;
    for (const [id, session] of this.#sessions) {
      if (session.open === 0 && session.lastSeen < before) this.#end(id, session);
    }
  }

  #end(id: string, { server }: HttpSession): void {
    this.#sessions.delete(id);
    server.close().catch((error: unknown) => server.onerror?.(error as Error));
  }
}

async function parse(request: Request): Promise<unknown> {
  try {
    return await request.json();
  } catch {
    return undefined;
  }
}
