import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { poll } from "../../src/base/async.ts";
import { servePages, type PageServer } from "../support/browser.ts";
import { startHandsight, type Handsight } from "../support/handsight.ts";
import { startDesktop } from "../support/xvfb.ts";

const pages = {
  "shop.html":
    "<!doctype html><title>Shop</title><form action=results.html><label>Search the shop <input name=q type=search></label></form>",
  "results.html":
    "<!doctype html><title>Results</title><h1>Results</h1><p id=n></p><script>n.textContent = 'Results for ' + new URLSearchParams(location.search).get('q')</script><a href=item.html>Blue shoes, size 42</a>",
  "item.html":
    "<!doctype html><title>Blue shoes</title><h1>Blue shoes</h1><button onclick=\"this.textContent = 'In the cart'\">Add to cart</button>",
  "app.html":
    "<!doctype html><title>Notes</title><button onclick=\"document.body.insertAdjacentHTML('beforeend', '<label>Title <input></label>')\">New note</button>",
};

let server: PageServer;
beforeAll(async () => {
  server = await servePages(pages);
});
afterAll(async () => server?.[Symbol.asyncDispose]());

async function find(handsight: Handsight, query: string): Promise<string> {
  const { matches } = await handsight.call("cdp_find_elements", { query });
  const [first] = matches as { uid: string }[];
  if (!first) throw new Error(`nothing is called ${query}`);
  return first.uid;
}

test.each(["headless", "headed"])(
  "the worked example of a shop runs through an MCP client, %s [S2-121]",
  async (how) => {
    await using desktop = await startDesktop();
    const profiles = await mkdtemp(join(tmpdir(), "handsight-profile-"));
    {
      await using handsight = await startHandsight(desktop.env, ["--browser-dir", profiles]);
      await handsight.call("cdp_launch", { headless: how === "headless" });
      await handsight.call("cdp_navigate", { url: `${server.own}/shop.html` });
      await handsight.call("cdp_fill", { uid: await find(handsight, "Search the shop"), value: "shoes" });
      const entered = await handsight.call("cdp_press_key", { key: "Enter" });
      expect(entered["changes"]).toMatchObject({ url: { to: `${server.own}/results.html?q=shoes` } });
      const waited = await handsight.call("cdp_wait_for", { text: ["Results for shoes"] });
      expect(waited["message"]).toMatch(/appeared after \d+ms/);
      await handsight.call("cdp_click", { uid: await find(handsight, "Blue shoes") });
      const added = await handsight.call("cdp_click", { uid: await find(handsight, "Add to cart") });
      expect(added["node_after"]).toMatchObject({ name: "In the cart" });
    }
    await rm(profiles, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  },
);

test("the worked example of an Electron app runs on an app window of Chromium [S2-122]", async () => {
  await using desktop = await startDesktop();
  const profile = await mkdtemp(join(tmpdir(), "handsight-app-"));
  const port = await freePort();
  const start = (): void => {
    desktop.spawn("chromium", [
      ...(process.getuid?.() === 0 ? ["--no-sandbox"] : []),
      "--no-first-run",
      "--password-store=basic",
      "--disable-dev-shm-usage",
      `--user-data-dir=${profile}`,
      `--remote-debugging-port=${port}`,
      `--app=${server.own}/app.html`,
    ]);
  };
  {
    await using handsight = await startHandsight(desktop.env);
    start();
    const connected = await poll(
      async () =>
        handsight.call("cdp_connect", { port }).then(
          (data) => ((data["pages"] as unknown[]).length > 0 ? data : undefined),
          () => undefined,
        ),
      { timeoutMs: 30_000, everyMs: 200 },
    );
    expect(connected?.["pages"]).toHaveLength(1);
    await handsight.call("cdp_wait_for", { text: ["New note"] });
    const before = await handsight.call("cdp_take_dom_snapshot");
    const [, button = ""] = /(d\d+) button "New note"/.exec(String(before["snapshot"])) ?? [];
    await handsight.call("cdp_click", { uid: button });
    const after = await handsight.call("cdp_take_dom_snapshot");
    const [, field = ""] = /(d\d+) textbox "Title"/.exec(String(after["snapshot"])) ?? [];
    const filled = await handsight.call("cdp_fill", { uid: field, value: "Shopping" });
    expect(filled).toMatchObject({ effect: "confirmed", node_after: { value: "Shopping" } });
    const windows = await handsight.call("list_windows", { filter: "Notes" });
    expect(windows["windows"]).toHaveLength(1);
    await handsight.call("quit_app", { pid: (windows["windows"] as { pid: number }[])[0]?.pid, force: true });
  }
  await rm(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
});

async function freePort(): Promise<number> {
  const { createServer } = await import("node:net");
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, "127.0.0.1", resolve));
  const { port } = probe.address() as { port: number };
  await new Promise((resolve) => probe.close(resolve));
  return port;
}
