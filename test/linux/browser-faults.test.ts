import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { openVirtualDesktop } from "../../src/platform/virtual/desktop.ts";
import { browsers, startBrowser, type BrowserName } from "../support/page-browser.ts";
import { startHandsight, type Handsight } from "../support/handsight.ts";
import { kill } from "../support/xvfb.ts";

async function open(name: BrowserName, query = "") {
  const desktop = await openVirtualDesktop({ width: 1280, height: 1000, monitors: 1, scale: 1 });
  onTestFinished(() => desktop[Symbol.asyncDispose]());
  const browser = await startBrowser(name, { env: desktop.env, query });
  onTestFinished(() => browser.stop());
  const handsight = await startHandsight(desktop.env);
  onTestFinished(() => handsight[Symbol.asyncDispose]());
  const { pid } = browser;
  await handsight.call("wait_for", { condition: "element", selector: "Button:Press me", pid, timeout_ms: 20_000 });
  return { desktop, browser, handsight, pid };
}

async function uidOf(handsight: Handsight, selector: string, pid: number): Promise<string> {
  const { elements } = await handsight.call("find_elements", { selector, pid });
  const [first] = elements as { uid: string }[];
  if (!first) throw new Error(`no ${selector}`);
  return first.uid;
}

async function timed<T>(work: Promise<T>): Promise<{ readonly value: T; readonly ms: number }> {
  const started = performance.now();
  const value = await work;
  return { value, ms: performance.now() - started };
}

/** The deadline of a question is 1.5 s; a look asks several in sequence. */
const deadlineMs = 8000;

describe.each(browsers)("%s", { timeout: 150_000 }, (name) => {
  test("with a page in an endless loop answers in time and claims no effect; killed, it is not running", async () => {
    const { browser, handsight, pid } = await open(name);
    const uid = await uidOf(handsight, "Button:Press me", pid);
    await handsight.call("ax_click", { uid: await uidOf(handsight, "Button:Freeze", pid), settle_ms: 0 });
    await browser.waitFor(({ event }) => event === "frozen");
    const look = await timed(handsight.call("find_elements", { selector: "Button:Press me", pid }));
    expect(look.value).toMatchObject({ total: 1 });
    expect(look.ms).toBeLessThan(deadlineMs);
    const press = await timed(handsight.call("click", { uid, delivery: "background" }));
    expect(press.value).toMatchObject({ effect: "no_change" });
    expect(press.ms).toBeLessThan(deadlineMs);
    await browser.stop();
    const { value, ms } = await timed(handsight.ask("ax_click", { uid }));
    expect(value.data).toMatchObject({ error: { code: "process_not_running" } });
    expect(ms).toBeLessThan(deadlineMs);
  });

  test("whose page goes away while it is read answers, and its elements are gone", async () => {
    const { handsight, pid } = await open(name, "rows=1500");
    const uid = await uidOf(handsight, "Button:Press me", pid);
    const within = await uidOf(handsight, "List:Rows", pid);
    expect(await handsight.call("find_elements", { selector: "Button:Row 1400", within })).toMatchObject({ total: 1 });
    // A second tab keeps the browser alive when the first one is closed.
    await handsight.call("press_key", { key: "ctrl+t" });
    await handsight.call("press_key", { key: "ctrl+pageup", settle_ms: 0 });
    const looks = Array.from({ length: 4 }, () => handsight.ask("take_ax_snapshot", { pid, max_nodes: 5000 }));
    await handsight.call("press_key", { key: "ctrl+w", settle_ms: 0 });
    for (const { isError, data } of await Promise.all(looks)) {
      if (isError) expect(data).toMatchObject({ error: { code: expect.stringMatching(/^(timeout|ax_error)$/) } });
    }
    await handsight.call("wait_for", { condition: "element_gone", selector: "Button:Press me", pid });
    const acted = await handsight.ask("ax_click", { uid });
    expect(acted.data).toMatchObject({
      error: { code: expect.stringMatching(/^(uid_not_found|snapshot_expired)$/) },
    });
  });
});

test("Chromium exposes its pages when launch_app starts it, and the error says why when it does not", async () => {
  const profile = await mkdtemp(join(tmpdir(), "handsight-launch-"));
  onTestFinished(() => rm(profile, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }));
  await using desktop = await openVirtualDesktop({ width: 1280, height: 1000, monitors: 1, scale: 1 });
  await using handsight = await startHandsight(desktop.env);
  const page = "data:text/html,<title>Started</title><button>Hello</button>";
  const args = ["--no-sandbox", "--no-first-run", "--password-store=basic", `--user-data-dir=${profile}`, page];
  const { pid } = await handsight.call("launch_app", { app_name: "chromium", args });
  await handsight.call("wait_for", { window_title: "Started", timeout_ms: 20_000 });
  await handsight.call("wait_for", { condition: "element", selector: "Button:Hello", pid, timeout_ms: 10_000 });
  await handsight.call("quit_app", { pid });
  const silent = spawn("chromium", args, { env: desktop.env, stdio: "ignore" });
  try {
    await handsight.call("wait_for", { window_title: "Started", timeout_ms: 20_000 });
    const { data } = await handsight.ask("take_ax_snapshot", { pid: silent.pid });
    expect(data).toMatchObject({
      error: { code: "not_supported", hint: expect.stringContaining("--force-renderer-accessibility") },
    });
  } finally {
    await kill(silent);
  }
});
