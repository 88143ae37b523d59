import { execFile } from "node:child_process";
import { promisify } from "node:util";
import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { poll } from "../../src/base/async.ts";
import type { Capture } from "../../src/platform/backend.ts";
import { XDisplay } from "../../src/platform/linux/display.ts";
import { XScreen } from "../../src/platform/linux/screen.ts";
import { screenCache, type ScreenCache } from "../../src/platform/linux/capture/screen-cache.ts";
import { ShmPool } from "../../src/platform/linux/capture/transfer.ts";
import type { Connection } from "../../src/platform/linux/x11/connection.ts";
import { needExtension, redirectSubwindows } from "../../src/platform/linux/x11/extensions.ts";
import { openConnection } from "../../src/platform/linux/x11/open.ts";
import {
  changeWindowAttributes,
  destroyWindow,
  getGeometry,
  getImage,
  queryTree,
} from "../../src/platform/linux/x11/requests.ts";
import { RequestWriter } from "../../src/platform/linux/x11/wire.ts";
import { Painter, step } from "../support/painter.ts";
import { openTestWindow } from "../support/windows.ts";
import { startDesktop, type TestDesktop } from "../support/xvfb.ts";

const run = promisify(execFile);
const size = { width: 640, height: 480 };

/** The first row that differs from what the server shows now; nothing may be painting meanwhile. */
async function firstWrongRow(capture: Capture, app: Connection): Promise<number | undefined> {
  const { width, height } = await getGeometry(app, app.root);
  const { data } = await getImage(app, app.root, { x: 0, y: 0, width, height });
  expect(capture.pixels).toMatchObject({ width, height, stride: width * 4 });
  const shown = Buffer.from(capture.pixels.data);
  if (shown.equals(data)) return undefined;
  const stride = width * 4;
  for (let y = 0; y < height; y++) {
    if (shown.compare(data, y * stride, (y + 1) * stride, y * stride, (y + 1) * stride) !== 0) return y;
  }
  return height;
}

function colourAt({ pixels }: Capture, x: number, y: number): number {
  return Buffer.from(pixels.data.subarray(y * pixels.stride + x * 4, y * pixels.stride + x * 4 + 3)).readUIntLE(0, 3);
}

describe("the kept picture of the screen", () => {
  let desktop: TestDesktop;
  let app: Connection;
  let display: XDisplay;
  let screen: XScreen;
  let cache: ScreenCache;
  let painter: Painter;

  beforeAll(async () => {
    desktop = await startDesktop({ size: "640x480", windowManager: false });
  });

  afterAll(() => desktop[Symbol.asyncDispose]());

  const connect = () => openConnection(desktop.display, { env: desktop.env });

  /** The server removes a client's windows some time after it left. */
  const untilEmpty = async (): Promise<void> => {
    const isEmpty = async () => ((await queryTree(app, app.root)).children.length === 0 ? true : undefined);
    expect(await poll(isEmpty, { timeoutMs: 5000, everyMs: 5 })).toBe(true);
  };

  beforeEach(async () => {
    app = await connect();
    await untilEmpty();
    display = new XDisplay(desktop.env);
    screen = new XScreen(display);
    const found = await screenCache(await display.connect());
    if (!found) throw new Error("this server has no cache");
    cache = found;
    return async () => {
      app.close();
      await display[Symbol.asyncDispose]();
    };
  });

  const wrongRow = async (): Promise<number | undefined> => {
    using capture = await screen.capture({ kind: "screen" });
    return firstWrongRow(capture, app);
  };

  /** The first time, this redirects all windows on our own connection. */
  const takePicture = async (which: number): Promise<void> => {
    const windowId = painter.windows[which % Math.max(1, painter.windows.length)];
    if (windowId === undefined) return;
    const capture = await screen.capture({ kind: "window", windowId }).catch(() => undefined);
    capture?.[Symbol.dispose]();
  };

  // On our own connection the server has no idle moment between the change and the capture.
  test.each(["another", "our own"])(
    "is right after any sequence of changes made on %s connection: painting, moving, mapping, redirecting, closing",
    async (whose) => {
      let looks = 0;
      let partial = 0;
      const steps = fc.array(fc.record({ change: step(size), isLookedAt: fc.boolean() }), {
        minLength: 120,
        maxLength: 160,
        size: "max",
      });
      const check = fc.asyncProperty(steps, async (sequence) => {
        const c = whose === "another" ? await connect() : await display.connect();
        painter = new Painter(c);
        for (const { change, isLookedAt } of sequence) {
          await painter.take(change);
          if (whose === "another") await c.sync();
          if (change.kind === "picture of a window") await takePicture(change.which);
          if (!isLookedAt) continue;
          const found = { after: change.kind, wrongRow: await wrongRow() };
          expect(found).toEqual({ after: change.kind, wrongRow: undefined });
          looks += 1;
          if (cache.fetchedRows < size.height) partial += 1;
        }
        if (whose === "another") c.close();
        for (const id of painter.windows) destroyWindow(app, id);
        await untilEmpty();
      });
      await fc.assert(check, { numRuns: 6, endOnFailure: true });
      expect(partial).toBeGreaterThan(looks / 2);
    },
  );

  const repaint = (c: Connection, window: number, colour: number): void => {
    changeWindowAttributes(c, window, { backgroundPixel: colour });
    c.send("ClearArea", new RequestWriter(61).u32(window).skip(8));
  };

  test("fetches no row while nothing happens, and only the rows of a window that is repainted", async () => {
    const window = await openTestWindow(app, { x: 50, y: 100, width: 80, height: 30, overrideRedirect: true });
    expect(await wrongRow()).toBeUndefined();
    expect(await wrongRow()).toBeUndefined();
    expect(cache.fetchedRows).toBe(0);
    repaint(app, window, 0x123456);
    await app.sync();
    expect(await wrongRow()).toBeUndefined();
    expect(cache.fetchedRows).toBe(30);
    repaint(app, app.root, 0x654321);
    await app.sync();
    expect(await wrongRow()).toBeUndefined();
    expect(cache.fetchedRows).toBe(size.height);
  });

  test("lets a picture copied over the socket arrive whole", async () => {
    const c = await display.connect();
    const window = await openTestWindow(c, { x: 50, y: 100, width: 80, height: 30, overrideRedirect: true });
    await redirectSubwindows(c, c.root);
    const socket = await ShmPool.open(c, ["socket"]);
    for (const colour of [0x112233, 0x445566]) {
      expect(await wrongRow()).toBeUndefined();
      repaint(c, window, colour);
      const { data } = await socket.grab(c.root, { x: 60, y: 110, width: 1, height: 1 });
      expect(data.readUIntLE(0, 3)).toBe(colour);
    }
  });

  test("never changes while it is in use", async () => {
    const window = await openTestWindow(app, { x: 0, y: 0, width: 80, height: 30, overrideRedirect: true });
    const first = await screen.capture({ kind: "screen" });
    const before = Buffer.from(first.pixels.data);
    repaint(app, window, 0x778899);
    await app.sync();
    expect(await wrongRow()).toBeUndefined();
    expect(before.equals(first.pixels.data)).toBe(true);
    first[Symbol.dispose]();
    expect(await wrongRow()).toBeUndefined();
    expect(cache.fetchedRows).toBe(30);
    first[Symbol.dispose]();
    using held = await screen.capture({ kind: "screen" });
    first[Symbol.dispose]();
    using other = await screen.capture({ kind: "screen" });
    expect(other.pixels.data.buffer).not.toBe(held.pixels.data.buffer);
  });

  test("is not drawn on when the pointer is asked for", async () => {
    expect(await wrongRow()).toBeUndefined();
    const pointed = await screen.capture({ kind: "screen" }, { includeCursor: true });
    pointed[Symbol.dispose]();
    expect(await wrongRow()).toBeUndefined();
  });

  test("is right after captures that were cancelled half-way", async () => {
    const window = await openTestWindow(app, { x: 0, y: 200, width: 80, height: 30, overrideRedirect: true });
    for (let moment = 0; moment < 40; moment++) {
      repaint(app, window, moment * 7919);
      await app.sync();
      const cancel = new AbortController();
      const work = screen.capture({ kind: "screen" }, { signal: cancel.signal }).then(
        (capture) => capture[Symbol.dispose](),
        () => {},
      );
      for (let turn = 0; turn < moment % 20; turn++) await Promise.resolve();
      if (moment >= 20) await new Promise((resolve) => setImmediate(resolve));
      cancel.abort();
      await work;
      expect(await wrongRow()).toBeUndefined();
    }
  });

  test("shows what a compositor paints above the windows, and what is there when it ends", async () => {
    const compositor = await connect();
    const window = await openTestWindow(app, { x: 50, y: 100, width: 80, height: 30, overrideRedirect: true });
    expect(await wrongRow()).toBeUndefined();
    const { opcode } = await needExtension(compositor, "Composite");
    const manual = 1;
    await compositor.checked("Redirect", new RequestWriter(opcode, 2).u32(compositor.root).u8(manual).skip(3));
    expect(await wrongRow()).toBeUndefined();
    const overlay = (await compositor.request("GetOverlay", new RequestWriter(opcode, 7).u32(compositor.root))).u32();
    expect(await wrongRow()).toBeUndefined();
    for (const target of [overlay, window, compositor.root, overlay]) {
      repaint(compositor, target, 0xabcdef + target);
      await compositor.sync();
      expect(await wrongRow()).toBeUndefined();
    }
    compositor.close();
    await app.sync();
    expect(await wrongRow()).toBeUndefined();
  });
});

test("the kept picture is right when the screen was resized and got its old size back", async () => {
  await using desktop = await startDesktop({ size: "800x600", windowManager: false });
  await using display = new XDisplay(desktop.env);
  const app = await openConnection(desktop.display, { env: desktop.env });
  const screen = new XScreen(display);
  const xrandr = (...args: string[]) => run("xrandr", args, { env: desktop.env });
  await openTestWindow(app, { x: 500, y: 400, width: 250, height: 150, colour: 0x3344ff, overrideRedirect: true });
  await xrandr("--output", "screen", "--off", "--fb", "790x590");
  for (const sizes of [["640x480"], ["800x600"], ["500x300", "800x600"], ["800x400", "700x590", "800x600"]]) {
    for (const each of sizes) await xrandr("--fb", each);
    using capture = await screen.capture({ kind: "screen" });
    expect(await firstWrongRow(capture, app)).toBeUndefined();
  }
  app.close();
});

test.each(["DAMAGE", "XFIXES", "MIT-SHM"])("without %s every picture is fetched whole", async (extension) => {
  await using desktop = await startDesktop({ size: "640x480", windowManager: false, args: ["-extension", extension] });
  await using display = new XDisplay(desktop.env);
  const app = await openConnection(desktop.display, { env: desktop.env });
  const screen = new XScreen(display);
  expect(await screenCache(await display.connect())).toBeUndefined();
  for (const y of [0, 100]) {
    await openTestWindow(app, { x: 0, y, width: 50, height: 50, colour: 0x3344ff, overrideRedirect: true });
    using capture = await screen.capture({ kind: "screen" });
    expect(await firstWrongRow(capture, app)).toBeUndefined();
  }
  app.close();
});

test("the kept picture shows one moment even if its parts are painted one after the other", async () => {
  // The server switches between clients as often as it can.
  await using desktop = await startDesktop({ size: "1920x1080", windowManager: false, args: ["-schedInterval", "1"] });
  await using display = new XDisplay(desktop.env);
  const app = await openConnection(desktop.display, { env: desktop.env });
  const screen = new XScreen(display);
  const cache = await screenCache(await display.connect());
  const brush = app.newId();
  app.send("CreateGC", new RequestWriter(55).u32(brush).u32(app.root).u32(0));
  const tops = Array.from({ length: 12 }, (_, index) => index * 90);
  let painted = 0;
  const paintNext = (): void => {
    const top = tops[painted % tops.length] ?? 0;
    app.send(
      "ChangeGC",
      new RequestWriter(56)
        .u32(brush)
        .u32(1 << 2)
        .u32(painted),
    );
    app.send("PolyFillRectangle", new RequestWriter(70).u32(app.root).u32(brush).i16(0).i16(top).u16(1920).u16(45));
    painted += 1;
  };
  for (const _ of tops) paintNext();
  await app.sync();
  const over = new AbortController();
  const painting = (async () => {
    while (!over.signal.aborted) {
      for (let count = 0; count < 5; count++) paintNext();
      await app.sync();
    }
  })();
  let partial = 0;
  for (let look = 0; look < 400; look++) {
    using capture = await screen.capture({ kind: "screen" });
    const counts = tops.map((top) => colourAt(capture, 0, top));
    const last = Math.max(...counts);
    expect(counts.toSorted((a, b) => a - b)).toEqual(tops.map((_, index) => last - tops.length + 1 + index));
    if ((cache?.fetchedRows ?? 0) < 1080) partial += 1;
  }
  over.abort();
  await painting;
  expect(partial).toBeGreaterThan(0);
  app.close();
});
