import { request } from "node:http";
import { connect, type Socket } from "node:net";
import { expect } from "vitest";
import type { Attack } from "./attack.ts";

export interface HttpStage {
  readonly port: number;
  readonly token: string;
}

interface HttpAnswer {
  readonly status: number;
  readonly text: string;
  readonly session: string | undefined;
}

export function post(
  { port, token }: HttpStage,
  body: string | Buffer,
  headers: Readonly<Record<string, string>> = {},
): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        host: "127.0.0.1",
        port,
        path: "/mcp",
        method: "POST",
        agent: false,
        headers: {
          authorization: `Bearer ${token}`,
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
          ...headers,
        },
      },
      (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
        response.on("end", () =>
          resolve({ status: response.statusCode ?? 0, text, session: response.headers["mcp-session-id"] as string }),
        );
        response.on("error", reject);
      },
    );
    sent.on("error", reject);
    sent.end(body);
  });
}

export const hello = JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "attacker", version: "1" } },
});

/** What a client receives after it has sent this. */
function say({ port }: HttpStage, bytes: string | Buffer): Promise<string> {
  return new Promise((resolve) => {
    let heard = "";
    const socket = connect(port, "127.0.0.1");
    socket.on("data", (chunk: Buffer) => (heard += chunk.toString("latin1")));
    socket.on("error", () => {});
    socket.on("close", () => resolve(heard));
    socket.write(bytes);
  });
}

const head = ({ token, port }: HttpStage, ...more: readonly string[]): string =>
  [
    "POST /mcp HTTP/1.1",
    `Host: localhost:${port}`,
    `Authorization: Bearer ${token}`,
    "Connection: close",
    ...more,
    "",
    "",
  ].join("\r\n");

async function openSockets({ port }: HttpStage, count: number, say: string): Promise<readonly Socket[]> {
  return Promise.all(
    Array.from({ length: count }, () => {
      const socket = connect(port, "127.0.0.1");
      socket.on("error", () => {});
      return new Promise<Socket>((resolve) =>
        socket.once("connect", () => socket.write(say || " ", () => resolve(socket))),
      );
    }),
  );
}

const silent = (name: string, said: string): Attack<HttpStage> => ({
  name: `300 connections ${name}`,
  async run(stage) {
    const sockets = await openSockets(stage, 300, said);
    // The first client with the token gets in while all of them are still connected.
    expect((await post(stage, hello)).status).toBe(200);
    for (const socket of sockets) socket.destroy();
  },
});

const refused = (name: string, status: number, make: (stage: HttpStage) => string | Buffer): Attack<HttpStage> => ({
  name,
  async run(stage) {
    expect(await say(stage, make(stage))).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  },
});

export const httpAttacks: readonly Attack<HttpStage>[] = [
  silent("that say nothing", "\r\n"),
  silent("that begin a request and stop", "POST /mcp HTTP/1.1\r\nHost: localhost\r\n"),
  silent(
    "with a wrong token",
    "POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer wrong\r\nContent-Length: 5\r\n\r\n",
  ),
  refused("bytes that are no HTTP", 400, () =>
    Buffer.from(Array.from({ length: 5_000 }, (_, index) => (index * 7_919) % 256)),
  ),
  refused("an address that is none", 404, (stage) => head(stage).replace("/mcp", "http://[")),
  refused("an address of two slashes", 404, (stage) => head(stage).replace("/mcp", "//")),
  refused("a header of 100 KB", 431, (stage) => head(stage, `X-Long: ${"x".repeat(100_000)}`)),
  refused("10 000 headers", 431, (stage) =>
    head(stage, ...Array.from({ length: 10_000 }, (_, index) => `X-${index}: 1`)),
  ),
  refused("a body said to have a terabyte", 413, (stage) =>
    head(stage, "Content-Type: application/json", "Content-Length: 1000000000000"),
  ),
  refused("a length that is none", 400, (stage) => head(stage, "Content-Length: -5")),
  refused("chunks of the wrong length", 400, (stage) => `${head(stage, "Transfer-Encoding: chunked")}zz\r\nx\r\n`),
  refused(
    "two lengths that differ",
    400,
    (stage) => `${head(stage, "Content-Length: 1", "Transfer-Encoding: chunked")}0\r\n\r\n`,
  ),
  {
    name: "a body of 5 MB, and one of 100 MB",
    async run(stage) {
      for (const size of [5_000_000, 100_000_000]) {
        const answer = await post(stage, Buffer.alloc(size, 0x20)).catch(
          (error: unknown) => error as NodeJS.ErrnoException,
        );
        if (answer instanceof Error) expect(["ECONNRESET", "EPIPE"]).toContain(answer.code);
        else expect(answer.status).toBe(413);
      }
    },
  },
  {
    name: "a body nested 500 000 deep",
    async run(stage) {
      const params = `${"[".repeat(500_000)}${"]".repeat(500_000)}`;
      const { status } = await post(stage, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":${params}}`);
      expect(status).toBeGreaterThanOrEqual(400);
    },
  },
  {
    name: "bodies that are no message",
    async run(stage) {
      for (const body of [
        "",
        "null",
        "[]",
        "[[[]]]",
        "7",
        '"x"',
        "{",
        "\u0000",
        '{"jsonrpc":"2.0","id":1,"method":"ping"}',
      ]) {
        expect((await post(stage, body)).status).toBeGreaterThanOrEqual(400);
      }
    },
  },
  {
    name: "200 sessions that are begun and left",
    async run(stage) {
      for (let round = 0; round < 10; round++) {
        const begun = await Promise.all(Array.from({ length: 20 }, () => post(stage, hello)));
        expect(begun.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200));
      }
    },
  },
  {
    name: "100 clients that leave in the middle of their call",
    async run(stage) {
      const { session = "" } = await post(stage, hello);
      const body = JSON.stringify({
        jsonrpc: "2.0",
        id: 5,
        method: "tools/call",
        params: { name: "capabilities", arguments: {} },
      });
      const length = `Content-Length: ${Buffer.byteLength(body)}`;
      const more = ["Content-Type: application/json", "Accept: application/json, text/event-stream", length];
      const said = `${head(stage, ...more, `Mcp-Session-Id: ${session}`)}${body}`;
      const sockets = await openSockets(stage, 100, said);
      for (const socket of sockets) socket.destroy();
    },
  },
];
