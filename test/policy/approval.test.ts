import { expect, test } from "vitest";
import { openSandbox } from "../support/cli.ts";
import { openFakeSession } from "../support/fake-session.ts";
import { openApprovalPage } from "../../src/inspector/approval-page.ts";
import { eventually } from "../mcp/eventually.ts";

const at = (url: string, path: string): string => url.replace("/?", `${path}?`);

async function open() {
  const fake = openFakeSession({}, { policy: "ask" });
  let stops = 0;
  const { questions } = fake.session.gate;
  const page = await openApprovalPage({ questions, stop: () => stops++ });
  const watching = new AbortController();
  const look = async () => {
    const { body } = await fetch(at(page.url, "/questions"), { signal: watching.signal });
    return body?.getReader();
  };
  const answer = (reply: string, id = questions.pending()[0]?.id) =>
    fetch(at(page.url, "/answer"), { method: "POST", body: JSON.stringify({ id, answer: reply }) });
  return {
    ...fake,
    page,
    questions,
    look,
    answer,
    stops: () => stops,
    async [Symbol.asyncDispose]() {
      watching.abort();
      await page.close();
    },
  };
}

test("a person who has the page open is asked, and the call waits for the answer", async () => {
  await using each = await open();
  await each.look();
  await eventually(() => expect(each.questions.isWatched).toBe(true));
  const call = each.outcome("click", { x: 1, y: 1 });
  await eventually(() => expect(each.questions.pending()).toHaveLength(1));
  expect(each.backend.desktop.events).toEqual([]);
  expect((await each.answer("tool")).status).toBe(204);
  expect(await call).toMatchObject({ kind: "done" });
  expect(await each.outcome("click", { x: 1, y: 1 })).toMatchObject({ kind: "done" });
  expect(each.questions.pending()).toEqual([]);
});

test("a refusal on the page refuses; a page nobody looks at is no hang but a refusal", async () => {
  await using each = await open();
  expect(await each.outcome("click", { x: 1, y: 1 })).toMatchObject({ envelope: { error: { code: "denied" } } });
  await each.look();
  await eventually(() => expect(each.questions.isWatched).toBe(true));
  const call = each.outcome("click", { x: 1, y: 1 });
  await eventually(() => expect(each.questions.pending()).toHaveLength(1));
  await each.answer("deny");
  expect(await call).toMatchObject({
    envelope: { error: { message: expect.stringContaining("the person asked") as string } },
  });
});

test("of two places that show a question the first answer counts", async () => {
  await using each = await open();
  const asked = await each.outcome("click", { x: 1, y: 1 }, { canAsk: true });
  if (asked.kind !== "ask") throw new Error("it was not asked");
  expect((await each.answer("deny")).status).toBe(204);
  const late = { canAsk: true, answer: "session", questionId: asked.question.id } as const;
  expect(await each.outcome("click", { x: 1, y: 1 }, late)).toMatchObject({ envelope: { error: { code: "denied" } } });
  expect(each.backend.desktop.events).toEqual([]);
});

test("strangers get nothing: wrong token, other host, other origin", async () => {
  await using each = await open();
  const tries: [string, Record<string, string>][] = [
    [each.page.url.replace(/token=.*/, "token=x"), {}],
    [each.page.url.replace(/\?.*/, ""), {}],
    [each.page.url, { origin: "http://evil.test" }],
    [each.page.url, { origin: "null" }],
    [each.page.url, { host: "evil.test" }],
  ];
  for (const [url, headers] of tries) {
    const { request } = await import("node:http");
    const status = await new Promise<number | undefined>((resolve, reject) => {
      request(at(url.includes("?") ? url : `${url}?`, "/stop"), { method: "POST", headers }, (response) => {
        response.resume();
        resolve(response.statusCode);
      })
        .on("error", reject)
        .end();
    });
    expect(status).toBe(403);
  }
  expect(each.stops()).toBe(0);
  const own = await fetch(each.page.url);
  expect(own.headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
  expect(own.headers.get("access-control-allow-origin")).toBeNull();
  expect(await own.text()).toContain("<title>handsight approval</title>");
  expect((await fetch(at(each.page.url, "/stop"), { method: "POST" })).status).toBe(204);
  expect(each.stops()).toBe(1);
});

test("handsight approve says where the page is, and that there is none", async () => {
  using sandbox = openSandbox();
  expect((await sandbox.run(["approve"])).stdout).toContain("No handsight has asked");
});
