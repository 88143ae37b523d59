import { existsSync } from "node:fs";
import { mkdtemp, readFile, readlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { poll } from "../../src/base/async.ts";
import {
  launchHeadless,
  openBrowserSession,
  servePages,
  type BrowserSession,
  type PageServer,
} from "../support/browser.ts";

const pages = {
  "plain.html": "<!doctype html><title>Plain</title><button onclick=\"this.textContent = 'pressed'\">Press</button>",
  // Longer than the ten-second limit for a command.
  "busy.html":
    '<!doctype html><title>Busy</title><button onclick="for (const end = Date.now() + 12000; Date.now() < end;);">Hang</button>',
  "restless.html":
    "<!doctype html><title>Restless</title><body></body><script>document.body.innerHTML = '<button>B</button>'.repeat(500); if (!location.hash || location.hash.slice(1) < 6) setTimeout(() => location.replace('?' + Math.random() + '#' + (Number(location.hash.slice(1)) + 1)), 60); else document.body.append('at rest');</script>",
  "endless.html":
    "<!doctype html><title>Endless</title><button onclick=\"for (let n = 0; n < 5; n++) alert('again ' + n); this.textContent = 'over'\">Go on</button>",
  "large.html": `<!doctype html><title>Large</title><body>${"<div><p>Some text in a paragraph of a very long page.</p><button>Buy</button></div>\n".repeat(120_000)}<button>The last one</button></body>`,
  "leaving.html":
    "<!doctype html><title>Leaving</title><input aria-label=Name><script>addEventListener('beforeunload', (e) => e.preventDefault())</script>",
  // Form fields and named forms can hide properties of the same name.
  "hiding.html": `<!doctype html><title>Hiding</title><img name=title alt=""><form name=title id=login aria-label=Login>
<input name=id aria-label=Number><input name=title aria-label=Title><button>Go</button></form>
<div role=heading aria-level=1e999>Deep</div><div role=slider aria-label=Endless aria-valuemin=-1e999 aria-valuemax=1e999 aria-valuenow=1e999></div>
<div style="transform: scale(1e30)"><button>Huge</button></div>`,
  "waiting.html": '<!doctype html><title>Waiting</title><a href="/never">Wait</a>',
  "permission.html":
    "<!doctype html><title>Permission</title><button onclick=\"navigator.geolocation.getCurrentPosition(() => {}, () => {}); this.textContent = 'asked'\">Where am I</button>",
};

let server: PageServer;
let browser: BrowserSession & { readonly port: number };

beforeAll(async () => {
  server = await servePages(pages);
  const rules = join(await mkdtemp(join(tmpdir(), "handsight-rules-")), "policy.json");
  await writeFile(rules, JSON.stringify({ urls: { allow: ["http://*", "about:blank", "chrome://crash"] } }));
  browser = await launchHeadless({ rules });
});
afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
  await server?.[Symbol.asyncDispose]();
});
beforeEach(async () => {
  await browser.call("cdp_navigate", { url: `${server.own}/plain.html` });
});

const works = async (): Promise<void> => {
  await browser.call("cdp_navigate", { url: `${server.own}/plain.html` });
  expect(await browser.call("cdp_click", { uid: await browser.find("Press") })).toMatchObject({ effect: "confirmed" });
};

test("invalid names and numbers are no reason to refuse a page", async () => {
  await browser.call("cdp_navigate", { url: `${server.own}/hiding.html` });
  const { snapshot, title } = await browser.call("cdp_take_dom_snapshot");
  expect(title).toBe("Hiding");
  for (const name of ["Login", "Number", "Title", "Go", "Deep", "Endless", "Huge"]) expect(snapshot).toContain(name);
  expect(await browser.call("cdp_fill", { uid: await browser.find("Number"), value: "7" })).toMatchObject({
    effect: "confirmed",
  });
});

test("a page that navigates during a snapshot is read where it comes to rest", async () => {
  await browser.call("cdp_navigate", { url: `${server.own}/restless.html` });
  for (let look = 0; look < 6; look++) {
    expect((await browser.call("cdp_take_dom_snapshot"))["nodes"]).toBeGreaterThan(0);
  }
  await browser.call("cdp_wait_for", { text: ["at rest"] });
});

test("a crashed page says so within the deadline, and can be loaded again", async () => {
  // The browser reports a crash twice; several rounds, so that the page is loading again between the two.
  for (let round = 0; round < 5; round++) {
    await browser.call("cdp_navigate", { url: "chrome://crash", timeout: 3_000 }).catch(() => undefined);
    expect(await browser.fails("cdp_take_dom_snapshot")).toMatchObject({
      code: "process_not_running",
      message: expect.stringContaining("crashed") as string,
    });
    await works();
  }
});

test("a page that somebody closes is gone, the others continue", async () => {
  const url = `${server.own}/plain.html?to-be-closed`;
  await browser.call("cdp_new_page", { url });
  const uid = await browser.find("Press");
  await using other = await openBrowserSession();
  const { pages: open } = await other.call("cdp_connect", { port: browser.port });
  // Browsers list their pages in their own order.
  const index = (open as readonly { url: string }[]).findIndex((page) => page.url === url);
  const [error] = await Promise.all([
    poll(
      async () =>
        browser.call("cdp_click", { uid, settle_ms: 50 }).then(
          () => undefined,
          (reason: unknown) => reason as { code: string },
        ),
      { timeoutMs: 10_000, everyMs: 20 },
    ),
    other.call("cdp_close_page", { page_idx: index }),
  ]);
  expect(["window_gone", "snapshot_expired"]).toContain(error?.code);
  const { pages } = await browser.call("cdp_list_pages", {});
  expect((pages as readonly { url: string }[]).map((page) => page.url)).not.toContain(url);
  await works();
});

test("endless dialogs are answered one by one, each reported by the previous call", async () => {
  await browser.call("cdp_navigate", { url: `${server.own}/endless.html` });
  let data = await browser.call("cdp_click", { uid: await browser.find("Go on") });
  for (let count = 0; count < 5; count++) {
    expect(data["dialog"]).toMatchObject({ message: `again ${count}` });
    data = await browser.call("cdp_handle_dialog", { action: "accept" });
  }
  expect(data).not.toHaveProperty("dialog");
  expect(await browser.find("over")).toMatch(/^d/);
});

test("a dialog that wants to keep the page is reported and does not hang", async () => {
  await browser.call("cdp_navigate", { url: `${server.own}/leaving.html` });
  await browser.call("cdp_fill", { uid: await browser.find("Name"), value: "x" });
  const data = await browser.call("cdp_navigate", { url: `${server.own}/plain.html` });
  expect(data["dialog"]).toMatchObject({ type: "beforeunload" });
  await browser.call("cdp_handle_dialog", { action: "accept" });
  await works();
});

test("after choosing to stay, the page can be used at once", async () => {
  await browser.call("cdp_navigate", { url: `${server.own}/leaving.html` });
  await browser.call("cdp_fill", { uid: await browser.find("Name"), value: "x" });
  for (const how of [{ url: `${server.own}/plain.html` }, { type: "reload" }, { type: "reload" }]) {
    const data = await browser.call("cdp_navigate", how);
    expect(data).toMatchObject({
      dialog: { type: "beforeunload" },
      message: expect.stringContaining("A dialog is open on") as string,
    });
    const stayed = await browser.call("cdp_handle_dialog", { action: "dismiss" });
    expect(stayed).not.toHaveProperty("warning");
  }
  expect(await browser.call("cdp_fill", { uid: await browser.find("Name"), value: "y" })).not.toHaveProperty("warning");
  await browser.call("cdp_navigate", { url: `${server.own}/plain.html` });
  await browser.call("cdp_handle_dialog", { action: "accept" });
  await works();
});

test("a permission the page asks for does not hang the call", async () => {
  await browser.call("cdp_navigate", { url: `${server.own}/permission.html` });
  expect(await browser.call("cdp_click", { uid: await browser.find("Where am I") })).toMatchObject({
    effect: "confirmed",
  });
  await works();
});

test("a server that never answers costs the time allowed and no more", async () => {
  const started = performance.now();
  const outcome = await browser
    .call("cdp_navigate", { url: `${server.own}/never`, timeout: 1_000 })
    .catch((error: unknown) => error);
  expect(performance.now() - started).toBeLessThan(15_000);
  expect(outcome).toBeDefined();
  await works();
});

test("a link to a server that never answers can be clicked, and the page recovered", async () => {
  await browser.call("cdp_navigate", { url: `${server.own}/waiting.html` });
  const data = await browser.call("cdp_click", { uid: await browser.find("Wait") });
  expect(data).toMatchObject({
    effect: "confirmed",
    dispatched_via: "mouse",
    warning: expect.stringContaining("still loading") as string,
  });
  expect((await browser.fails("cdp_find_elements", { query: "Wait" })).message).toContain("still loading");
  await works();
});

test("a page that hangs costs its deadline; the next page works", async () => {
  await browser.call("cdp_navigate", { url: `${server.own}/busy.html` });
  const uid = await browser.find("Hang");
  const error = await browser.fails("cdp_click", { uid });
  expect(error).toMatchObject({ code: "timeout" });
  await browser.call("cdp_new_page", { url: `${server.own}/plain.html` });
  expect(await browser.call("cdp_click", { uid: await browser.find("Press") })).toMatchObject({ effect: "confirmed" });
  await browser.call("cdp_close_page", { page_idx: 1 });
  await poll(
    async () =>
      browser.call("cdp_navigate", { url: `${server.own}/plain.html` }).then(
        () => true,
        () => undefined,
      ),
    { timeoutMs: 40_000, everyMs: 500 },
  );
});

test("a document of 10 MB is read within the budget", async () => {
  await browser.call("cdp_navigate", { url: `${server.own}/large.html`, timeout: 60_000 });
  const data = await browser
    .call("cdp_take_dom_snapshot", { max_nodes: 100 })
    .catch((error: unknown) => error as Record<string, unknown>);
  // Either it is read, or the call fails at its deadline.
  if ("nodes" in data) expect(data["nodes"]).toSatisfy((listed: number) => listed > 0 && listed <= 100);
  else expect(data).toMatchObject({ code: "timeout" });
  await works();
}, 120_000);

test("a cancelled wait ends at once", async () => {
  const controller = new AbortController();
  const waiting = browser.call("cdp_wait_for", { text: ["never"], timeout: 30_000 }, controller.signal);
  setTimeout(() => controller.abort(), 100);
  await expect(waiting).rejects.toMatchObject({ code: "cancelled" });
  await works();
});

test("a browser killed in the middle of a click is reported, and found again when it is back", async () => {
  await using own = await openBrowserSession();
  const first = await own.call("cdp_launch", { headless: true, url: `${server.own}/busy.html` });
  await own.call("cdp_wait_for", { text: ["Hang"] });
  const uid = await own.find("Hang");
  const clicking = own.call("cdp_click", { uid });
  clicking.catch(() => undefined);
  const pid = await browserPid(own.profiles);
  const socket = await readlink(`${own.profiles}/headless/SingletonSocket`);
  setTimeout(() => process.kill(-pid, "SIGKILL"), 300);
  await expect(clicking).rejects.toMatchObject({ code: "not_connected" });
  expect(await own.fails("cdp_list_pages")).toMatchObject({ code: "not_connected" });
  const again = await own.call("cdp_launch", { headless: true, url: `${server.own}/plain.html` });
  expect(again["already_running"]).toBe(false);
  expect(again["port"]).not.toBe(first["port"]);
  await own.call("cdp_wait_for", { text: ["Press"] });
  expect(await own.find("Press")).toMatch(/^d/);
  const same = await own.call("cdp_launch", { headless: true });
  expect(same).toMatchObject({ already_running: true, port: again["port"] });
  // Nothing is left of the killed one: its folder in TMPDIR is gone, and its port is no longer tried.
  expect(existsSync(dirname(socket))).toBe(false);
  expect(await own.call("cdp_disconnect")).toMatchObject({ disconnected: 1 });
});

/** The leader of the browser's process group, found by the lock in its profile. */
async function browserPid(profiles: string): Promise<number> {
  const lock = await readlink(`${profiles}/headless/SingletonLock`);
  const pid = Number(lock.split("-").at(-1));
  const stat = await readFile(`/proc/${pid}/stat`, "utf8");
  return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[2]);
}
