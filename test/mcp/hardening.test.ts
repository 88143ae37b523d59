import { request, type IncomingHttpHeaders } from "node:http";
import { connect, type Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { serveHttp, type HttpServing } from "../../src/mcp/http.ts";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { openTestSession } from "../support/session.ts";
import { makeClient } from "./connect.ts";
import { eventually } from "./eventually.ts";

const token = "a-token-for-tests-0123456789";
let http: HttpServing;
let port: number;
beforeAll(async () => {
  http = await serveHttp(openTestSession(), { port: 0, token, patienceMs: 500 });
  port = Number(new URL(http.url).port);
});
afterAll(() => http.close());

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

function send(
  body: string | Buffer,
  headers: Record<string, string> = {},
  method = "POST",
  path = "/mcp",
): Promise<Answer> {
  const all = {
    authorization: `Bearer ${token}`,
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    ...headers,
  };
  return new Promise((resolve, reject) => {
    const outgoing = request({ host: "127.0.0.1", port, path, method, headers: all, agent: false }, (incoming) => {
      let text = "";
      incoming.on("data", (chunk: Buffer) => (text += chunk.toString()));
      incoming.on("end", () => resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, text }));
      incoming.on("error", reject);
    });
    outgoing.on("error", reject);
    outgoing.end(body);
  });
}

const initialize = JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "raw", version: "1" } },
});
const works = async () => expect((await send(initialize)).status).toBe(200);

test.each([
  ["nothing", ""],
  ["no JSON", "{"],
  ["half a character", Buffer.from([0x22, 0xc3, 0x22])],
  ["a number", "42"],
  ["null", "null"],
  ["an empty batch", "[]"],
  ["a batch of nonsense", "[1, null, {}]"],
  ["no version", '{"id":1,"method":"ping"}'],
  ["another version", '{"jsonrpc":"1.0","id":1,"method":"ping"}'],
  ["a method that is no text", '{"jsonrpc":"2.0","id":1,"method":{}}'],
  ["an id that is an object", '{"jsonrpc":"2.0","id":{},"method":"ping"}'],
  [
    "a polluting key",
    '{"jsonrpc":"2.0","id":1,"method":"initialize","__proto__":{"polluted":1},"params":{"__proto__":{"polluted":1}}}',
  ],
  [
    "a very deep value",
    `{"jsonrpc":"2.0","id":1,"method":"initialize","params":${"[".repeat(50_000)}${"]".repeat(50_000)}}`,
  ],
  ["a very long key", `{"jsonrpc":"2.0","id":1,"method":"initialize","${"k".repeat(1_000_000)}":1}`],
])("malformed JSON-RPC (%s) is answered with an error, and the server goes on", async (_what, body) => {
  const { status } = await send(body);
  expect(status).toBeGreaterThanOrEqual(400);
  expect(status).toBeLessThan(500);
  expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  await works();
});

describe("no page of another site gets in", () => {
  test("no answer, refusal or preflight allows another origin", async () => {
    const answers = [
      await send(initialize),
      await send(initialize, { origin: "http://evil.test" }),
      await send("", { origin: "http://evil.test", "access-control-request-method": "POST" }, "OPTIONS"),
      await send("", { authorization: "" }),
    ];
    for (const { headers } of answers) {
      expect(Object.keys(headers).filter((name) => name.startsWith("access-control-"))).toEqual([]);
    }
    expect(answers[1]?.status).toBe(403);
    expect(answers[2]?.status).toBeGreaterThanOrEqual(400);
  });

  test.each([
    "evil.test",
    "evil.test:80",
    "127.0.0.1.evil.test",
    "localhost.evil.test",
    "0.0.0.0",
    "[::]",
    "localhost@evil.test",
  ])("a name made to point here (Host %j) is refused", async (host) => {
    expect((await send(initialize, { host })).status).toBeGreaterThanOrEqual(400);
  });

  test.each([
    "null",
    "http://localhost",
    "http://localhost:1",
    "https://localhost",
    "file://",
    "http://127.0.0.1.evil.test",
  ])("Origin %j is refused", async (origin) => {
    expect((await send(initialize, { origin })).status).toBe(403);
  });
});

test("a token is compared as a whole: wrong ones take the same time, however much of them is right", async () => {
  const { findRefusal } = await import("../../src/mcp/http-guard.ts");
  const secret = "s".repeat(4_000);
  const guard = { token: secret, allowedHosts: ["localhost"], allowedOrigins: [] };
  const time = (given: string): number => {
    const headers = { host: "localhost", authorization: `Bearer ${given}` };
    const started = performance.now();
    for (let count = 0; count < 200; count++) expect(findRefusal(headers, guard)?.status).toBe(401);
    return performance.now() - started;
  };
  const [first, last] = [`x${secret.slice(1)}`, `${secret.slice(1)}x`];
  time(first);
  const rounds = Array.from({ length: 9 }, () => time(first) / time(last)).toSorted((a, b) => a - b);
  // A comparison that stops at the first difference would be faster by orders of magnitude on one side.
  expect(rounds[4]).toBeGreaterThan(0.3);
  expect(rounds[4]).toBeLessThan(3);
});

test.each(["2025-11-25", "2026-07-28"] as const)(
  "no resource of %s leads out of the run, however it is written",
  async (era) => {
    const client = makeClient(era);
    const headers = { authorization: `Bearer ${token}` };
    await client.connect(new StreamableHTTPClientTransport(new URL(http.url), { requestInit: { headers } }));
    const climbs = [
      "../../../etc/passwd",
      "..%2f..%2fetc%2fpasswd",
      "%2e%2e/%2e%2e/etc/passwd",
      "..\\..\\etc\\passwd",
      "/etc/passwd",
    ];
    const kinds = [
      "handsight://frames/",
      "handsight://trees/",
      "handsight://journal/",
      "handsight://steps/",
      "file:///",
    ];
    try {
      expect((await client.readResource({ uri: "handsight://frames/f1abc" })).contents).toHaveLength(1);
      for (const uri of kinds.flatMap((kind) => climbs.map((climb) => `${kind}${climb}`))) {
        await expect(client.readResource({ uri }), uri).rejects.toThrow(/resource|uri|not found/i);
      }
    } finally {
      await client.close();
    }
  },
);

describe("a client that stalls", () => {
  test("its body is cut off after a while", async () => {
    const socket = connect(port, "127.0.0.1");
    const closed = new Promise((resolve) => socket.once("close", resolve));
    socket.on("error", () => {});
    const head = ["POST /mcp HTTP/1.1", `Host: localhost:${port}`, `Authorization: Bearer ${token}`];
    socket.write([...head, "Content-Type: application/json", "Content-Length: 1000", "", "{"].join("\r\n"));
    const drip = setInterval(() => socket.writable && socket.write(" "), 100);
    await closed;
    clearInterval(drip);
    await works();
  });

  test("a thousand connections that say nothing do not keep others out for long", async () => {
    const sockets: Socket[] = [];
    for (let count = 0; count < 1_000; count++) {
      const socket = connect(port, "127.0.0.1");
      socket.on("error", () => {});
      sockets.push(socket);
    }
    await eventually(works, 100);
    for (const socket of sockets) socket.destroy();
    await works();
  });

  test("an endless body is refused", async () => {
    const big = await send("x".repeat(5_000_000)).catch((error: unknown) => error);
    if (!(big instanceof Error)) expect((big as Answer).status).toBe(413);
    await works();
  });
});

test.each([
  "handsight://frames/../../etc/passwd",
  "handsight://frames/..%2f..%2fetc%2fpasswd",
  "handsight://frames/%2e%2e/secret",
  "handsight://trees/../frames/s1-1",
  "handsight://journal/../../x",
  "handsight://frames//etc/passwd",
  "handsight://frames/s1\u0000.png",
  "handsight://frames/s1-1.png",
  "handsight://FRAMES/s1",
  "handsight://other/s1",
  "handsight:frames/s1",
  "file:///etc/passwd",
  "http://127.0.0.1/",
  `handsight://frames/${"a".repeat(65)}`,
])("a resource outside the run (%j) is refused", async (uri) => {
  const begun = await send(initialize);
  const id = begun.headers["mcp-session-id"];
  if (typeof id !== "string") throw new Error("no session");
  const body = JSON.stringify({ jsonrpc: "2.0", id: 2, method: "resources/read", params: { uri } });
  const { text } = await send(body, { "mcp-session-id": id });
  expect(text).toContain('"error"');
  expect(text).not.toContain("root:");
  expect(text).not.toContain('"contents"');
});
