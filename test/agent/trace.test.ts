import { readFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runAgent, type AgentResult } from "../../src/agent/run.ts";
import { exportTrace } from "../../src/agent/trace.ts";
import { poll } from "../../src/base/async.ts";
import { openAgentDesk, scripted, type AgentDesk } from "../support/agent.ts";
import { openBrowserSession, type BrowserSession } from "../support/browser.ts";
import type { Fixture } from "../support/fixture.ts";

const viewer = fileURLToPath(new URL("../clients/node_modules/playwright-core/lib/vite/traceViewer/", import.meta.url));
const title = "GTK3 Controls";
let desk: AgentDesk;
let app: Fixture;
let run: AgentResult;
let server: Server;
let browser: BrowserSession;
let trace: Buffer;

beforeAll(async () => {
  desk = await openAgentDesk();
  app = await desk.start("gtk3_controls");
  const session = await desk.open();
  const model = scripted([
    [{ action: "click", target: "Press me", why: "The button is there." }],
    [{ action: "click", target: "No such thing", why: "A mistake." }],
    [{ action: "done", why: "It was pressed." }],
  ]);
  run = await runAgent(session, { goal: "press the button", model, where: { window: title } });
  trace = exportTrace(join(desk.runsDir, run.run_id));
  server = createServer((request, response) => {
    const path = new URL(request.url ?? "/", "http://x").pathname;
    const content = path === "/trace.zip" ? Promise.resolve(trace) : readFile(join(viewer, path));
    const headers = { "content-type": types[extname(path)] ?? "application/octet-stream" };
    content.then(
      (bytes) => response.writeHead(200, headers).end(bytes),
      () => response.writeHead(404).end(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  browser = await openBrowserSession();
  await browser.call("cdp_launch", { headless: true, args: ["--window-size=1300,900"] });
}, 120_000);

afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
  server?.closeAllConnections();
  server?.close();
  await app?.stop();
  await desk?.[Symbol.asyncDispose]();
});

const types: Readonly<Record<string, string>> = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
  ".zip": "application/zip",
};

const evaluate = async (script: string): Promise<unknown> =>
  (await browser.call("cdp_evaluate_script", { function: script }))["result"];

const seen = (script: string) =>
  poll(async () => (await evaluate(script).catch(() => undefined)) || undefined, { timeoutMs: 30_000, everyMs: 200 });

test("Playwright's own viewer opens the export of a run: its steps, its pictures, what failed", async () => {
  const { port } = server.address() as AddressInfo;
  const address = `http://127.0.0.1:${port}`;
  await browser.call("cdp_navigate", {
    url: `${address}/index.html?trace=${encodeURIComponent(`${address}/trace.zip`)}`,
  });
  const list = await seen("() => { const t = document.body.innerText; return /Step 1/.test(t) ? t : '' }");
  expect(list).toContain("Step 1: The button is there.");
  expect(list).toContain("Step 2: A mistake.");
  await evaluate(
    "() => { for (const e of document.querySelectorAll('.tree-view-entry .codicon-chevron-right')) e.click() }",
  );
  expect(
    await seen("() => [...document.querySelectorAll('.film-strip-frame, .film-strip-lane > *')].length"),
  ).toBeGreaterThan(0);
  // The viewer selects what failed by itself.
  expect(await seen("() => /No such thing/.test(document.body.innerText)")).toBe(true);
  const picture =
    "() => { for (const f of document.querySelectorAll('iframe')) { const i = f.contentDocument?.querySelector('img'); if (i?.naturalWidth > 100) return i.naturalWidth } return 0 }";
  expect(await seen(picture)).toBe(run.history[0]?.shot?.size.width);
});
