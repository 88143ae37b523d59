import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp } from "node:fs/promises";
import { createServer as createHttpServer } from "node:http";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import {
  launchHeadless,
  openBrowserSession,
  servePages,
  type BrowserSession,
  type PageServer,
} from "../support/browser.ts";
import { removeFolder } from "../support/remove-folder.ts";

const pages = {
  "one.html":
    "<!doctype html><title>One</title><button onclick=\"this.textContent = 'Pressed one'\">Press one</button>",
  "two.html":
    "<!doctype html><title>Two</title><button onclick=\"this.textContent = 'Pressed two'\">Press two</button>",
};

let server: PageServer;
beforeAll(async () => {
  server = await servePages(pages);
});
afterAll(async () => server?.[Symbol.asyncDispose]());

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, "127.0.0.1", resolve));
  const { port } = probe.address() as { port: number };
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

/** A browser that somebody else starts and ends. */
async function startOther(port: number, page: string): Promise<{ end(): Promise<void> }> {
  const profile = await mkdtemp(join(tmpdir(), "handsight-other-"));
  const child: ChildProcess = spawn(
    "chromium",
    [
      ...(process.getuid?.() === 0 ? ["--no-sandbox"] : []),
      "--headless=new",
      "--no-first-run",
      "--disable-dev-shm-usage",
      `--user-data-dir=${profile}`,
      `--remote-debugging-port=${port}`,
      `${server.own}/${page}`,
    ],
    { stdio: "ignore", detached: true },
  );
  const end = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null && child.pid !== undefined) {
      process.kill(-child.pid, "SIGKILL");
      await once(child, "exit");
    }
    await removeFolder(profile);
  };
  onTestFinished(end);
  return { end };
}

async function connects(browser: BrowserSession, port: number, text: string): Promise<void> {
  await expect
    .poll(
      () =>
        browser.call("cdp_connect", { port }).then(
          (data) => data["pages"],
          () => [],
        ),
      { timeout: 30_000, interval: 100 },
    )
    .toHaveLength(1);
  await browser.call("cdp_wait_for", { text: [text], timeout: 20_000 });
}

test("two browsers are driven at once, each by its own handle", async () => {
  await using browser = await launchHeadless();
  const port = await freePort();
  await startOther(port, "two.html");
  await browser.call("cdp_navigate", { url: `${server.own}/one.html` });
  await connects(browser, port, "Press two");
  const { pages: open } = await browser.call("cdp_list_pages");
  const [first, second] = open as { surface: string; browser: string; title: string; selected: boolean }[];
  expect([first?.browser, second?.browser]).toEqual(["browser:1", "browser:2"]);
  expect(second?.selected).toBe(true);
  const uidOn = async (query: string, surface: string | undefined): Promise<string> => {
    const { matches } = await browser.call("cdp_find_elements", { query, surface });
    return (matches as { uid: string }[])[0]?.uid ?? "";
  };
  const [one, two] = [await uidOn("Press one", first?.surface), await uidOn("Press two", second?.surface)];
  // A uid knows its page, whichever is selected.
  expect(await browser.call("cdp_click", { uid: one })).toMatchObject({
    surface: first?.surface,
    node_after: { name: "Pressed one" },
  });
  expect(await browser.call("cdp_click", { uid: two })).toMatchObject({
    surface: second?.surface,
    node_after: { name: "Pressed two" },
  });
  const opened = await browser.call("cdp_new_page", { url: `${server.own}/two.html`, browser: "browser:1" });
  expect(opened["effect"]).toBe("confirmed");
  expect(await browser.call("cdp_disconnect", { browser: "browser:2" })).toMatchObject({ disconnected: 1 });
  expect(await browser.fails("cdp_click", { uid: two })).toMatchObject({ code: "snapshot_expired" });
  expect(await browser.find("Press two")).toMatch(/^d/);
}, 60_000);

test("a browser that comes back on its port is found by the next call; what was known of it has expired", async () => {
  await using browser = await openBrowserSession();
  const port = await freePort();
  const first = await startOther(port, "one.html");
  await connects(browser, port, "Press one");
  const uid = await browser.find("Press one");
  await first.end();
  await expect
    .poll(() => browser.fails("cdp_list_pages").then(({ code }) => code), { timeout: 10_000 })
    .toBe("not_connected");
  await startOther(port, "one.html");
  await expect
    .poll(
      () =>
        browser.find("Press one").then(
          (found) => found,
          () => undefined,
        ),
      { timeout: 30_000, interval: 100 },
    )
    .toMatch(/^d\d+$/);
  expect(await browser.fails("cdp_click", { uid })).toMatchObject({ code: "snapshot_expired" });
  expect(await browser.call("cdp_click", { uid: await browser.find("Press one") })).toMatchObject({
    effect: "confirmed",
  });
}, 90_000);

test("waiting in one page blocks nobody in another, in any process", async () => {
  const silent = createHttpServer();
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    silent.closeAllConnections();
    silent.close();
  });
  await using first = await launchHeadless();
  await using second = await openBrowserSession();
  await second.call("cdp_connect", { port: first.port });
  await second.call("cdp_new_page", { url: `${server.own}/two.html` });
  const button = await second.find("Press two");
  const order: string[] = [];
  const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/`;
  const asked = once(silent, "request");
  const waiting = first.fails("cdp_navigate", { url, timeout: 5_000 }).then(() => order.push("waited"));
  await asked;
  expect(await second.call("cdp_click", { uid: button })).toMatchObject({ effect: "confirmed" });
  order.push("clicked");
  await waiting;
  expect(order).toEqual(["clicked", "waited"]);
}, 60_000);
