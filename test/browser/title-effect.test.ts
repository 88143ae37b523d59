import { mkdtemp, readlink, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { servePages, type Data } from "../support/browser.ts";
import { openSandbox } from "../support/cli.ts";

test("a command that changes only the title of a page, which an earlier command opened, is confirmed", async () => {
  await using server = await servePages({
    "rename.html": "<!doctype html><title>Press</title><button onclick=\"document.title += '!'\">Rename</button>",
  });
  using sandbox = openSandbox();
  const profiles = await mkdtemp(join(tmpdir(), "handsight-browser-"));
  const env = { ...sandbox.env, HANDSIGHT_POLICY: "allow", HANDSIGHT_BROWSER_DIR: profiles };
  const run = async (...args: string[]): Promise<Data> =>
    JSON.parse((await sandbox.run([...args, "--json"], { env })).stdout) as Data;
  try {
    await run("cdp_launch", `${server.own}/rename.html`);
    await run("cdp_wait_for", "Rename");
    for (const title of ["Press", "Press!"]) {
      const renamed = await run("click", "--surface", "page:1", "--selector", "button:Rename");
      expect(renamed).toMatchObject({ effect: "confirmed", target: { window_title: title } });
    }
    await run("cdp_close");
  } finally {
    const lock = await readlink(join(profiles, "headless", "SingletonLock")).catch(() => undefined);
    if (lock !== undefined) process.kill(Number(lock.split("-").at(-1)), "SIGKILL");
    await rm(profiles, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }
});
