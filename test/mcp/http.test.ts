import { request, type IncomingHttpHeaders, type RequestOptions } from "node:http";
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { serveHttp, type HttpOptions, type HttpServing } from "../../src/mcp/http.ts";
import type { PolicyMode } from "../../src/policy/decide.ts";
import { openTestSession } from "../support/session.ts";
import { describeBehaviour } from "./behaviour.ts";
import { eventually } from "./eventually.ts";

describeBehaviour("http");

const token = "a-token-for-tests-0123456789";

const initialize = JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "raw", version: "1" } },
});
const ping = JSON.stringify({ jsonrpc: "2.0", id: 2, method: "ping" });

describe("what a stranger gets", () => {
  let http: HttpServing;
  beforeAll(async () => {
    http = await serve({ maxSessions: 4 });
  });
  afterAll(() => http.close());

  const otherPort = "http://localhost:1";
  test.each<[string, number, Partial<Ask>]>([
    ["no token", 401, { headers: { authorization: undefined } }],
    ["a wrong token", 401, { headers: { authorization: "Bearer wrong" } }],
    ["a token that is longer", 401, { headers: { authorization: `Bearer ${token}x` } }],
    ["the token in another scheme", 401, { headers: { authorization: `Basic ${token}` } }],
    ["a foreign Host", 403, { headers: { host: "evil.example" } }],
    ["a foreign Host that begins like ours", 403, { headers: { host: "localhost.evil.example" } }],
    ["a Host with something before it", 403, { headers: { host: "evil@localhost" } }],
    ["a foreign Origin", 403, { headers: { origin: "https://evil.example" } }],
    ["the right host and the wrong port in Origin", 403, { headers: { origin: otherPort } }],
    ["an opaque Origin", 403, { headers: { origin: "null" } }],
    ["an unknown session", 404, { headers: { "mcp-session-id": "nope" }, body: ping }],
    ["another path", 404, { path: "/" }],
    ["PUT", 405, { method: "PUT" }],
    ["OPTIONS, as a browser would ask first", 405, { method: "OPTIONS" }],
    ["no session", 400, { body: ping }],
    ["a body that is not JSON", 400, { body: "{" }],
    ["a body of 6 MB", 413, { body: "x".repeat(6_000_000) }],
    ["a body of 6 MB of unknown length", 413, { body: "x".repeat(6_000_000), chunked: true }],
  ])("%s: %i", async (_what, status, ask) => {
    const answer = await send(http, ask);
    expect(answer.status).toBe(status);
    expect(JSON.parse(answer.text)).toMatchObject({ jsonrpc: "2.0", error: { message: expect.any(String) as string } });
    if (status === 401) expect(answer.headers["www-authenticate"]).toMatch(/^Bearer realm="handsight"/);
    if (status === 405) expect(answer.headers.allow).toBe("GET, POST, DELETE");
  });

  test("a stranger is refused before a byte of the body is read", async () => {
    const answer = await send(http, { headers: { authorization: undefined, "content-length": "3000000" }, body: "" });
    expect(answer.status).toBe(401);
  });

  test.each([undefined, "http://localhost:PORT", "http://127.0.0.1:PORT"])("Origin %s is welcome", async (origin) => {
    const own = origin?.replace("PORT", new URL(http.url).port);
    expect(await send(http, { headers: { origin: own } })).toMatchObject({ status: 200 });
  });
});

describe("options", () => {
  test("a token is made when none is given, and it is needed", async () => {
    await using http = await closing({});
    const other = await closing({});
    await using _ = other;
    expect(Buffer.from(http.token, "base64url")).toHaveLength(32);
    expect(http.token).not.toBe(other.token);
    expect((await send(http)).status).toBe(401);
    expect((await send(http, { headers: { authorization: `Bearer ${http.token}` } })).status).toBe(200);
  });

  test("a token that can be guessed is refused", async () => {
    await expect(serve({ token: "1234" })).rejects.toThrow("at least 16");
  });

  test("listens on loopback unless told otherwise", async () => {
    await using http = await closing({});
    expect(new URL(http.url).hostname).toBe("127.0.0.1");
  });

  test("more hosts and origins can be allowed", async () => {
    const origin = "https://inspector.example:8443";
    await using http = await closing({ token, allowedHosts: ["box.example"], allowedOrigins: [origin] });
    expect((await send(http, { headers: { host: "box.example:9000", origin } })).status).toBe(200);
    expect((await send(http, { headers: { origin: "https://inspector.example" } })).status).toBe(403);
  });

  test("a port in use is reported as such", async () => {
    await using http = await closing({});
    const port = Number(new URL(http.url).port);
    await expect(serveHttp(openTestSession(), { port })).rejects.toMatchObject({ code: "not_connected" });
  });
});

describe("sessions of 2025 clients", () => {
  test("end when the client deletes them", async () => {
    await using http = await closing({ token });
    const id = await begin(http);
    expect((await send(http, { headers: { "mcp-session-id": id }, body: ping })).status).toBe(200);
    expect((await send(http, { headers: { "mcp-session-id": id }, method: "DELETE" })).status).toBe(200);
    expect((await send(http, { headers: { "mcp-session-id": id }, body: ping })).status).toBe(404);
  });

  test("end after a time without use", async () => {
    await using http = await closing({ token, sessionIdleMs: 50 });
    const id = await begin(http);
    // Every request counts as use, so they are further apart than the time allowed.
    await eventually(async () => expect(await isKnown(http, id)).toBe(false), 200);
  });

  test("the one idle longest makes room for a new one", async () => {
    await using http = await closing({ token, maxSessions: 2 });
    const [first, second] = [await begin(http), await begin(http)];
    await send(http, { headers: { "mcp-session-id": first }, body: ping });
    const third = await begin(http);
    expect(await isKnown(http, second)).toBe(false);
    expect(await isKnown(http, first)).toBe(true);
    expect(await isKnown(http, third)).toBe(true);
  });

  test("one in use does not: the newcomer has to wait", async () => {
    await using http = await closing({ token, maxSessions: 1 });
    const id = await begin(http);
    const stream = openStream(http, id);
    await eventually(() => expect(stream.status()).toBe(200));
    expect(await send(http)).toMatchObject({ status: 503, headers: { "retry-after": "10" } });
    stream.close();
    await eventually(async () => expect((await send(http)).status).toBe(200));
  });
});

test("closing ends open streams and running calls", async () => {
  const events: string[] = [];
  const http = await serveHttp(openTestSession({ tell: (event) => events.push(event) }), { port: 0, token });
  const id = await begin(http);
  const params = { name: "slow", arguments: { steps: 1000, ms: 20 } };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 3, method: "tools/call", params });
  const answer = send(http, { headers: { "mcp-session-id": id }, body }).catch(() => {});
  const stream = openStream(http, id);
  await eventually(() => expect(events).toEqual(["slow: started"]));
  await http.close();
  await http.serving.idle();
  expect(events).toEqual(["slow: started", "slow: released"]);
  stream.close();
  await answer;
  await expect(send(http)).rejects.toThrow("ECONNREFUSED");
});

test("a client that sends its headers byte by byte is cut off", async () => {
  await using http = await closing({ token, patienceMs: 200 });
  const socket = connect(Number(new URL(http.url).port), "127.0.0.1");
  let answer = "";
  socket.on("data", (chunk: Buffer) => (answer += chunk.toString()));
  const closed = new Promise((resolve) => socket.once("close", resolve));
  socket.write("POST /mcp HTTP/1.1\r\nHost: localhost\r\n");
  await closed;
  expect(answer).toContain("408");
});

describe("an answer counts for the call it was asked for, once", () => {
  const yes = { permission: { action: "accept", content: { answer: "once" } } };

  test("not when nobody was asked", async () => {
    await using http = await closing({ token }, "ask");
    expect(await poke(http, "here", { inputResponses: yes })).toMatchObject({ resultType: "input_required" });
  });

  test("not twice", async () => {
    await using http = await closing({ token }, "ask");
    const { requestState } = await poke(http, "here");
    const retry = { inputResponses: yes, requestState };
    expect(await poke(http, "here", retry)).toMatchObject({ structuredContent: { poked: "here" } });
    expect(await poke(http, "here", retry)).toMatchObject({ resultType: "input_required" });
  });

  test("not for other arguments", async () => {
    await using http = await closing({ token }, "ask");
    const { requestState } = await poke(http, "here");
    const retry = { inputResponses: yes, requestState };
    expect(await poke(http, "elsewhere", retry)).toMatchObject({ resultType: "input_required" });
  });

  test("not with a forged question", async () => {
    await using http = await closing({ token }, "ask");
    const { requestState } = await poke(http, "here");
    const forged = { inputResponses: yes, requestState: `${String(requestState).slice(0, -4)}AAAA` };
    expect(await poke(http, "here", forged)).toMatchObject({ code: -32_602 });
  });

  /** One request of the 2026 revision, as it is on the wire. */
  async function poke(http: HttpServing, where: string, retry: object = {}): Promise<Record<string, unknown>> {
    const _meta = {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientInfo": { name: "raw", version: "1" },
      "io.modelcontextprotocol/clientCapabilities": { elicitation: { form: {} } },
    };
    const params = { name: "poke", arguments: { where }, ...retry, _meta };
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
    const headers = { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": "poke" };
    const { text } = await send(http, { headers, body });
    const { result, error } = JSON.parse(text) as Record<string, Record<string, unknown>>;
    return result ?? error ?? {};
  }
});

interface Ask {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string;
  readonly chunked: boolean;
}

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** Not `fetch`, which does not let a test fake Host and Origin. */
function send(http: HttpServing, ask: Partial<Ask> = {}): Promise<Answer> {
  const { method = "POST", body = method === "POST" ? initialize : "", chunked = false } = ask;
  return new Promise((resolve, reject) => {
    const length = chunked ? { "transfer-encoding": "chunked" } : { "content-length": String(Buffer.byteLength(body)) };
    const outgoing = request(
      optionsFor(http, { ...ask, method, headers: { ...length, ...ask.headers } }),
      (incoming) => {
        let text = "";
        incoming.on("data", (chunk: Buffer) => (text += chunk.toString()));
        incoming.on("end", () => resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, text }));
        incoming.on("error", reject);
      },
    );
    outgoing.on("error", reject);
    outgoing.end(body);
  });
}

function optionsFor(http: HttpServing, { method, path, headers }: Partial<Ask>): RequestOptions {
  const { port, pathname } = new URL(http.url);
  const all = {
    authorization: `Bearer ${token}`,
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    ...headers,
  };
  const given = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)) as Record<
    string,
    string
  >;
  return { host: "127.0.0.1", port, path: path ?? pathname, method, headers: given, agent: false };
}

function openStream(http: HttpServing, id: string): { status(): number; close(): void } {
  let status = 0;
  const headers = { "mcp-session-id": id, accept: "text/event-stream" };
  const outgoing = request(optionsFor(http, { method: "GET", headers }), (incoming) => {
    status = incoming.statusCode ?? 0;
    incoming.on("error", () => {});
    incoming.resume();
  });
  outgoing.on("error", () => {});
  outgoing.end();
  return { status: () => status, close: () => outgoing.destroy() };
}

async function begin(http: HttpServing): Promise<string> {
  const { status, headers } = await send(http);
  expect(status).toBe(200);
  const id = headers["mcp-session-id"];
  if (typeof id !== "string") throw new Error("no session id");
  return id;
}

async function isKnown(http: HttpServing, id: string): Promise<boolean> {
  return (await send(http, { headers: { "mcp-session-id": id }, body: ping })).status !== 404;
}

function serve(options: Partial<HttpOptions>): Promise<HttpServing> {
  return serveHttp(openTestSession(), { port: 0, token, ...options });
}

async function closing(
  options: Partial<HttpOptions>,
  policy: PolicyMode = "allow",
): Promise<HttpServing & AsyncDisposable> {
  const http = await serveHttp(openTestSession({ policy }), { port: 0, ...options });
  return { ...http, [Symbol.asyncDispose]: () => http.close() };
}
