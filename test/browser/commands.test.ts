import { mkdir, mkdtemp, readdir, readFile, readlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { launchHeadless, openBrowserSession, servePages, type Data } from "../support/browser.ts";
import { openSandbox } from "../support/cli.ts";
import { removeFolder } from "../support/remove-folder.ts";

test("on the command line a browser that was launched is found by the next commands, with what its pages have stored [S2-98] [S2-99]", async () => {
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
    const script = (code: string) => run("cdp_evaluate_script", `() => ${code}`);
    expect(await script("localStorage.setItem('kept', 'yes')")).not.toHaveProperty("error");
    const [port] = (await readFile(join(profiles, "headless", "DevToolsActivePort"), "utf8")).split("\n");
    expect(await run("cdp_close")).toMatchObject({ closed: 1 });
    expect(await readdir(join(profiles, "headless"))).not.toContain("SingletonLock");
    await expect(fetch(`http://127.0.0.1:${port}/json/version`)).rejects.toThrow("fetch failed");
    expect(await run("cdp_close")).toMatchObject({ error: { code: "not_connected" } });
    expect(await run("cdp_launch", `${server.own}/press.html`)).toMatchObject({ already_running: false });
    expect(await script("localStorage.getItem('kept')")).toMatchObject({ result: "yes" });
    expect(await run("cdp_close")).toMatchObject({ closed: 1 });
  } finally {
    const lock = await readlink(join(profiles, "headless", "SingletonLock")).catch(() => undefined);
    if (lock !== undefined) process.kill(Number(lock.split("-").at(-1)), "SIGKILL");
    // Helper processes of the browser write to the profile until they notice that it has ended.
    await removeFolder(profiles);
  }
});

test("never closes a browser that handsight has not started, not even one that took over the port of ours", async () => {
  await using browser = await launchHeadless();
  using sandbox = openSandbox();
  const profile = join(sandbox.folder, "browsers", "headless");
  await mkdir(profile, { recursive: true });
  await writeFile(join(profile, "DevToolsActivePort"), `${browser.port}\n/devtools/browser/of-an-earlier-one`);
  const env = { ...sandbox.env, HANDSIGHT_POLICY: "allow", HANDSIGHT_BROWSER_DIR: join(sandbox.folder, "browsers") };
  const { stdout } = await sandbox.run(["cdp_close", "--json"], { env });
  expect(JSON.parse(stdout)).toMatchObject({ error: { code: "not_connected" } });
  await using other = await openBrowserSession();
  await other.call("cdp_connect", { port: browser.port });
  expect(await other.fails("cdp_close")).toMatchObject({ code: "not_supported" });
  expect(await browser.call("cdp_list_pages")).toMatchObject({ pages: [{ url: "about:blank" }] });
  expect(await browser.call("cdp_close")).toMatchObject({ closed: 1 });
  expect(await browser.fails("cdp_list_pages")).toMatchObject({ code: "not_connected" });
});
