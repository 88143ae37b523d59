import { mkdtemp, readdir, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { Pixels } from "../../src/base/frame.ts";
import { screenPoint, type Rect } from "../../src/base/geometry.ts";
import type { CaptureArea } from "../../src/platform/backend.ts";
import { openLinux } from "../../src/platform/linux/index.ts";
import { decodePicture } from "../../src/vision/decode.ts";
import { openEye } from "../support/eye.ts";
import { startFixture, type FixtureEvent } from "../support/fixture.ts";
import { startHandsight, type Handsight } from "../support/handsight.ts";
import { startBrowser } from "../support/page-browser.ts";
import { openPerson } from "../support/person.ts";
import { openVirtualDesktop } from "../../src/platform/virtual/desktop.ts";

interface Region {
  readonly region: number;
  readonly name: string;
  readonly source: string;
  readonly bounds: Rect;
  readonly x: number;
  readonly y: number;
}

const monitor = { width: 1200, height: 800 };
const colours: Readonly<Record<string, number>> = { accessibility: 0x005cc5, ocr: 0x00753c, heuristic: 0xb05200 };
/** Those of numbers and outlines, the cursor, the flash, and the status line. */
const own = new Set([...Object.values(colours), 0x8c28a0, 0x7c3aed, 0x181c24]);

/** How many pixels of a picture have a colour of the overlay. */
function ownPixels({ data, stride, width, height, format }: Pixels): number {
  const [bytes, red, blue] = format === "bgrx" ? [4, 2, 0] : [3, 0, 2];
  let count = 0;
  for (let y = 0; y < height; y++) {
    for (let x = 0, at = y * stride; x < width; x++, at += bytes) {
      const colour = ((data[at + red] ?? 0) << 16) | ((data[at + 1] ?? 0) << 8) | (data[at + blue] ?? 0);
      if (own.has(colour)) count += 1;
    }
  }
  return count;
}

/** Two monitors of different scale with a window of every kind, none over another. */
async function openStage() {
  const desktop = await openVirtualDesktop({ ...monitor, monitors: 2, scale: 1, monitorScales: [1.5, 1] });
  onTestFinished(() => desktop[Symbol.asyncDispose]());
  const { env } = desktop;
  const [gtk, qt, painted, browser, handsight] = await Promise.all([
    startFixture("gtk3_controls", { env }),
    startFixture("qt6_controls", { env }),
    startFixture("gtk3_painted", { env }),
    startBrowser("chromium", { env }),
    startHandsight(env),
  ]);
  for (const each of [handsight, browser, painted, qt, gtk]) onTestFinished(() => each[Symbol.asyncDispose]());
  const places = {
    gtk: { title: "GTK3 Controls", x: 0, y: 0, width: 600, height: 740 },
    painted: { title: "Painted", x: 640, y: 120, width: 520, height: 360 },
    qt: { title: "Qt6 Controls", x: 1210, y: 0, width: 560, height: 740 },
    page: { title: "Controls page", x: 1800, y: 0, width: 560, height: 740 },
  };
  const ids: Record<string, number> = {};
  for (const [name, { title, x, y, width, height }] of Object.entries(places)) {
    const { window } = await handsight.call("wait_for", { window_title: title, timeout_ms: 30_000 });
    const { window_id } = window as { window_id: number };
    ids[name] = window_id;
    await handsight.call("set_window", { action: "move", window_id, x, y });
    if (name !== "painted") await handsight.call("set_window", { action: "resize", window_id, width, height });
  }
  return { desktop, handsight, gtk, qt, painted, browser, ids, places };
}

async function marked(handsight: Handsight): Promise<readonly Region[]> {
  const args = { mode: "screen", details: true, include_image: false, max_regions: 400 };
  return (await handsight.call("mark_regions", args))["regions"] as Region[];
}

test(
  "is drawn over every kind of window on monitors of different scale, lets clicks through, and is in no capture [S3-3, S3-4, S3-5, S3-8, S3-9, S3-13, S3-15, S3-54, S3-58]",
  { timeout: 120_000 },
  async () => {
    const { desktop, handsight, gtk, qt, painted, browser, ids, places } = await openStage();
    using eye = await openEye(desktop.env);
    await using person = openPerson(desktop.env);
    const { data: shown } = await handsight.ask("show_overlay", { mode: "screen", max_regions: 400 });
    expect(shown).toMatchObject({ captures: "excluded" });
    const regions = await marked(handsight);

    const within = ({ x, y, width, height }: Rect, region: Region) =>
      region.x > x && region.x < x + width && region.y > y && region.y < y + height;
    const called = (name: string, window: Rect): Region => {
      const found = regions.find((region) => region.name === name && within(window, region));
      return found ?? expect.fail(`no region ${name}`);
    };
    const targets = [
      { region: called("Press me", places.gtk), log: gtk.events, event: "pressed", scale: 1.5 },
      { region: called("Start game", places.painted), log: painted.events, event: "press", scale: 1.5 },
      { region: called("Press me", places.qt), log: qt.events, event: "pressed", scale: 1 },
      { region: called("Press me", places.page), log: browser.events, event: "pressed", scale: 1 },
    ] as const;
    for (const { region, log, event, scale } of targets) {
      const { x, y, width, height } = region.bounds;
      const [left, top] = [Math.round(x), Math.round(y)];
      const [across, down] = [Math.round(x + width / 2), Math.round(y + height / 2)];
      const line = Math.round(1.5 * scale);
      const colour = colours[region.source];
      // Exactly at the edge of the control and as thick as the scale of its monitor says; the number lies on one side at most.
      const sides = async () => {
        const beside = await Promise.all([1, line].map((out) => eye.colourAt(screenPoint(left - out, down))));
        const above = await Promise.all([1, line].map((out) => eye.colourAt(screenPoint(across, top - out))));
        return [beside, above].some((side) => side.every((seen) => seen === colour));
      };
      await expect.poll(sides, { timeout: 10_000 }).toBe(true);
      const pressed = () => log.filter((each: FixtureEvent) => each.event === event).length;
      const before = pressed();
      await person.moveTo(region);
      await person.click();
      await expect.poll(pressed, { timeout: 10_000 }).toBe(before + 1);
    }

    // All the time windows move with their numbers, and the agent's cursor flashes.
    const still = new AbortController();
    const mover = openLinux(desktop.env);
    onTestFinished(() => mover[Symbol.asyncDispose]());
    const moving = (async () => {
      for (let round = 0; !still.signal.aborted; round++) {
        const to = { x: 640 + (round % 5) * 6, y: 120 + (round % 7) * 20 };
        await mover.windows?.change(ids["painted"] ?? 0, { to: "move", ...to });
        await handsight.ask("click", { x: 620, y: 600 + (round % 5) * 10, settle_ms: 0 });
      }
      return "ended";
    })();
    const folder = await mkdtemp(join(tmpdir(), "handsight-overlay-"));
    await handsight.call("start_recording", { output_dir: folder, fps: 4 });
    const ways: readonly object[] = [
      { mode: "screen" },
      { mode: "display", display_id: 1 },
      { mode: "display", display_id: 2, include_cursor: true },
      { mode: "window", window_id: ids["gtk"] },
      { mode: "window", window_id: ids["painted"] },
      { mode: "window", window_id: ids["page"], include_cursor: true },
      { mode: "region", x: 600, y: 100, width: 600, height: 600 },
      { mode: "region", x: 1100, y: 0, width: 300, height: 300, include_cursor: true },
    ];
    const seen: number[] = [];
    const { x, y } = targets[2].region.bounds;
    const isShown = async () =>
      (await eye.colourAt(screenPoint(Math.round(x) - 1, Math.round(y) + 5))) === colours["accessibility"];
    let shownTimes = 0;
    for (const way of ways) {
      const { images } = await handsight.ask("take_screenshot", { ...way, format: "png", max_side: 8000 });
      for (const image of images) seen.push(ownPixels(await decodePicture(image)));
      if (await isShown()) shownTimes += images.length;
    }
    // The same captures as another handsight on the display takes them, which is faster.
    const areas: readonly CaptureArea[] = [
      { kind: "screen" },
      { kind: "display", displayId: 1 },
      { kind: "window", windowId: ids["painted"] ?? 0 },
      { kind: "window", windowId: ids["qt"] ?? 0 },
      { kind: "region", rect: { x: 600, y: 100, width: 600, height: 600 } },
      { kind: "region", rect: { x: 1100, y: 0, width: 300, height: 300 } },
    ];
    for (let round = 0; seen.length < 200; round++) {
      using capture = await mover.screen?.capture(areas[round % areas.length] ?? { kind: "screen" }, {
        includeCursor: round % 3 === 0,
      });
      if (capture) seen.push(ownPixels(capture.pixels));
      if (await isShown()) shownTimes += 1;
    }
    expect(shownTimes).toBe(seen.length);
    still.abort();
    expect(await moving).toBe("ended");
    await handsight.call("stop_recording");
    const frames = (await readdir(folder)).filter((file) => file.endsWith(".png") || file.endsWith(".jpg"));
    for (const file of frames) seen.push(ownPixels(await decodePicture(await readFile(join(folder, file)))));
    expect(frames.length).toBeGreaterThan(0);
    expect(seen.filter((pixels) => pixels > 0)).toEqual([]);

    // What is drawn where it clicks is no effect of the click.
    expect((await handsight.call("click", { x: 620, y: 700 }))["effect"]).not.toBe("confirmed");
    await handsight.call("hide_overlay");
    expect(await isShown()).toBe(false);
  },
);
