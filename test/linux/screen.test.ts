import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { poll } from "../../src/base/async.ts";
import type { Capture, CaptureArea, Screen } from "../../src/platform/backend.ts";
import { XDisplay } from "../../src/platform/linux/display.ts";
import { XScreen } from "../../src/platform/linux/screen.ts";
import { ShmPool, shmPool, type ShmTier } from "../../src/platform/linux/capture/transfer.ts";
import type { Connection } from "../../src/platform/linux/x11/connection.ts";
import { eventMask } from "../../src/platform/linux/x11/events.ts";
import { fakeInput, getMonitors, needExtension, setMonitor } from "../../src/platform/linux/x11/extensions.ts";
import { openConnection } from "../../src/platform/linux/x11/open.ts";
import {
  changeProperty,
  changeWindowAttributes,
  clientMessage,
  deleteProperty,
  destroyWindow,
  getImage,
  predefined,
  selectInput,
  sendEvent,
  setSelectionOwner,
  translateCoordinates,
  unmapWindow,
} from "../../src/platform/linux/x11/requests.ts";
import { helperWindow } from "../../src/platform/linux/x11/watch.ts";
import { RequestWriter } from "../../src/platform/linux/x11/wire.ts";
import { openTestWindow } from "../support/windows.ts";
import { startDesktop, type TestDesktop } from "../support/xvfb.ts";

/** 0xRRGGBB of a pixel relative to the capture's corner. */
function colourAt({ pixels }: Capture, x: number, y: number): number {
  const at = y * pixels.stride + x * 4;
  return ((pixels.data[at + 2] ?? 0) << 16) | ((pixels.data[at + 1] ?? 0) << 8) | (pixels.data[at] ?? 0);
}

async function colourOf(screen: Screen, area: CaptureArea, x: number, y: number): Promise<number> {
  using capture = await screen.capture(area);
  return colourAt(capture, x, y);
}

async function failure(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => undefined,
    (error: unknown) => error,
  );
}

const run = promisify(execFile);

const red = 0xd01020;
const blue = 0x2040e0;
const green = 0x10c050;

describe("the screen", () => {
  let desktop: TestDesktop;
  let app: Connection;
  let display: XDisplay;
  let screen: Screen;
  const opened: number[] = [];

  const open: typeof openTestWindow = async (c, window) => {
    const id = await openTestWindow(c, window);
    opened.push(id);
    return id;
  };

  beforeAll(async () => {
    desktop = await startDesktop({ size: "1280x800" });
    app = await openConnection(desktop.display, { env: desktop.env });
  });

  beforeEach(async () => {
    for (const id of opened.splice(0)) destroyWindow(app, id);
    await app.sync();
    display = new XDisplay(desktop.env);
    screen = new XScreen(display);
    return () => display[Symbol.asyncDispose]();
  });

  afterAll(async () => {
    app.close();
    await desktop[Symbol.asyncDispose]();
  });

  test("is captured whole, with the bounds it has", async () => {
    await open(app, { x: 100, y: 100, width: 200, height: 100, colour: red, overrideRedirect: true });
    using capture = await screen.capture({ kind: "screen" });
    expect(capture.bounds).toEqual({ x: 0, y: 0, width: 1280, height: 800 });
    expect(capture.pixels).toMatchObject({ width: 1280, height: 800, stride: 5120, format: "bgrx" });
    expect(capture.pixels.data).toHaveLength(5120 * 800);
    expect(colourAt(capture, 100, 100)).toBe(red);
    expect(colourAt(capture, 299, 199)).toBe(red);
    expect(colourAt(capture, 300, 199)).not.toBe(red);
    expect(await screen.bounds()).toEqual(capture.bounds);
  });

  test("is captured in the size it has now, after becoming smaller and larger again", async () => {
    await using small = await startDesktop({ size: "800x600" });
    const own = new XDisplay(small.env);
    const xrandr = (...args: string[]) => run("xrandr", args, { env: small.env });
    const size = async () => {
      using capture = await new XScreen(own).capture({ kind: "screen" });
      return [capture.bounds.width, capture.bounds.height, capture.pixels.data.length];
    };
    try {
      expect(await size()).toEqual([800, 600, 800 * 600 * 4]);
      await xrandr("--output", "screen", "--off", "--fb", "640x480");
      expect(await size()).toEqual([640, 480, 640 * 480 * 4]);
      await xrandr("--fb", "700x590");
      expect(await size()).toEqual([700, 590, 700 * 590 * 4]);
    } finally {
      await own[Symbol.asyncDispose]();
    }
  });

  test("gives a region clipped to the screen, and refuses one outside it", async () => {
    await open(app, { x: 1200, y: 700, width: 80, height: 100, colour: blue, overrideRedirect: true });
    using capture = await screen.capture({ kind: "region", rect: { x: 1190.5, y: 690, width: 500, height: 500 } });
    expect(capture.bounds).toEqual({ x: 1190, y: 690, width: 90, height: 110 });
    expect(colourAt(capture, 10, 10)).toBe(blue);
    expect(colourAt(capture, 9, 10)).not.toBe(blue);
    const outside = { kind: "region", rect: { x: 1280, y: 0, width: 10, height: 10 } } as const;
    expect(await failure(screen.capture(outside))).toMatchObject({
      code: "out_of_bounds",
      message: expect.stringContaining("1280×800"),
    });
  });

  test("arrives byte for byte the same through every tier of shared memory", async () => {
    await open(app, { x: 60, y: 60, width: 300, height: 200, colour: green });
    await open(app, { x: 200, y: 120, width: 300, height: 200, colour: red });
    const c = await display.connect();
    const tiers: readonly ShmTier[] = ["sysv", "fd", "socket"];
    const rect = { x: 7, y: 3, width: 1001, height: 701 };
    const pools = await Promise.all(tiers.map((tier) => ShmPool.open(c, [tier])));
    expect(pools.map(({ tier }) => tier)).toEqual(tiers);
    expect((await shmPool(c)).tier).toBe("sysv");
    // openbox may still be drawing the frames: compare only when two looks around them agree.
    const same = await poll(
      async () => {
        const before = await getImage(c, c.root, rect);
        const [first, ...others] = await Promise.all(pools.map((pool) => pool.grab(c.root, rect)));
        const after = await getImage(c, c.root, rect);
        if (!first || !before.data.equals(after.data)) return undefined;
        expect(first.data).toHaveLength(1001 * 701 * 4);
        return [first, ...others].every(({ data }) => data.equals(before.data));
      },
      { timeoutMs: 5000, everyMs: 20 },
    );
    expect(same).toBe(true);
  });

  test("leases memory to each capture until it is disposed, and copies when too many are kept", async () => {
    await open(app, { x: 0, y: 0, width: 64, height: 64, colour: red, overrideRedirect: true });
    const kept: Capture[] = [];
    for (let index = 0; index < 6; index++) kept.push(await screen.capture({ kind: "screen" }));
    await open(app, { x: 0, y: 0, width: 64, height: 64, colour: blue, overrideRedirect: true });
    const [first, second] = await Promise.all([screen.capture({ kind: "screen" }), screen.capture({ kind: "screen" })]);
    expect([first, second].map((capture) => colourAt(capture, 5, 5))).toEqual([blue, blue]);
    expect(kept.map((capture) => colourAt(capture, 5, 5))).toEqual(kept.map(() => red));
    expect(new Set(kept.map(({ pixels }) => pixels.data.buffer)).size).toBe(6);
    for (const capture of [...kept, first, second]) capture[Symbol.dispose]();
    const shared = new Set(kept.map(({ pixels }) => pixels.data.buffer));
    const again: Capture[] = [];
    for (let index = 0; index < 6; index++) again.push(await screen.capture({ kind: "screen" }));
    expect(again.map(({ pixels }) => shared.has(pixels.data.buffer))).toEqual([true, true, true, true, false, false]);
  });

  test("shows a window that another one covers in its own colour, at the first capture and later [S0-39, S1-54]", async () => {
    const covered = await open(app, { x: 200, y: 200, width: 300, height: 200, colour: red });
    const cover = await open(app, { x: 100, y: 100, width: 600, height: 500, colour: blue });
    for (let round = 0; round < 3; round++) {
      using capture = await screen.capture({ kind: "window", windowId: covered });
      expect(capture.bounds.width).toBeGreaterThanOrEqual(300);
      expect(capture.bounds.height).toBeGreaterThan(200);
      const inside = await translateCoordinates(app, covered, app.root);
      const left = inside.x - capture.bounds.x;
      const top = inside.y - capture.bounds.y;
      expect(top).toBeGreaterThan(0);
      for (const [x, y] of [
        [0, 0],
        [150, 100],
        [299, 199],
      ] as const) {
        expect(colourAt(capture, left + x, top + y).toString(16)).toBe(red.toString(16));
      }
    }
    using front = await screen.capture({ kind: "window", windowId: cover });
    expect(colourAt(front, 300, 300)).toBe(blue);
    changeWindowAttributes(app, covered, { backgroundPixel: green });
    app.send("ClearArea", new RequestWriter(61).u32(covered).u32(0).u32(0));
    await app.sync();
    expect(await colourOf(screen, { kind: "window", windowId: covered }, 150, 150)).toBe(green);
  });

  test("waits for the app if it must first paint what was covered", async () => {
    const place = { x: 300, y: 300, width: 200, height: 100, overrideRedirect: true };
    const slow = await open(app, { ...place, colour: 0x000000 });
    await selectInput(app, slow, eventMask.exposure);
    await open(app, { ...place, colour: blue });
    const brush = app.newId();
    const foreground = 1 << 2;
    app.send("CreateGC", new RequestWriter(55).u32(brush).u32(slow).u32(foreground).u32(red));
    const stop = app.on((event) => {
      if (event.type !== "Expose" || event.window !== slow) return;
      setTimeout(() => {
        app.send("PolyFillRectangle", new RequestWriter(70).u32(slow).u32(brush).u32(0).u16(200).u16(100));
      }, 100);
    });
    try {
      expect(await colourOf(screen, { kind: "window", windowId: slow }, 100, 50)).toBe(red);
    } finally {
      stop();
    }
  });

  test("includes the title bar of a window and nothing around it [S0-35]", async () => {
    const id = await open(app, { x: 300, y: 300, width: 320, height: 180, colour: green, title: "Framed" });
    using capture = await screen.capture({ kind: "window", windowId: id });
    const { bounds } = capture;
    const inside = await translateCoordinates(app, id, app.root);
    expect(bounds).toMatchObject({ x: 300, y: 300 });
    expect(inside.y - bounds.y).toBeGreaterThan(10);
    expect(bounds.width).toBeGreaterThanOrEqual(320);
    expect(bounds.height).toBeGreaterThanOrEqual(180 + inside.y - bounds.y);
    // openbox may still be drawing the title.
    const same = await poll(
      async () => {
        using region = await screen.capture({ kind: "region", rect: bounds });
        using again = await screen.capture({ kind: "window", windowId: id });
        return Buffer.from(again.pixels.data).equals(Buffer.from(region.pixels.data)) ? true : undefined;
      },
      { timeoutMs: 5000, everyMs: 20 },
    );
    expect(same).toBe(true);
  });

  test("also shows the part of a window that is beyond the edge", async () => {
    const id = await open(app, { x: -150, y: 700, width: 300, height: 200, colour: red, overrideRedirect: true });
    using capture = await screen.capture({ kind: "window", windowId: id });
    expect(capture.bounds).toEqual({ x: -150, y: 700, width: 300, height: 200 });
    expect([colourAt(capture, 0, 0), colourAt(capture, 299, 199)]).toEqual([red, red]);
  });

  test("cuts the shadow off that an app draws around its window [S0-35, S1-54]", async () => {
    const id = await open(app, { x: 300, y: 200, width: 400, height: 300, colour: red, overrideRedirect: true });
    changeProperty(app, id, await app.atom("_GTK_FRAME_EXTENTS"), predefined.cardinal, { u32: [10, 20, 30, 40] });
    await app.sync();
    using capture = await screen.capture({ kind: "window", windowId: id });
    expect(capture.bounds).toEqual({ x: 310, y: 230, width: 370, height: 230 });
  });

  test("refuses a minimised window, a hidden one and a closed one, each with its reason", async () => {
    const id = await open(app, { x: 300, y: 300, width: 200, height: 100, colour: red });
    const iconic = clientMessage(id, await app.atom("WM_CHANGE_STATE"), [3]);
    await sendEvent(app, iconic, { to: app.root, mask: (1 << 19) | (1 << 20) });
    const refused = await poll(() => failure(screen.capture({ kind: "window", windowId: id })), {
      timeoutMs: 3000,
      everyMs: 10,
    });
    expect(refused).toMatchObject({ code: "not_supported", details: { hint: expect.stringContaining("Restore") } });
    const hidden = await open(app, { x: 0, y: 0, width: 50, height: 50, overrideRedirect: true });
    unmapWindow(app, hidden);
    await app.sync();
    expect(await failure(screen.capture({ kind: "window", windowId: hidden }))).toMatchObject({
      code: "not_supported",
    });
    destroyWindow(app, hidden);
    await app.sync();
    expect(await failure(screen.capture({ kind: "window", windowId: hidden }))).toMatchObject({
      code: "window_gone",
      message: expect.stringContaining(String(hidden)),
    });
  });

  test("draws the pointer only when asked to, where its hot spot is [S1-32]", async () => {
    await open(app, { x: 400, y: 400, width: 200, height: 200, colour: 0x808080, overrideRedirect: true });
    await fakeInput(app, [{ kind: "motion", x: 500, y: 500 }]);
    const region = { kind: "region", rect: { x: 450, y: 450, width: 100, height: 100 } } as const;
    using plain = await screen.capture(region);
    using pointed = await screen.capture(region, { includeCursor: true });
    const changed: { x: number; y: number }[] = [];
    for (let y = 0; y < 100; y++) {
      for (let x = 0; x < 100; x++) if (colourAt(plain, x, y) !== colourAt(pointed, x, y)) changed.push({ x, y });
    }
    expect(new Set(Array.from({ length: 100 }, (_, x) => colourAt(plain, x, 50)))).toEqual(new Set([0x808080]));
    expect(changed.length).toBeGreaterThan(10);
    for (const { x, y } of changed) expect(Math.max(Math.abs(x - 50), Math.abs(y - 50))).toBeLessThan(40);
  });

  test("lists two monitors with their places and captures one of them [S1-122]", async () => {
    expect(await screen.displays()).toMatchObject([
      { id: 1, isPrimary: true, scale: 1, bounds: { x: 0, y: 0, width: 1280, height: 800 } },
    ]);
    const [left, right] = [await app.atom("left"), await app.atom("right")];
    const outputs = (await getMonitors(app))[0]?.outputs ?? [];
    const size = { width: 169, height: 212 };
    await setMonitor(app, { name: left, isPrimary: false, x: 0, y: 0, width: 640, height: 800, size, outputs });
    await setMonitor(app, { name: right, isPrimary: true, x: 640, y: 0, width: 640, height: 800, size, outputs: [] });
    changeProperty(
      app,
      app.root,
      predefined.resourceManager,
      predefined.string,
      Buffer.from("Xft.antialias: 1\nXft.dpi:\t144\n"),
    );
    await app.sync();
    try {
      const displays = await screen.displays();
      expect(
        displays.map(({ name, bounds, isPrimary, scale }) => ({
          name,
          x: bounds.x,
          width: bounds.width,
          isPrimary,
          scale,
        })),
      ).toEqual(
        expect.arrayContaining([
          { name: "left", x: 0, width: 640, isPrimary: false, scale: 1.5 },
          { name: "right", x: 640, width: 640, isPrimary: true, scale: 1.5 },
        ]),
      );
      expect(displays).toHaveLength(2);
      const second = displays.find(({ name }) => name === "right");
      using capture = await screen.capture({ kind: "display", displayId: second?.id ?? 0 });
      expect(capture.bounds).toEqual({ x: 640, y: 0, width: 640, height: 800 });
      expect(await failure(screen.capture({ kind: "display", displayId: 9 }))).toMatchObject({
        code: "not_found",
        details: { candidates: expect.arrayContaining([expect.stringContaining("left")]) },
      });
    } finally {
      deleteProperty(app, app.root, predefined.resourceManager);
    }
  });

  test("still works after a cancelled capture", async () => {
    const cancel = new AbortController();
    const stopped = failure(screen.capture({ kind: "screen" }, { signal: cancel.signal }));
    cancel.abort();
    expect(await stopped).toMatchObject({ code: "cancelled" });
    using capture = await screen.capture({ kind: "screen" });
    expect(capture.pixels.width).toBe(1280);
  });
});

test("windows are captured while a compositor keeps them off the screen", async () => {
  await using desktop = await startDesktop({ windowManager: false });
  await using display = new XDisplay(desktop.env);
  const compositor = await openConnection(desktop.display, { env: desktop.env });
  const { opcode } = await needExtension(compositor, "Composite");
  const manual = 1;
  await compositor.checked("RedirectSubwindows", new RequestWriter(opcode, 2).u32(compositor.root).u8(manual).skip(3));
  setSelectionOwner(compositor, await helperWindow(compositor), await compositor.atom("_NET_WM_CM_S0"));
  await compositor.sync();
  const screen = new XScreen(display);
  const place = { x: 100, y: 100, width: 200, height: 100, overrideRedirect: true };
  const lower = await openTestWindow(compositor, { ...place, colour: red });
  const upper = await openTestWindow(compositor, { ...place, colour: blue });
  expect(await colourOf(screen, { kind: "window", windowId: lower }, 50, 50)).toBe(red);
  expect(await colourOf(screen, { kind: "window", windowId: upper }, 50, 50)).toBe(blue);
  expect(await colourOf(screen, { kind: "screen" }, 150, 150)).not.toBe(blue);
  compositor.close();
});

test("shared memory is marked to go with the last process that uses it", async () => {
  await using desktop = await startDesktop({ windowManager: false });
  await using display = new XDisplay(desktop.env);
  const c = await display.connect();
  const pool = await ShmPool.open(c, ["sysv"]);
  expect(pool.tier).toBe("sysv");
  using grab = await pool.grab(c.root, { x: 0, y: 0, width: 1280, height: 800 });
  expect(grab.data).toHaveLength(1280 * 800 * 4);
  // <sys/shm.h>: SHM_DEST, the segment is removed with its last attachment.
  const marked = 0o1000;
  const lines = (await readFile("/proc/sysvipc/shm", "utf8")).split("\n").map((line) => line.trim().split(/\s+/));
  const own = lines.filter((fields) => Number(fields[4]) === process.pid && Number(fields[3]) >= grab.data.length);
  expect(own.length).toBeGreaterThan(0);
  for (const fields of own) expect(Number.parseInt(fields[2] ?? "", 8) & marked).toBe(marked);
});

test("a screen with few colours is refused with advice", async () => {
  await using desktop = await startDesktop({ depth: 16, windowManager: false });
  await using display = new XDisplay(desktop.env);
  expect(await failure(new XScreen(display).capture({ kind: "screen" }))).toMatchObject({
    code: "not_supported",
    message: expect.stringContaining("depth 16"),
  });
});

test("without Composite a window is cut out of the screen, unless another covers it [S0-40]", async () => {
  await using desktop = await startDesktop({ windowManager: false, args: ["-extension", "Composite"] });
  await using display = new XDisplay(desktop.env);
  const screen = new XScreen(display);
  const c = await display.connect();
  const place = { x: 700, y: 80, width: 50, height: 40 };
  const id = await openTestWindow(c, { ...place, colour: red });
  const area = { kind: "window", windowId: id } as const;
  {
    using picture = await screen.capture(area);
    expect(picture.bounds).toEqual(place);
  }
  expect(await colourOf(screen, area, 0, 0)).toBe(red);
  expect(await colourOf(screen, area, 49, 39)).toBe(red);
  await openTestWindow(c, { x: 740, y: 110, width: 50, height: 40, colour: blue });
  expect(await failure(screen.capture(area))).toMatchObject({
    code: "not_supported",
    message: expect.stringContaining("Another window covers"),
  });
  expect(await colourOf(screen, { kind: "screen" }, 745, 115)).toBe(blue);
});
