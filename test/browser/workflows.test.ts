import { spawn, type ChildProcess } from "node:child_process";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Rect } from "../../src/base/geometry.ts";
import { openVirtualDesktop } from "../../src/platform/virtual/desktop.ts";
import { servePages, type PageServer } from "../support/browser.ts";
import { startHandsight, type Handsight } from "../support/handsight.ts";
import { startDesktop } from "../support/xvfb.ts";
import { removeFolder } from "../support/remove-folder.ts";

const pages = {
  "shop.html":
    "<!doctype html><title>Shop</title><form action=results.html><label>Search the shop <input name=q type=search></label></form>",
  "results.html":
    "<!doctype html><title>Results</title><h1>Results</h1><p id=n></p><script>n.textContent = 'Results for ' + new URLSearchParams(location.search).get('q')</script><a href=item.html>Blue shoes, size 42</a>",
  "item.html":
    "<!doctype html><title>Blue shoes</title><h1>Blue shoes</h1><button onclick=\"this.textContent = 'In the cart'\">Add to cart</button>",
  "app.html":
    "<!doctype html><title>Notes</title><button onclick=\"document.body.insertAdjacentHTML('beforeend', '<label>Title <input></label>')\">New note</button><script>addEventListener('mousedown', (e) => { if (e.isTrusted) globalThis.clicked = [e.clientX, e.clientY]; })</script>",
};

const qtProgram = fileURLToPath(new URL("../fixtures/qt6_web.py", import.meta.url));

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

test.each(["headless", "headed, launched with a debug port [S2-5i]"])(
  "the worked example of a shop runs through an MCP client, %s [S2-121]",
  async (how) => {
    await using desktop = await startDesktop();
    const profiles = await mkdtemp(join(tmpdir(), "handsight-profile-"));
    {
      await using handsight = await startHandsight(desktop.env, ["--browser-dir", profiles]);
      if (how === "headless") await handsight.call("cdp_launch", { headless: true });
      else await launchAndConnect(handsight, profiles);
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
    await removeFolder(profiles);
  },
);

/** As a person would start a browser to be connected to: with a port and a profile of its own. */
async function launchAndConnect(handsight: Handsight, profiles: string): Promise<void> {
  const port = await freePort();
  const sandbox = isRoot ? ["--no-sandbox"] : [];
  const args = [...sandbox, "--no-first-run", `--remote-debugging-port=${port}`, `--user-data-dir=${profiles}/own`];
  await handsight.call("launch_app", { app_name: "chromium", args, timeout_ms: 60_000 });
  await handsight.call("cdp_connect", { port });
}

interface App {
  readonly name: string;
  readonly isHeaded: boolean;
  /** Its program, switches and environment; without a port it cannot be connected to. */
  start(
    folder: string,
    port: number | undefined,
  ): {
    readonly command: string;
    readonly args: readonly string[];
    readonly env?: NodeJS.ProcessEnv;
  };
  readonly canOpenPages: boolean;
}

const isRoot = process.getuid?.() === 0;

const chromiumApp = (isHeaded: boolean): App => ({
  name: `an app window of Chromium, ${isHeaded ? "headed" : "headless"}`,
  isHeaded,
  canOpenPages: true,
  start: (folder, port) => ({
    command: "chromium",
    args: [
      ...(isRoot ? ["--no-sandbox"] : []),
      ...(isHeaded ? [] : ["--headless=new"]),
      "--no-first-run",
      "--password-store=basic",
      "--disable-dev-shm-usage",
      `--user-data-dir=${folder}`,
      ...(port === undefined ? [] : [`--remote-debugging-port=${port}`]),
      `--app=${server.own}/app.html`,
    ],
  }),
});

const qtApp = (isHeaded: boolean): App => ({
  name: `a QtWebEngine program, ${isHeaded ? "headed" : "headless"}`,
  isHeaded,
  canOpenPages: false,
  start: (folder, port) => ({
    command: "/usr/bin/python3",
    args: [qtProgram, `${server.own}/app.html`],
    env: {
      XDG_DATA_HOME: folder,
      XDG_CACHE_HOME: folder,
      QTWEBENGINE_CHROMIUM_FLAGS: "--disable-gpu",
      ...(isRoot ? { QTWEBENGINE_DISABLE_SANDBOX: "1" } : {}),
      ...(isHeaded ? {} : { QT_QPA_PLATFORM: "offscreen" }),
      ...(port === undefined ? {} : { QTWEBENGINE_REMOTE_DEBUGGING: String(port) }),
    },
  }),
});

const notes = async (handsight: Handsight): Promise<readonly { pid: number; bounds: Rect }[]> =>
  (await handsight.call("list_windows", { filter: "Notes" }))["windows"] as { pid: number; bounds: Rect }[];

test.each([chromiumApp(true), chromiumApp(false), qtApp(true), qtApp(false)])(
  "the worked example of an Electron app runs on $name [S2-122]",
  { timeout: 120_000 },
  async (app) => {
    await using desktop = await openVirtualDesktop({ width: 1280, height: 800, monitors: 1, scale: 1 });
    const folder = await mkdtemp(join(tmpdir(), "handsight-app-"));
    const port = await freePort();
    const children: ChildProcess[] = [];
    try {
      await using handsight = await startHandsight(desktop.env);
      const start = async (given: number | undefined): Promise<void> => {
        const { command, args, env } = app.start(folder, given);
        // Its port comes in the environment, which launch_app does not change; without a window nothing is waited for.
        if (env || !app.isHeaded) {
          children.push(spawn(command, args, { env: { ...desktop.env, ...env }, stdio: "ignore", detached: true }));
        } else await handsight.call("launch_app", { app_name: command, args, timeout_ms: 60_000 });
      };
      if (app.isHeaded) {
        await start(undefined);
        await handsight.call("wait_for", { window_title: "Notes", timeout_ms: 60_000 });
        expect(await handsight.ask("cdp_connect", { port })).toMatchObject({
          isError: true,
          data: { error: { code: "not_connected" } },
        });
        await handsight.call("quit_app", { pid: (await notes(handsight))[0]?.pid, force: true });
        await expect.poll(() => notes(handsight), { timeout: 10_000 }).toEqual([]);
      }
      await start(port);
      const connect = async (): Promise<unknown> => {
        const { isError, data } = await handsight.ask("cdp_connect", { port });
        return isError ? [] : data["pages"];
      };
      await expect.poll(connect, { timeout: 60_000, interval: 200 }).toHaveLength(1);
      await handsight.call("cdp_wait_for", { text: ["New note"], timeout: 30_000 });
      const before = await handsight.call("cdp_take_dom_snapshot");
      const [, button = ""] = /(d\d+) button "New note"/.exec(String(before["snapshot"])) ?? [];
      expect(await handsight.call("cdp_click", { uid: button })).toMatchObject({ effect: "confirmed" });
      const after = await handsight.call("cdp_take_dom_snapshot");
      const [, field = ""] = /(d\d+) textbox "Title"/.exec(String(after["snapshot"])) ?? [];
      const filled = await handsight.call("cdp_fill", { uid: field, value: "Shopping" });
      expect(filled).toMatchObject({ effect: "confirmed", node_after: { value: "Shopping" } });
      if (!app.canOpenPages) {
        expect(await handsight.ask("cdp_new_page", { url: "about:blank" })).toMatchObject({
          isError: true,
          data: { error: { code: "not_supported", candidates: [expect.stringContaining("Notes")] } },
        });
      }
      if (app.isHeaded) await agreesWithTheScreen(handsight);
    } finally {
      for (const { pid } of children) killGroup(pid);
      await removeFolder(folder);
    }
  },
);

/** A click on the desktop reaches the page at the point that was reported. */
async function agreesWithTheScreen(handsight: Handsight): Promise<void> {
  const [window] = await notes(handsight);
  if (!window) throw new Error("the window has gone");
  const { x, y, width, height } = window.bounds;
  const at = { x: Math.round(x + width / 2), y: Math.round(y + height / 2) };
  // QtWebEngine knows its place once a pointer has been there.
  await handsight.call("move_mouse", { x: at.x - 20, y: at.y - 20 });
  await handsight.call("move_mouse", { x: at.x - 10, y: at.y - 10 });
  const found = await handsight.call("cdp_element_at_point", at);
  await handsight.call("click", { ...at, settle_ms: 0 });
  const clicked = async (): Promise<unknown> =>
    (await handsight.call("cdp_evaluate_script", { function: "() => globalThis.clicked ?? null", settle_ms: 0 }))[
      "result"
    ];
  await expect.poll(clicked, { timeout: 5_000 }).not.toBeNull();
  const [pageX, pageY] = (await clicked()) as [number, number];
  expect(Math.abs(pageX - Number(found["page_x"]))).toBeLessThanOrEqual(1);
  expect(Math.abs(pageY - Number(found["page_y"]))).toBeLessThanOrEqual(1);
}

function killGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, "SIGKILL");
  } catch {
    // It has already ended.
  }
}

async function freePort(): Promise<number> {
  const { createServer } = await import("node:net");
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, "127.0.0.1", resolve));
  const { port } = probe.address() as { port: number };
  await new Promise((resolve) => probe.close(resolve));
  return port;
}
