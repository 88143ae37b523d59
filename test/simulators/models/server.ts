import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Simulated, Wire } from "./wire.ts";
import { wires } from "./wires.ts";

/** What the server does with the next request it gets. */
export type Move =
  | { readonly kind: "answer"; readonly body: unknown }
  /** Fails as the vendor does; a picture that is too large fails by itself. */
  | {
      readonly kind: "fail";
      readonly status: number;
      readonly body: unknown;
      readonly headers?: Record<string, string>;
    }
  /** The answer in this many pieces, one after another. */
  | { readonly kind: "dribble"; readonly body: unknown; readonly pieces: number; readonly everyMs: number }
  /** Accepts the request and never answers. */
  | { readonly kind: "hang" }
  | { readonly kind: "hangUp" }
  | { readonly kind: "raw"; readonly text: string };

export interface Received {
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: Record<string, unknown>;
}

export interface ModelServer extends AsyncDisposable {
  /** Without a path. */
  readonly url: string;
  readonly received: readonly Received[];
  /** What violates the rules of each API; the server answers 400 with it, as the vendor does. */
  readonly complaints: readonly string[];
  /** Queued; the last one is repeated. A function gets the request. */
  next(...moves: readonly (Move | ((request: Received) => Move | Promise<Move>))[]): void;
  /** Resolves when a client closed its socket before it was answered. */
  readonly abandoned: Promise<void>;
}

/**
 * A SIMULATOR of the four model services, not one of them: it implements their APIs as their published types and
 * documentation describe them, checks requests as strictly as they do, and answers what the test tells it.
 */
export async function startModelServer(): Promise<ModelServer> {
  const moves: (Move | ((request: Received) => Move | Promise<Move>))[] = [];
  const received: Received[] = [];
  const complaints: string[] = [];
  let abandon = () => {};
  const abandoned = new Promise<void>((resolve) => {
    abandon = resolve;
  });

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    response.once("close", () => response.writableFinished || abandon());
    const path = request.url ?? "";
    const wire = wires.find((one) => one.path.test(path));
    if (wire === undefined) return send(response, 404, { error: { message: `no such path ${path}` } });
    const one = { path, headers: request.headers, body: JSON.parse(await readAll(request)) as Record<string, unknown> };
    received.push(one);
    const refusal = examine(wire, one);
    if (refusal !== undefined) {
      complaints.push(refusal.message);
      return send(response, refusal.status, wire.error(refusal.status, refusal.message));
    }
    const queued = moves.length > 1 ? moves.shift() : moves[0];
    if (queued === undefined) return send(response, 500, wire.error(500, "the test has no answer for this request"));
    await perform(response, typeof queued === "function" ? await queued(one) : queued);
  };

  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      complaints.push(String(error));
      response.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    received,
    complaints,
    abandoned,
    next: (...more) => void moves.splice(0, moves.length, ...more),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function examine(wire: Wire, { headers, body }: Received): Simulated | undefined {
  const key = headers[wire.keyHeader];
  if (key !== wire.keyValue) return { status: 401, message: `bad key ${String(key)}` };
  return wire.examine(body, headers);
}

async function perform(response: ServerResponse, move: Move): Promise<void> {
  switch (move.kind) {
    case "answer":
      return send(response, 200, move.body);
    case "fail":
      return send(response, move.status, move.body, move.headers);
    case "raw":
      response.writeHead(200, { "content-type": "text/html" }).end(move.text);
      return;
    case "hangUp":
      response.destroy();
      return;
    case "hang":
      return;
    case "dribble": {
      const text = JSON.stringify(move.body);
      const size = Math.ceil(text.length / move.pieces);
      response.writeHead(200, { "content-type": "application/json" });
      for (let at = 0; at < text.length && !response.destroyed; at += size) {
        response.write(text.slice(at, at + size));
        await new Promise((resolve) => setTimeout(resolve, move.everyMs));
      }
      response.end();
    }
  }
}

function send(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void {
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
}

async function readAll(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}
