import { randomBytes, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { findPeer } from "../platform/peer.ts";
import { answerOffers, type Answer, type Questions } from "../tools/call.ts";
import { approvalHtml } from "./approval-html.ts";

export interface ApprovalOptions {
  readonly questions: Questions;
  /** The buttons of the emergency stop. */
  readonly stop: () => void;
  readonly resume: () => void;
}

export interface ApprovalPage {
  readonly port: number;
  /**
   * An address that opens the page for the person, once, within a minute. It is for the program that opens their
   * browser: whoever sees it first can answer, so it is never printed, logged or kept.
   */
  link(): string;
  close(): Promise<void>;
}

const longestBody = 2_000;
const linkMs = 60_000;

/**
 * A page on this machine where a person answers what the client cannot ask. Anyone may load it; only the page that
 * uses the code of a link gets a secret, which stays in its memory. A page that handsight drives has neither: it
 * cannot load this address, and knows no code.
 */
export async function openApprovalPage({ questions, stop, resume }: ApprovalOptions): Promise<ApprovalPage> {
  const codes = new Map<string, NodeJS.Timeout>();
  const secrets = new Set<string>();
  const streams = new Set<ServerResponse>();
  const tell = (stream: ServerResponse) => stream.write(`${JSON.stringify(questions.pending())}\n`);
  const offChange = questions.onChange(() => {
    for (const stream of streams) tell(stream);
  });

  const enter = (code: string): string | undefined => {
    const [spent, timer] = [...codes].find(([each]) => isSame(code, each)) ?? [];
    if (spent === undefined) return undefined;
    clearTimeout(timer);
    codes.delete(spent);
    const secret = randomBytes(32).toString("base64url");
    secrets.add(secret);
    return secret;
  };

  const follow = (request: IncomingMessage, response: ServerResponse): void => {
    response.writeHead(200, { "content-type": "application/x-ndjson" });
    streams.add(response);
    const { localPort = 0, remotePort = 0 } = request.socket;
    const leave = questions.watch({ showsPictures: true, pids: findPeer({ own: localPort, peer: remotePort }) });
    response.once("close", () => {
      streams.delete(response);
      leave();
    });
    tell(response);
  };

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const nonce = randomBytes(16).toString("base64");
    for (const [name, value] of Object.entries(securityHeaders(nonce))) response.setHeader(name, value);
    const end = (status: number, text = "") => void response.writeHead(status).end(text);
    if (!isOwn(request)) return end(403, "Forbidden");
    // Never parsed as an address: "//" or "http://[" is not one, and must not end the process.
    const [path = "/"] = (request.url ?? "/").split("?");
    const call = `${request.method} ${path}`;
    if (call === "GET /") {
      return void response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end(approvalHtml(nonce));
    }
    if (call === "POST /enter") {
      const code = (await readJson(request))?.["code"];
      const secret = typeof code === "string" ? enter(code) : undefined;
      return secret === undefined ? end(403, "Forbidden") : end(200, JSON.stringify({ secret }));
    }
    const given = String(request.headers["x-handsight-secret"] ?? "");
    if (![...secrets].some((secret) => isSame(given, secret))) return end(403, "Forbidden");
    switch (call) {
      case "GET /questions":
        return follow(request, response);
      case "GET /picture": {
        const id = new URLSearchParams((request.url ?? "").split("?")[1] ?? "").get("id") ?? "";
        const picture = await questions.picture(id);
        if (!picture) return end(404);
        response.writeHead(200, {
          "content-type": picture.mimeType,
          "x-handsight-box": JSON.stringify(picture.box ?? null),
        });
        return void response.end(picture.bytes);
      }
      case "POST /answer": {
        const read = readAnswer(await readJson(request));
        if (!read) return end(400, "Bad answer");
        return end(questions.answer(read.id, read.answer) === read.answer ? 204 : 409);
      }
      case "POST /stop":
        stop();
        return end(204);
      case "POST /resume":
        resume();
        return end(204);
      default:
        return end(404);
    }
  };

  const limits = { requestTimeout: 5_000, headersTimeout: 2_000, connectionsCheckingInterval: 500 };
  const server = createServer(limits, (request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  server.maxConnections = 64;
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  // A page that nobody looks at must not keep the process alive.
  server.unref();
  const { port } = server.address() as AddressInfo;
  return {
    port,
    link() {
      const code = randomBytes(32).toString("base64url");
      codes.set(code, setTimeout(() => codes.delete(code), linkMs).unref());
      // After the #: a browser sends it nowhere, not even here.
      return `http://127.0.0.1:${port}/#${code}`;
    },
    async close() {
      offChange();
      for (const timer of codes.values()) clearTimeout(timer);
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

/** Refuses a page of another site, or one whose host name was made to point here, even if it knew a secret. */
function isOwn({ headers, socket, method }: IncomingMessage): boolean {
  const host = `127.0.0.1:${socket.localPort}`;
  if (headers.host !== host) return false;
  const site = headers["sec-fetch-site"];
  if (site !== undefined && site !== "same-origin" && !(site === "none" && method === "GET")) return false;
  return headers.origin === undefined ? method === "GET" : headers.origin === `http://${host}`;
}

const securityHeaders = (nonce: string): Readonly<Record<string, string>> => ({
  "cache-control": "no-store",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "content-security-policy": [
    "default-src 'none'",
    `style-src 'nonce-${nonce}'`,
    `script-src 'nonce-${nonce}'`,
    "img-src blob:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; "),
});

function isSame(given: string, wanted: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(wanted)];
  return a.length === b.length && timingSafeEqual(a, b);
}

async function readJson(request: IncomingMessage): Promise<Readonly<Record<string, unknown>> | undefined> {
  let text = "";
  for await (const chunk of request.setEncoding("utf8") as AsyncIterable<string>) {
    text += chunk;
    if (text.length > longestBody) throw new Error("The body is too large.");
  }
  try {
    const value = JSON.parse(text) as unknown;
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** The answer in a message from the page or the terminal, if there is one. */
export function readAnswer(
  message: Readonly<Record<string, unknown>> | undefined,
): { readonly id: string; readonly answer: Answer } | undefined {
  const { id, answer } = message ?? {};
  const known = answerOffers.find((offer) => offer === answer);
  return typeof id === "string" && known !== undefined ? { id, answer: known } : undefined;
}
