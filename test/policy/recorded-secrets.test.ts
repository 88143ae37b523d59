import { mkdtempSync, readdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { openVirtualDesktop } from "../../src/platform/virtual/desktop.ts";
import { servePages } from "../support/browser.ts";
import { startFixture } from "../support/fixture.ts";
import { startHandsight, type Handsight } from "../support/handsight.ts";
import { countSecretPixels, jpegTolerance } from "../support/secret-pixels.ts";
import { removeFolderNow } from "../support/remove-folder.ts";

const perMotion = Number(process.env["HANDSIGHT_TEST_MOVING"] ?? 8);
const folder = mkdtempSync(join(tmpdir(), "handsight-recorded-"));
afterAll(() => removeFolderNow(folder));

interface Recorded {
  readonly frames: readonly { readonly path: string }[];
  readonly masked: number;
}

/** Records while the field is moved in each of these ways. */
async function record(
  handsight: Handsight,
  name: string,
  motions: readonly (() => Promise<void>)[],
): Promise<Recorded> {
  const out = join(folder, name);
  const frames = () => readdirSync(out).filter((file) => file.endsWith(".jpg")).length;
  await handsight.call("start_recording", { output_dir: out, fps: 30, max_duration_ms: 300_000 });
  for (const move of motions) {
    await move();
    const before = frames();
    await expect.poll(frames, { timeout: 60_000, interval: 100 }).toBeGreaterThanOrEqual(before + perMotion);
  }
  return (await handsight.call("stop_recording")) as unknown as Recorded;
}

async function leaks({ frames }: Recorded): Promise<readonly string[]> {
  const found: string[] = [];
  for (const [index, { path }] of frames.entries()) {
    const count = await countSecretPixels(path, jpegTolerance);
    if (count > 0) found.push(`frame ${index}: ${count} pixels`);
  }
  return found;
}

test.each(["gtk3", "gtk4", "qt6"])(
  "a password field in a %s window leaves no pixel in a recording: at rest, gone, come back, scrolled",
  { timeout: 300_000 },
  async (toolkit) => {
    await using desktop = await openVirtualDesktop({ width: 800, height: 600, monitors: 1, scale: 1 });
    // With the address in the environment Qt 6.4 stays silent.
    const env = { ...desktop.env, AT_SPI_BUS_ADDRESS: undefined, QT_LINUX_ACCESSIBILITY_ALWAYS_ON: "1" };
    await using app = await startFixture(`${toolkit}_scrolling`, { env, args: ["--title", "Scrolling"] });
    await app.waitFor(({ event }) => event === "ready");
    await using handsight = await startHandsight(env);
    const { window } = await handsight.call("wait_for", { window_title: "Scrolling", timeout_ms: 20_000 });
    await handsight.call("focus_window", { window_id: (window as { window_id: number }).window_id });
    // From here on the app exposes its elements.
    await expect
      .poll(() => handsight.call("take_screenshot", { mode: "window" }), { timeout: 20_000 })
      .toMatchObject({ masked: 1 });
    const motions = ["rest", "at 900", "at 0", "restless", "bursts", "rest"].map((motion) => async () => {
      app.tell(motion);
    });
    const recorded = await record(handsight, toolkit, motions);
    expect(await leaks(recorded)).toEqual([]);
    expect(recorded.masked).toBeGreaterThan(perMotion);
    if (toolkit !== "gtk3") return;
    const rules = join(folder, "unmasked.json");
    writeFileSync(rules, '{"maskPasswordFields": false}');
    await using open = await startHandsight(env, ["--rules", rules]);
    app.tell("at 0");
    expect((await leaks(await record(open, "unmasked", [async () => {}]))).length).toBeGreaterThan(0);
  },
);

const page = `<!doctype html><title>Scrolling page</title>
<style>body{margin:0} input{display:block;width:180px;height:24px;background:#ff00fe;color:#ff00fe;border:0;padding:0}</style>
<div style="height:400px">above</div><input type="password" aria-label="Password" value="c4nary"><div style="height:3000px"></div>
<script>
  let to = 0;
  let isRestless = false;
  setInterval(() => { if (isRestless) scrollTo({ top: (to = to === 0 ? 300 : 0), behavior: "smooth" }); }, 90);
</script>`;

test(
  "a password field in the window of a browser leaves no pixel in a recording: at rest, scrolled, at rest again",
  { timeout: 300_000 },
  async () => {
    await using desktop = await openVirtualDesktop({ width: 1_000, height: 800, monitors: 1, scale: 1 });
    await using server = await servePages({ "page.html": page });
    await using handsight = await startHandsight(desktop.env);
    await handsight.call("cdp_launch", { url: `${server.own}/page.html`, args: ["--force-renderer-accessibility"] });
    await handsight.call("wait_for", { window_title: "Scrolling page", timeout_ms: 20_000 });
    await expect
      .poll(() => handsight.call("take_screenshot", { mode: "window" }), { timeout: 20_000 })
      .toMatchObject({ masked: 1 });
    const restless = (is: boolean) => async () => {
      await handsight.call("cdp_evaluate_script", { function: `() => { isRestless = ${is}; }` });
    };
    const recorded = await record(handsight, "browser", [async () => {}, restless(true), restless(false)]);
    expect(await leaks(recorded)).toEqual([]);
    expect(recorded.masked).toBe(recorded.frames.length);
  },
);
