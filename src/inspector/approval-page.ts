import { randomBytes, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { answerOffers, type Answer, type Questions } from "../tools/call.ts";
import { approvalHtml } from "./approval-html.ts";

export interface ApprovalOptions {
  readonly questions: Questions;
  /** The button on the page. */
  readonly stop: () => void;
}

export interface ApprovalServer {
  /** With the token that lets whoever has it answer: for the person only, never for a model. */
  readonly url: string;
  close(): Promise<void>;
}

const longestBody = 2_000;

/**
 * A page on this machine where a person answers what the client cannot ask. Whoever opens it needs the token in its
 * address, which is never told over MCP; a page of another site can neither read it nor post to it.
 */
export async function openApprovalPage({ questions, stop }: ApprovalOptions): Promise<ApprovalServer> {
  const token = randomBytes(32).toString("base64url");
  const streams = new Set<ServerResponse>();
  const tell = (stream: ServerResponse) => stream.write(`data: ${JSON.stringify(questions.pending())}\n\n`);
  const offChange = questions.onChange(() => {
    for (const stream of streams) tell(stream);
  });

  const answer = async (request: IncomingMessage, response: ServerResponse, url: URL): Promise<void> => {
    const nonce = randomBytes(16).toString("base64");
    for (const [name, value] of Object.entries(securityHeaders(nonce))) response.setHeader(name, value);
    if (!isOwn(request) || !isSame(url.searchParams.get("token") ?? "", token)) {
      response.writeHead(403).end("Forbidden");
      return;
    }
    switch (`${request.method} ${url.pathname}`) {
      case "GET /":
        response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end(approvalHtml(nonce));
        return;
      case "GET /questions": {
        response.writeHead(200, { "content-type": "text/event-stream" });
        streams.add(response);
        const leave = questions.watch();
        response.once("close", () => {
          streams.delete(response);
          leave();
        });
        tell(response);
        return;
      }
      case "POST /answer": {
        const given = readAnswer(await readBody(request));
        if (!given) response.writeHead(400).end("Bad answer");
        else response.writeHead(questions.answer(given.id, given.answer) === given.answer ? 204 : 409).end();
        return;
      }
      case "POST /stop":
        stop();
        response.writeHead(204).end();
        return;
      default:
        response.writeHead(404).end();
    }
  };

  const server = createServer({ requestTimeout: 10_000, headersTimeout: 5_000 }, (request, response) => {
    const url = new URL(request.url ?? "/", "http://localhost");
    answer(request, response, url).catch(() => response.destroy());
  });
  server.maxConnections = 32;
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  // A page nobody looks at must not keep the process alive.
  server.unref();
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/?token=${token}`,
    async close() {
      offChange();
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

/** A page of another site, or one that has made its name point here, is refused even if it guessed the token. */
function isOwn({ headers, socket }: IncomingMessage): boolean {
  const hosts = ["127.0.0.1", "localhost"].map((name) => `${name}:${socket.localPort}`);
  if (!hosts.includes(headers.host ?? "")) return false;
  return headers.origin === undefined || hosts.some((host) => headers.origin === `http://${host}`);
}

const securityHeaders = (nonce: string): Readonly<Record<string, string>> => ({
  "cache-control": "no-store",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "content-security-policy": [
    "default-src 'none'",
    `style-src 'nonce-${nonce}'`,
    `script-src 'nonce-${nonce}'`,
    "connect-src 'self'",
    "frame-ancestors 'none'",
  ].join("; "),
});

function isSame(given: string, wanted: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(wanted)];
  return a.length === b.length && timingSafeEqual(a, b);
}

function readBody(request: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = "";
    request.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
      if (text.length > longestBody) reject(new Error("too large"));
    });
    request.once("end", () => resolve(text)).once("error", reject);
  });
}

function readAnswer(text: string): { readonly id: string; readonly answer: Answer } | undefined {
  try {
    const { id, answer } = JSON.parse(text) as Record<string, unknown>;
    const known = answerOffers.find((offer) => offer === answer);
    return typeof id === "string" && known !== undefined ? { id, answer: known } : undefined;
  } catch {
    return undefined;
  }
}
