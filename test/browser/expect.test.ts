import { afterAll, beforeAll, expect, test } from "vitest";
import { launchHeadless, servePages, type BrowserSession, type PageServer } from "../support/browser.ts";

let server: PageServer;
let browser: BrowserSession;

beforeAll(async () => {
  server = await servePages({
    "late.html": `<!doctype html><title>Late</title>
      <button onclick="setTimeout(() => out.textContent = 'Saved 7', 300)">Save</button>
      <label><input type=checkbox> Wrap</label>
      <a href="?next">Next</a><p id=out role=status>nothing yet</p>`,
  });
  browser = await launchHeadless();
  await browser.call("cdp_navigate", { url: `${server.own}/late.html` });
});
afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
  await server?.[Symbol.asyncDispose]();
});

test("an action on a page waits for texts, states and addresses", async () => {
  const save = await browser.find("Save");
  expect(await browser.call("cdp_click", { uid: save, settle_ms: 0, expect: "Saved 7" })).toMatchObject({
    ok: true,
    expected: { met: true, match: { text: "Saved 7" } },
  });
  const wrap = await browser.find("Wrap");
  expect(await browser.call("cdp_click", { uid: wrap, expect: { checked: true } })).toMatchObject({
    expected: { met: true, element: { uid: wrap } },
  });
  const general = { text: "Save", surface: "page:1" };
  expect(await browser.call("click", { ...general, expect: { text: "Saved 8", timeout_ms: 300 } })).toMatchObject({
    ok: false,
    expected: { met: false, candidates: expect.arrayContaining(["Saved 7"]) },
  });
  const next = await browser.find("Next");
  expect(await browser.call("cdp_click", { uid: next, expect: { url: "?next" } })).toMatchObject({
    expected: { met: true },
  });
});

test("an action on a page shows a snapshot with uids, or marks", async () => {
  const wrap = await browser.find("Wrap");
  const { now } = await browser.call("cdp_click", { uid: wrap, observe: "snapshot" });
  expect(now).toMatchObject({ snapshot: expect.stringMatching(/d\d+ checkbox "Wrap".*checked/) });
  const marked = await browser.call("cdp_click", { uid: wrap, observe: "marks" });
  expect(marked["now"]).toMatchObject({ legend: expect.stringContaining('button "Save"') });
});
