import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { expect, onTestFinished, test } from "vitest";
import { openVirtualDesktop } from "../../src/platform/virtual/desktop.ts";
import { startFixture } from "../support/fixture.ts";
import { startHandsight } from "../support/handsight.ts";

interface Bounds {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

interface Match {
  readonly score: number;
  readonly scale: number;
  readonly bbox: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly screen_x: number;
  readonly screen_y: number;
}

async function open(size: { readonly width: number; readonly height: number; readonly scale: number }) {
  const desktop = await openVirtualDesktop({ ...size, monitors: 1 });
  onTestFinished(() => desktop[Symbol.asyncDispose]());
  const handsight = await startHandsight(desktop.env);
  onTestFinished(() => handsight[Symbol.asyncDispose]());
  const app = await startFixture("gtk3_controls", { env: desktop.env });
  onTestFinished(() => app.stop());
  const { window } = await handsight.call("wait_for", { window_title: "GTK3 Controls" });
  const windowId = (window as { window_id: number }).window_id;
  await handsight.call("wait_for", { condition: "element", selector: 'Button:"Press me"', window_id: windowId });
  await handsight.call("wait_for", { condition: "stable", window_id: windowId });
  return { handsight, app, windowId };
}

type Opened = Awaited<ReturnType<typeof open>>;

/** The picture of the button, as if it had been cut out earlier. */
async function cutButton({ handsight, windowId }: Opened, path: string): Promise<Bounds> {
  const { elements } = await handsight.call("find_elements", { selector: 'Button:"Press me"', window_id: windowId });
  const [{ bounds }] = elements as [{ bounds: Bounds }];
  const { images } = await handsight.ask("take_screenshot", { mode: "region", ...bounds, format: "png" });
  await sharp(images[0]).png().toFile(path);
  return bounds;
}

async function clickWhatIsFound({ handsight, app }: Opened, match: Match): Promise<void> {
  const before = app.events.filter(({ event }) => event === "pressed").length;
  const clicked = await handsight.call("click", { x: match.screen_x, y: match.screen_y });
  expect(clicked).toMatchObject({ effect: "confirmed" });
  await expect.poll(() => app.events.filter(({ event }) => event === "pressed").length).toBe(before + 1);
  expect(app.events.findLast(({ event }) => event === "pressed")).toMatchObject({ name: "Press me" });
}

async function workFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "handsight-find-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

test("take_screenshot → load_image → find_image → click presses the button, wherever the window is [S2-160, S2-159]", async () => {
  const opened = await open({ width: 1280, height: 800, scale: 1 });
  const { handsight, windowId } = opened;
  const path = join(await workFolder(), "button.png");
  await cutButton(opened, path);
  await handsight.call("set_window", { action: "move", window_id: windowId, x: 217, y: 63 });
  await handsight.call("wait_for", { condition: "stable", window_id: windowId });
  await handsight.call("move_mouse", { x: 1270, y: 790 });

  const shot = await handsight.call("take_screenshot", { mode: "screen", max_side: 900 });
  const { image_id } = await handsight.call("load_image", { path });
  const found = await handsight.call("find_image", { screenshot_id: shot["screenshot_id"], template_id: image_id });
  const [match] = found["matches"] as [Match];
  expect(match.score).toBeGreaterThan(0.95);
  await clickWhatIsFound(opened, match);
});

test("a button cut out on one display is found and pressed on one with twice the scale, and vice versa", async () => {
  const folder = await workFolder();
  const [normal, large] = [join(folder, "normal.png"), join(folder, "large.png")];
  const single = await open({ width: 1280, height: 800, scale: 1 });
  const bounds = await cutButton(single, normal);
  const double = await open({ width: 2560, height: 1600, scale: 2 });
  await cutButton(double, large);
  for (const [opened, path, scale] of [
    [double, normal, 2],
    [single, large, 0.5],
  ] as const) {
    await opened.handsight.call("move_mouse", { x: 5, y: 5 });
    const { image_id } = await opened.handsight.call("load_image", { path });
    const { matches } = await opened.handsight.call("find_image", { template_id: image_id, max_results: 1 });
    const [match] = matches as [Match];
    expect(match.scale).toBeCloseTo(scale, 0);
    expect(Math.abs(match.bbox.w - bounds.width * (scale === 2 ? 2 : 1))).toBeLessThanOrEqual(4);
    await clickWhatIsFound(opened, match);
  }
});

test("a process that searched ends when it has nothing else to do", async () => {
  const program = `
    const { ImageFinder } = await import(${JSON.stringify(new URL("../../dist/vision/find-image/finder.js", import.meta.url).href)});
    const data = Uint8Array.from({ length: 200 * 100 * 4 }, (_, at) => (at % 4 === 3 ? 255 : Math.imul(at ^ (at >>> 5), 0x9e3779b1) >>> 24));
    const picture = { width: 40, height: 40, data: new Uint8Array(40 * 40 * 4) };
    for (let y = 0; y < 40; y++) picture.data.set(data.subarray((y + 9) * 800 + 80, (y + 9) * 800 + 240), y * 160);
    const finder = new ImageFinder(async () => picture);
    const options = { mode: "fast", maxResults: 1, rotations: [0], signal: new AbortController().signal };
    const { matches } = await finder.find({ width: 200, height: 100, stride: 800, order: "rgbx", data }, { picture }, options);
    console.log(JSON.stringify(matches[0]));`;
  const output = await new Promise<string>((resolve, reject) => {
    // Idle workers are kept for 10 s; if they kept the process alive, it would not end in half of that.
    execFile(process.execPath, ["--input-type=module", "-e", program], { timeout: 8_000 }, (error, stdout) =>
      error ? reject(error) : resolve(stdout),
    );
  });
  expect(JSON.parse(output)).toMatchObject({ x: 20, y: 9 });
});
