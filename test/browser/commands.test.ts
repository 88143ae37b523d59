import { mkdtemp, readlink, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { poll } from "../../src/base/async.ts";
import { servePages, type Data } from "../support/browser.ts";
import { openSandbox } from "../support/cli.ts";

test("on the command line a browser that was launched is found by the next commands [S2-98] [S2-99]", async () => {
  await using server = await servePages({
    "press.html": "<!doctype html><title>Press</title><button onclick=\"this.textContent = 'Done'\">Press me</button>",
  });
  using sandbox = openSandbox();
  const profiles = await mkdtemp(join(tmpdir(), "handsight-browser-"));
  const env = { ...sandbox.env, HANDSIGHT_POLICY: "allow", HANDSIGHT_BROWSER_DIR: profiles };
  const run = async (...args: string[]): Promise<Data> =>
    JSON.parse((await sandbox.run([...args, "--json"], { env })).stdout) as Data;
  expect(await run("cdp_list_pages")).toMatchObject({ error: { code: "not_connected" } });
  try {
    expect(await run("cdp_launch", `${server.own}/press.html`)).toMatchObject({ already_running: false });
    expect(await run("cdp_wait_for", "Press me")).toMatchObject({ text: "Press me" });
    expect(await run("cdp_find_elements", "Press me")).toMatchObject({ total: 1 });
    const clicked = await run("click", "--surface", "page:1", "--selector", "button:Press me");
    expect(clicked).toMatchObject({ effect: "confirmed", surface: "page:1" });
    const again = await run("cdp_launch", `${server.own}/controls.html`);
    expect(again).toMatchObject({
      already_running: true,
      pages: [
        { url: expect.stringContaining("press.html") as string },
        { url: `${server.own}/controls.html`, selected: true },
      ],
    });
  } finally {
    const lock = await poll(async () => readlink(join(profiles, "headless", "SingletonLock")).catch(() => undefined), {
      timeoutMs: 5_000,
      everyMs: 50,
    });
    if (lock !== undefined) process.kill(Number(lock.split("-").at(-1)), "SIGKILL");
    // Helper processes of the browser write to the profile until they notice that it has ended.
    await rm(profiles, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }
});
