import { execFile } from "node:child_process";
import { promisify } from "node:util";
import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { poll } from "../../src/base/async.ts";
import { screenPoint, type Rect } from "../../src/base/geometry.ts";
import type { Backend, OverlayShape } from "../../src/platform/backend.ts";
import { openLinux } from "../../src/platform/linux/index.ts";
import type { Connection } from "../../src/platform/linux/x11/connection.ts";
import { openConnection } from "../../src/platform/linux/x11/open.ts";
import { destroyWindow } from "../../src/platform/linux/x11/requests.ts";
import { openEye, type Eye } from "../support/eye.ts";
import { Painter, step } from "../support/painter.ts";
import { openTestWindow } from "../support/windows.ts";
import { startDesktop, type TestDesktop } from "../support/xvfb.ts";

const run = promisify(execFile);
const size = { width: 640, height: 480 };
const all: Rect = { x: 0, y: 0, ...size };
const pink = 0xf30bd1;
const fill = (rect: Rect, colour = pink): OverlayShape => ({ kind: "fill", rect, colour });

describe("the overlay on X11", () => {
  let desktop: TestDesktop;
  let app: Connection;
  let eye: Eye;
  let backend: Backend;

  beforeAll(async () => {
    desktop = await startDesktop({ size: "640x480", windowManager: false });
  });
  afterAll(() => desktop[Symbol.asyncDispose]());

  beforeEach(async () => {
    app = await openConnection(desktop.display, { env: desktop.env });
    eye = await openEye(desktop.env);
    backend = openLinux(desktop.env);
    return async () => {
      await backend[Symbol.asyncDispose]();
      eye[Symbol.dispose]();
      app.close();
    };
  });

  const overlay = () => backend.overlay ?? expect.fail("no overlay");
  const untilSeen = async (colour: number, at: { readonly x: number; readonly y: number }): Promise<void> => {
    await expect.poll(() => eye.colourAt(screenPoint(at.x, at.y)), { timeout: 5000, interval: 5 }).toBe(colour);
  };

  const capture = async (from: Backend, rect?: Rect): Promise<Buffer> => {
    using picture = await from.screen?.capture(rect ? { kind: "region", rect } : { kind: "screen" });
    return Buffer.from(picture?.pixels.data ?? []);
  };

  test("leaves what lies below it in every capture, to the pixel, whatever windows are there", async () => {
    const painted = step(size).filter(({ kind }) => !/root|children|redirect|pointer|picture/.test(kind));
    const rect = fc.record({
      x: fc.integer({ min: -20, max: size.width }),
      y: fc.integer({ min: -20, max: size.height }),
      width: fc.integer({ min: 1, max: 200 }),
      height: fc.integer({ min: 1, max: 120 }),
    });
    const scene = fc.record({
      steps: fc.array(painted, { minLength: 15, maxLength: 40, size: "max" }),
      rects: fc.array(rect, { minLength: 1, maxLength: 20 }),
      part: rect.filter(
        ({ x, y, width, height }) => x < size.width && y < size.height && x + width > 0 && y + height > 0,
      ),
    });
    let shown = 0;
    const check = fc.asyncProperty(scene, async ({ steps, rects, part }) => {
      const painter = new Painter(app);
      for (const each of steps) await painter.take(each);
      await app.sync();
      const before = await eye.look(all);
      await overlay().show(
        "test",
        rects.map((each) => fill(each)),
      );
      const during = await eye.look(all);
      const whole = await capture(backend);
      expect(whole.equals(before)).toBe(true);
      const [left, top] = [Math.max(0, part.x), Math.max(0, part.y)];
      const [right, bottom] = [Math.min(size.width, part.x + part.width), Math.min(size.height, part.y + part.height)];
      const below = await eye.look({ x: left, y: top, width: right - left, height: bottom - top });
      const found = await capture(backend, part);
      const plain = Buffer.concat(
        Array.from({ length: bottom - top }, (_, row) =>
          before.subarray(((top + row) * size.width + left) * 4, ((top + row) * size.width + right) * 4),
        ),
      );
      expect(found.equals(plain)).toBe(true);
      if (!during.equals(before) && !below.equals(plain)) shown += 1;
      await overlay().hide();
      for (const id of painter.windows) destroyWindow(app, id);
      await app.sync();
    });
    await fc.assert(check, { numRuns: 25, endOnFailure: true });
    expect(shown).toBeGreaterThan(0);
  });

  test("is left out of the captures of every other handsight too", async () => {
    await using other = openLinux(desktop.env);
    const before = await capture(other);
    const rect = { x: 100, y: 100, width: 50, height: 50 };
    await overlay().show("test", [fill(rect)]);
    await untilSeen(pink, rect);
    expect((await capture(other)).equals(before)).toBe(true);
    expect((await capture(other, rect)).includes(Buffer.from([0xd1, 0x0b, 0xf3]))).toBe(false);
    expect((await other.windows?.list())?.map(({ id }) => id)).toEqual([]);
    // The last one to show has the screen.
    await other.overlay?.show("test", [fill({ ...rect, x: 300 })]);
    await untilSeen(pink, { ...rect, x: 300 });
    await expect.poll(() => eye.colourAt(screenPoint(rect.x, rect.y)), { timeout: 5000 }).not.toBe(pink);
    expect((await capture(backend)).equals(before)).toBe(true);
  });

  test("is reported as leaked when captures do not leave it out", async () => {
    expect(await overlay().probe()).toBe("excluded");
    await using leaky = openLinux(desktop.env, { hidesOverlays: false });
    expect(await leaky.overlay?.probe()).toBe("leaked");
    const finding = async (from: Backend) => (await from.diagnose()).find(({ ability }) => ability === "overlay");
    expect(await finding(leaky)).toMatchObject({ status: "limited", detail: expect.stringContaining("leaked") });
    expect(await finding(backend)).toMatchObject({ status: "ok", detail: expect.stringContaining("excluded") });
  });

  test("lies above a menu that opens later, and does not race with a window that raises itself", async () => {
    const rect = { x: 200, y: 200, width: 40, height: 40 };
    await overlay().show("test", [fill(rect)]);
    for (let round = 0; round < 5; round++) {
      const menu = await openTestWindow(app, { x: 180, y: 180, width: 90, height: 90, overrideRedirect: true });
      await untilSeen(pink, rect);
      destroyWindow(app, menu);
      await app.sync();
    }
  });
});

test("the overlay follows the screen when it changes its size, and never blackens it", async () => {
  await using desktop = await startDesktop({ size: "800x600", windowManager: false });
  await using backend = openLinux(desktop.env);
  using eye = await openEye(desktop.env);
  const xrandr = (...args: string[]) => run("xrandr", args, { env: desktop.env });
  const rect = { x: 100, y: 100, width: 30, height: 30 };
  await backend.overlay?.show("test", [fill(rect), fill({ ...rect, x: 700 })]);
  const bare = await eye.colourAt(screenPoint(10, 10));
  const isAt = (x: number, y: number) => async () => (await eye.colourAt(screenPoint(x, y))) === pink || undefined;
  for (const [width, height] of [
    [640, 480],
    [780, 590],
  ] as const) {
    await xrandr("--output", "screen", "--off", "--fb", `${width}x${height}`);
    expect(await poll(isAt(110, 110), { timeoutMs: 5000, everyMs: 10 })).toBe(true);
    expect(await eye.colourAt(screenPoint(width - 5, height - 5))).toBe(bare);
    expect(await eye.colourAt(screenPoint(10, 10))).toBe(bare);
    using capture = await backend.screen?.capture({ kind: "screen" });
    expect(capture?.bounds).toMatchObject({ width, height });
    expect(Buffer.from(capture?.pixels.data ?? []).includes(Buffer.from([0xd1, 0x0b, 0xf3]))).toBe(false);
  }
  expect(await poll(isAt(710, 110), { timeoutMs: 5000, everyMs: 10 })).toBe(true);
});
