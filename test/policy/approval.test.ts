import { request } from "node:http";
import { createConnection } from "node:net";
import { expect, test } from "vitest";
import { openApprovalPage } from "../../src/inspector/approval-page.ts";
import { eventually } from "../mcp/eventually.ts";
import { openSandbox } from "../support/cli.ts";
import { openFakeSession } from "../support/fake-session.ts";

interface Asked {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: object;
}

/** Plain HTTP: no client in between that would correct an address or a header. */
function send(port: number, path: string, { method = "GET", headers = {}, body }: Asked = {}) {
  return new Promise<{ status: number; text: string; headers: NodeJS.Dict<string | string[]> }>((resolve, reject) => {
    const sent = request({ port, path, method, headers: { host: `127.0.0.1:${port}`, ...headers } }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
      response.on("end", () => resolve({ status: response.statusCode ?? 0, text, headers: response.headers }));
    });
    sent.once("error", reject).end(body && JSON.stringify(body));
  });
}

async function open() {
  const fake = openFakeSession({}, { policy: "ask" });
  const pressed: string[] = [];
  const { questions } = fake.session.gate;
  const page = await openApprovalPage({
    questions,
    stop: () => pressed.push("stop"),
    resume: () => pressed.push("resume"),
  });
  const { port } = page;
  const origin = `http://127.0.0.1:${port}`;
  const post = (path: string, body: object, headers: Record<string, string> = {}) =>
    send(port, path, { method: "POST", headers: { origin, ...headers }, body });
  const code = new URL(page.link()).hash.slice(1);
  const enter = async () => {
    const { text } = await post("/enter", { code });
    return { "x-handsight-secret": (JSON.parse(text) as { secret: string }).secret };
  };
  const watching = new AbortController();
  return {
    ...fake,
    page,
    port,
    code,
    questions,
    post,
    enter,
    pressed,
    /** What the page itself does when it opens. */
    async look() {
      const headers = await enter();
      void fetch(`${origin}/questions`, { headers, signal: watching.signal }).catch(() => {});
      await eventually(() => expect(questions.isWatched).toBe(true));
      return (answer: string, id = questions.pending()[0]?.id) => post("/answer", { id, answer }, headers);
    },
    async [Symbol.asyncDispose]() {
      watching.abort();
      await page.close();
    },
  };
}

test("a person who has the page open is asked, and the call waits for the answer", async () => {
  await using each = await open();
  const answer = await each.look();
  const call = each.outcome("click", { x: 1, y: 1 });
  await eventually(() => expect(each.questions.pending()).toHaveLength(1));
  expect(each.backend.desktop.events).toEqual([]);
  expect((await answer("tool")).status).toBe(204);
  expect(await call).toMatchObject({ kind: "done" });
  expect(await each.outcome("click", { x: 1, y: 1 })).toMatchObject({ kind: "done" });
  expect(each.questions.pending()).toEqual([]);
});

test("a refusal on the page refuses; a page that nobody looks at refuses instead of hanging", async () => {
  await using each = await open();
  expect(await each.outcome("click", { x: 1, y: 1 })).toMatchObject({ envelope: { error: { code: "denied" } } });
  const answer = await each.look();
  const call = each.outcome("click", { x: 1, y: 1 });
  await eventually(() => expect(each.questions.pending()).toHaveLength(1));
  await answer("deny");
  expect(await call).toMatchObject({
    envelope: { error: { message: expect.stringContaining("the person asked") as string } },
  });
});

test("if two places show a question, the first answer counts", async () => {
  await using each = await open();
  const answer = await each.look();
  const asked = await each.outcome("click", { x: 1, y: 1 }, { canAsk: true });
  if (asked.kind !== "ask") throw new Error("it was not asked");
  expect((await answer("deny")).status).toBe(204);
  const late = { canAsk: true, answer: "session", questionId: asked.question.id } as const;
  expect(await each.outcome("click", { x: 1, y: 1 }, late)).toMatchObject({ envelope: { error: { code: "denied" } } });
  expect(each.backend.desktop.events).toEqual([]);
});

test("a link opens the page once; whoever comes later gets nothing", async () => {
  await using each = await open();
  const headers = await each.enter();
  expect((await each.post("/enter", { code: each.code })).status).toBe(403);
  expect((await each.post("/stop", {}, headers)).status).toBe(204);
  expect((await each.post("/resume", {}, headers)).status).toBe(204);
  expect(each.pressed).toEqual(["stop", "resume"]);
  const { headers: sent, text } = await send(each.port, "/");
  expect(sent["content-security-policy"]).toContain("frame-ancestors 'none'");
  expect(sent["access-control-allow-origin"]).toBeUndefined();
  expect(text).toContain("<title>handsight approval</title>");
  expect(text).not.toContain(each.code);
});

test("strangers get nothing: no secret, a wrong one, another host, another origin, another site", async () => {
  await using each = await open();
  const own = await each.enter();
  const tries: Record<string, string>[] = [
    {},
    { "x-handsight-secret": "x" },
    { "x-handsight-secret": each.code },
    { ...own, origin: "http://evil.test" },
    { ...own, origin: "null" },
    { ...own, host: "evil.test" },
    { ...own, host: `localhost:${each.port}` },
    { ...own, "sec-fetch-site": "cross-site" },
    { ...own, "sec-fetch-site": "same-site" },
  ];
  for (const headers of tries) expect((await each.post("/stop", {}, headers)).status).toBe(403);
  const withoutOrigin = { method: "POST", headers: own, body: {} };
  expect((await send(each.port, "/stop", withoutOrigin)).status).toBe(403);
  expect((await send(each.port, "/questions")).status).toBe(403);
  expect(each.pressed).toEqual([]);
});

test.each(["//", "/\\", "http://[", "/%", "/?%", `/${"a".repeat(5_000)}`, "*"])(
  "the address %j ends nothing",
  async (path) => {
    await using each = await open();
    const raw = createConnection(each.port, "127.0.0.1");
    raw.write(`GET ${path} HTTP/1.1\r\nhost: 127.0.0.1:${each.port}\r\nconnection: close\r\n\r\n`);
    const [status] = await new Promise<string[]>((resolve) => {
      let text = "";
      raw.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
      raw.on("close", () => resolve(text.split("\r\n")));
    });
    expect(status).toMatch(/^HTTP\/1\.1 (200|400|403|404|431)/);
    expect((await send(each.port, "/")).status).toBe(200);
  },
);

test("handsight approve says that nobody has asked", async () => {
  using sandbox = openSandbox();
  expect((await sandbox.run(["approve"])).stdout).toContain("No handsight process has asked");
});
