import { readFile } from "node:fs/promises";
import { hostname } from "node:os";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { poll } from "../../src/base/async.ts";
import type { Rect } from "../../src/base/geometry.ts";
import type { WindowInfo, Windows } from "../../src/platform/backend.ts";
import { XDisplay } from "../../src/platform/linux/display.ts";
import { pingWindow } from "../../src/platform/linux/windows/ping.ts";
import { XScreen } from "../../src/platform/linux/screen.ts";
import { findWindowManager } from "../../src/platform/linux/windows/manager.ts";
import { XWindows } from "../../src/platform/linux/windows.ts";
import type { Connection } from "../../src/platform/linux/x11/connection.ts";
import { getMonitors, setMonitor } from "../../src/platform/linux/x11/extensions.ts";
import { openConnection } from "../../src/platform/linux/x11/open.ts";
import {
  changeProperty,
  deleteProperty,
  destroyWindow,
  predefined,
  translateCoordinates,
  unmapWindow,
} from "../../src/platform/linux/x11/requests.ts";
import { RequestWriter } from "../../src/platform/linux/x11/wire.ts";
import { openTestWindow, type TestWindow } from "../support/windows.ts";
import { kill, startDesktop, type TestDesktop } from "../support/xvfb.ts";

async function failure(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => undefined,
    (error: unknown) => error,
  );
}

const reparent = (c: Connection, window: number, parent: number): Promise<void> =>
  c.checked("ReparentWindow", new RequestWriter(7).u32(window).u32(parent).u32(0));

const size = ({ width, height }: Rect) => ({ width, height });

describe("windows under a window manager", () => {
  let desktop: TestDesktop;
  let app: Connection;
  let display: XDisplay;
  let windows: Windows;
  const opened: number[] = [];

  async function open(window: Partial<TestWindow> = {}): Promise<number> {
    const id = await openTestWindow(app, { x: 100, y: 100, width: 300, height: 200, ...window });
    opened.push(id);
    return id;
  }

  async function need(id: number): Promise<WindowInfo> {
    const found = await windows.get(id);
    if (!found) throw new Error(`window ${id} is gone`);
    return found;
  }

  beforeAll(async () => {
    desktop = await startDesktop({ size: "1280x800" });
    app = await openConnection(desktop.display, { env: desktop.env });
  });

  beforeEach(async () => {
    for (const id of opened.splice(0)) destroyWindow(app, id);
    await app.sync();
    display = new XDisplay(desktop.env);
    windows = new XWindows(display);
    await poll(
      async () => ((await windows.list()).some(({ className }) => className === "TestApp") ? undefined : true),
      {
        timeoutMs: 5000,
        everyMs: 10,
      },
    );
    return () => display[Symbol.asyncDispose]();
  });

  afterAll(async () => {
    app.close();
    await desktop[Symbol.asyncDispose]();
  });

  test("are described with everything that is known about them, all of it in one list [S0-22, S3-77]", async () => {
    const id = await open({ title: "Ünïcode 你好 🎉", className: "TestApp", pid: process.pid });
    changeProperty(app, id, predefined.wmClientMachine, predefined.string, Buffer.from(hostname()));
    await app.sync();
    await poll(async () => ((await windows.active()) === id ? true : undefined), { timeoutMs: 5000, everyMs: 10 });
    const info = await need(id);
    const comm = (await readFile(`/proc/${process.pid}/comm`, "utf8")).trim();
    expect(info).toMatchObject({
      id,
      title: "Ünïcode 你好 🎉",
      appName: "TestApp",
      className: "TestApp",
      pid: process.pid,
      processName: comm,
      kind: "normal",
      isVisible: true,
      isMinimized: false,
      isMaximized: false,
      isFullscreen: false,
      isForeground: true,
      canMinimize: true,
      canMaximize: true,
      displayId: 1,
    });
    const inside = await translateCoordinates(app, id, app.root);
    expect(info.bounds).toMatchObject({ x: 100, y: 100 });
    expect(inside.y - info.bounds.y).toBeGreaterThan(10);
    expect(info.bounds.height).toBeGreaterThan(200 + 10);
    expect((await windows.list()).find((window) => window.id === id)).toEqual(info);
  });

  test("fall back on the old title, the process name, and no process at all on another machine", async () => {
    const id = await open({ pid: process.pid });
    deleteProperty(app, id, await app.atom("_NET_WM_NAME"));
    deleteProperty(app, id, predefined.wmClass);
    changeProperty(app, id, predefined.wmName, predefined.string, Buffer.from("Caf\xe9", "latin1"));
    await app.sync();
    const local = await need(id);
    expect(local).toMatchObject({ title: "Café", className: "", pid: process.pid });
    expect(local.appName).toBe(local.processName);
    expect(local.appName).not.toBe("");
    changeProperty(app, id, predefined.wmClientMachine, predefined.string, Buffer.from("some-other-machine"));
    await app.sync();
    expect(await need(id)).toMatchObject({ pid: undefined, processName: "", appName: "" });
  });

  test("come topmost first, menus and minimised ones included", async () => {
    const bottom = await open({ title: "bottom" });
    const hidden = await open({ title: "hidden" });
    const top = await open({ title: "top" });
    const menu = await open({ title: "menu", overrideRedirect: true, type: "_NET_WM_WINDOW_TYPE_POPUP_MENU", y: 300 });
    const tip = await open({ title: "tip", overrideRedirect: true, type: "_NET_WM_WINDOW_TYPE_TOOLTIP", y: 500 });
    await windows.change(hidden, { to: "minimize" });
    await windows.change(top, { to: "front" });
    const list = await windows.list();
    const order = list.map(({ id }) => id);
    expect(order.indexOf(tip)).toBeLessThan(order.indexOf(menu));
    expect(order.indexOf(menu)).toBeLessThan(order.indexOf(top));
    expect(order.indexOf(top)).toBeLessThan(order.indexOf(bottom));
    expect(order).toContain(hidden);
    const byId = new Map(list.map((window) => [window.id, window]));
    expect(byId.get(menu)).toMatchObject({ kind: "menu", canMinimize: false, isVisible: true });
    expect(byId.get(tip)).toMatchObject({ kind: "tooltip" });
    expect(byId.get(hidden)).toMatchObject({ isMinimized: true, isVisible: false });
    expect(await failure(windows.change(menu, { to: "focus" }))).toMatchObject({ code: "not_supported" });
  });

  test("distinguish dialogs and panels from ordinary windows", async () => {
    const main = await open();
    const dialog = await open({ type: "_NET_WM_WINDOW_TYPE_DIALOG" });
    const child = await open({});
    changeProperty(app, child, predefined.wmTransientFor, predefined.window, { u32: [main] });
    const utility = await open({ type: "_NET_WM_WINDOW_TYPE_UTILITY" });
    const kinds = await Promise.all([main, dialog, child, utility].map(async (id) => (await need(id)).kind));
    expect(kinds).toEqual(["normal", "dialog", "dialog", "utility"]);
  });

  test("belong to the display that shows most of them", async () => {
    const c = await display.connect();
    const outputs = (await getMonitors(c))[0]?.outputs ?? [];
    const [left, right] = [await c.atom("left"), await c.atom("right")];
    const size = { width: 169, height: 212 };
    await setMonitor(c, { name: left, isPrimary: true, x: 0, y: 0, width: 640, height: 800, size, outputs });
    await setMonitor(c, { name: right, isPrimary: false, x: 640, y: 0, width: 640, height: 800, size, outputs: [] });
    try {
      const displays = await new XScreen(display).displays();
      const [onLeft, onRight, nowhere] = [
        await open({ x: 400, width: 300, overrideRedirect: true }),
        await open({ x: 500, width: 300, overrideRedirect: true }),
        await open({ x: -500, width: 300, overrideRedirect: true }),
      ];
      const names = await Promise.all(
        [onLeft, onRight, nowhere].map(async (id) => {
          const { displayId } = await need(id);
          return displays.find((candidate) => candidate.id === displayId)?.name;
        }),
      );
      expect(names).toEqual(["left", "right", undefined]);
    } finally {
      const { opcode } = (await c.extension("RANDR")) ?? { opcode: 0 };
      for (const name of [left, right]) {
        await c.checked("RANDR.DeleteMonitor", new RequestWriter(opcode, 44).u32(c.root).u32(name));
      }
    }
  });

  test("get the focus and come to the front, one after the other [S3-10, S3-77]", async () => {
    const [first, second] = [await open({ title: "first" }), await open({ title: "second", x: 150 })];
    for (const id of [first, second, first]) {
      await windows.change(id, { to: "focus" });
      expect(await windows.active()).toBe(id);
      expect((await need(id)).isForeground).toBe(true);
    }
    await windows.change(second, { to: "front" });
    const order = (await windows.list()).map(({ id }) => id);
    expect(order.indexOf(second)).toBeLessThan(order.indexOf(first));
  });

  test("go to the back [S3-10]", async () => {
    const [first, second, third] = [await open(), await open({ x: 150 }), await open({ x: 200 })];
    await windows.change(third, { to: "back" });
    const order = (await windows.list()).map(({ id }) => id);
    expect(order.indexOf(third)).toBeGreaterThan(order.indexOf(first));
    expect(order.indexOf(third)).toBeGreaterThan(order.indexOf(second));
  });

  test("are minimised and restored, maximised and restored to the size they had [S3-10, S3-77]", async () => {
    const id = await open();
    const { bounds } = await need(id);
    await windows.change(id, { to: "minimize" });
    expect(await need(id)).toMatchObject({ isMinimized: true, isVisible: false });
    await windows.change(id, { to: "minimize" });
    await windows.change(id, { to: "restore" });
    expect(await need(id)).toMatchObject({ isMinimized: false, isVisible: true, bounds });
    await windows.change(id, { to: "maximize" });
    const large = await need(id);
    expect(large.isMaximized).toBe(true);
    expect(size(large.bounds)).toEqual({ width: 1280, height: 800 });
    await windows.change(id, { to: "minimize" });
    await windows.change(id, { to: "maximize" });
    expect(await need(id)).toMatchObject({ isMinimized: false, isMaximized: true });
    await windows.change(id, { to: "restore" });
    expect(await need(id)).toMatchObject({ isMaximized: false, bounds });
  });

  test("end up with their visible bounds where they were sent", async () => {
    const id = await open();
    const before = await need(id);
    await windows.change(id, { to: "move", x: 333, y: 222 });
    expect((await need(id)).bounds).toEqual({ ...size(before.bounds), x: 333, y: 222 });
    await windows.change(id, { to: "resize", width: 500, height: 400 });
    expect((await need(id)).bounds).toEqual({ x: 333, y: 222, width: 500, height: 400 });
    await windows.change(id, { to: "maximize" });
    await windows.change(id, { to: "move", x: 40, y: 50 });
    expect(await need(id)).toMatchObject({ isMaximized: false, bounds: { x: 40, y: 50 } });
    await windows.change(id, { to: "move", x: -100, y: 50 });
    expect((await need(id)).bounds.x).toBe(-100);
    expect(await failure(windows.change(id, { to: "resize", width: 1, height: 1 }))).toMatchObject({
      code: "invalid_argument",
    });
  });

  test("with their own shadow are placed by what is visible", async () => {
    const id = await open();
    changeProperty(app, id, await app.atom("_MOTIF_WM_HINTS"), await app.atom("_MOTIF_WM_HINTS"), {
      u32: [2, 0, 0, 0, 0],
    });
    changeProperty(app, id, await app.atom("_GTK_FRAME_EXTENTS"), predefined.cardinal, { u32: [20, 20, 10, 30] });
    await app.sync();
    const bare = await poll(async () => ((await need(id)).bounds.width === 260 ? true : undefined), {
      timeoutMs: 5000,
      everyMs: 10,
    });
    expect(bare).toBe(true);
    await windows.change(id, { to: "move", x: 200, y: 100 });
    await windows.change(id, { to: "resize", width: 400, height: 300 });
    expect((await need(id)).bounds).toEqual({ x: 200, y: 100, width: 400, height: 300 });
    expect(await translateCoordinates(app, id, app.root)).toMatchObject({ x: 180, y: 90 });
  });

  test("whose app insists on its size are reported with the size they have", async () => {
    const id = await open();
    const fixed = [0x30, 0, 0, 0, 0, 300, 200, 300, 200, ...Array.from({ length: 9 }, () => 0)];
    changeProperty(app, id, predefined.wmNormalHints, 41, { u32: fixed });
    await app.sync();
    const refused = await failure(windows.change(id, { to: "resize", width: 700, height: 600 }));
    const { bounds } = await need(id);
    expect(bounds.width).toBeLessThan(400);
    expect(refused).toMatchObject({
      code: "timeout",
      message: expect.stringContaining(`${bounds.width}×${bounds.height}`),
    });
  });

  test("close when their app agrees, and time out with advice when it does not", async () => {
    const willing = await open({ onClose: "destroy" });
    await windows.change(willing, { to: "close" });
    expect(await windows.get(willing)).toBeUndefined();
    expect((await windows.list()).some(({ id }) => id === willing)).toBe(false);
    const stubborn = await open({ onClose: "ignore" });
    expect(await failure(windows.change(stubborn, { to: "close" }))).toMatchObject({
      code: "timeout",
      details: { hint: expect.stringContaining("dialog") },
    });
    expect(await windows.get(stubborn)).toBeDefined();
  });

  test("that are gone or withdrawn are reported as gone", async () => {
    const id = await open();
    const withdrawn = await open();
    destroyWindow(app, id);
    unmapWindow(app, withdrawn);
    await app.sync();
    expect(await windows.get(id)).toBeUndefined();
    expect(
      await poll(async () => ((await windows.get(withdrawn)) === undefined ? true : undefined), {
        timeoutMs: 3000,
        everyMs: 10,
      }),
    ).toBe(true);
    for (const to of ["focus", "front", "back", "minimize", "restore", "maximize", "close"] as const) {
      expect(await failure(windows.change(id, { to }))).toMatchObject({
        code: "window_gone",
        message: expect.stringContaining(String(id)),
      });
    }
    expect(await failure(windows.change(id, { to: "move", x: 1, y: 1 }))).toMatchObject({ code: "window_gone" });
  });

  test("answer a ping when their app has read its input, or cannot tell", async () => {
    const lively = await open({ answersPing: true });
    const mute = await open();
    expect(await windows.drained?.(lively)).toBe(true);
    expect(await windows.drained?.(mute)).toBe(false);
    const c = await display.connect();
    expect(await pingWindow(c, mute, { timeoutMs: 50 })).toBe("unsupported");
    const protocols = await app.atom("WM_PROTOCOLS");
    const deaf = await open();
    const other = await openConnection(desktop.display, { env: desktop.env });
    try {
      const hung = await openTestWindow(other, { x: 0, y: 0, width: 50, height: 50 });
      changeProperty(other, hung, protocols, predefined.atom, { u32: [await app.atom("_NET_WM_PING")] });
      await other.sync();
      const answers = await Promise.all([
        pingWindow(c, lively, { timeoutMs: 5000 }),
        pingWindow(c, lively, { timeoutMs: 5000 }),
      ]);
      expect(answers).toEqual(["answered", "answered"]);
    } finally {
      other.close();
    }
    destroyWindow(app, deaf);
    await app.sync();
    expect(await pingWindow(c, deaf, { timeoutMs: 50 })).toBe("unsupported");
  });

  test("stop being waited for when the call is cancelled", async () => {
    const asked: number[] = [];
    const protocols = await app.atom("WM_PROTOCOLS");
    const stop = app.on((event) => {
      if (event.type === "ClientMessage" && event.messageType === protocols) asked.push(event.window);
    });
    const stubborn = await open({ onClose: "ignore" });
    const cancel = new AbortController();
    const closing = failure(windows.change(stubborn, { to: "close" }, { signal: cancel.signal }));
    await poll(async () => (asked.includes(stubborn) ? true : undefined), { timeoutMs: 5000, everyMs: 5 });
    stop();
    cancel.abort();
    expect(await closing).toMatchObject({ code: "cancelled" });
  });

  test("of a real editor are listed, moved, captured and closed", async () => {
    const editor = desktop.spawn("mousepad", ["--disable-server"]);
    const found = await poll(
      async () => (await windows.list()).find(({ className, isVisible }) => className === "Mousepad" && isVisible),
      { timeoutMs: 20_000, everyMs: 50 },
    );
    expect(found).toMatchObject({ appName: "Mousepad", processName: "mousepad", kind: "normal", pid: editor.pid });
    const id = found?.id ?? 0;
    expect(found?.title).toContain("Mousepad");
    await windows.change(id, { to: "focus" });
    expect(await windows.drained?.(id)).toBe(true);
    await windows.change(id, { to: "move", x: 64, y: 48 });
    await windows.change(id, { to: "resize", width: 720, height: 520 });
    expect((await need(id)).bounds).toEqual({ x: 64, y: 48, width: 720, height: 520 });
    const cover = await open({ x: 0, y: 0, width: 1200, height: 700, colour: 0xff00ff });
    await windows.change(cover, { to: "front" });
    const screen = new XScreen(display);
    {
      using capture = await screen.capture({ kind: "window", windowId: id });
      expect(capture.bounds).toEqual({ x: 64, y: 48, width: 720, height: 520 });
      const colours = new Set<number>();
      for (let at = 0; at < capture.pixels.data.length; at += 4) {
        colours.add(Buffer.from(capture.pixels.data).readUInt32LE(at) & 0xffffff);
        if (colours.size > 20) break;
      }
      expect(colours.size).toBeGreaterThan(3);
      expect(colours.has(0xff00ff)).toBe(false);
      const middle = (260 * 720 + 360) * 4;
      expect(Buffer.from(capture.pixels.data).readUInt32LE(middle) & 0xffffff).not.toBe(0);
    }
    await windows.change(id, { to: "close" });
    expect(await windows.get(id)).toBeUndefined();
    await kill(editor);
  });
});

test("on a new desktop there is none, and the window manager's own is not the active one", async () => {
  await using desktop = await startDesktop();
  await using display = new XDisplay(desktop.env);
  const windows = new XWindows(display);
  expect(await windows.list()).toEqual([]);
  expect(await windows.active()).toBeUndefined();
});

describe("windows without a window manager", () => {
  test("can still be listed, focused, raised, moved and closed", async () => {
    await using desktop = await startDesktop({ windowManager: false });
    await using display = new XDisplay(desktop.env);
    const windows = new XWindows(display);
    const app = await openConnection(desktop.display, { env: desktop.env });
    try {
      const place = { x: 10, y: 20, width: 200, height: 100 };
      const first = await openTestWindow(app, { ...place, title: "first", onClose: "destroy" });
      const second = await openTestWindow(app, { ...place, title: "second" });
      expect((await windows.list()).map(({ title }) => title)).toEqual(["second", "first"]);
      await windows.change(first, { to: "focus" });
      expect(await windows.active()).toBe(first);
      expect((await windows.list()).map(({ title }) => title)).toEqual(["first", "second"]);
      await windows.change(first, { to: "back" });
      expect((await windows.list()).map(({ title }) => title)).toEqual(["second", "first"]);
      await windows.change(first, { to: "move", x: 300, y: 200 });
      await windows.change(first, { to: "resize", width: 150, height: 160 });
      expect((await windows.get(first))?.bounds).toEqual({ x: 300, y: 200, width: 150, height: 160 });
      expect(await failure(windows.change(first, { to: "minimize" }))).toMatchObject({
        code: "not_supported",
        message: expect.stringContaining("no window manager"),
      });
      await windows.change(first, { to: "close" });
      expect(await windows.get(first)).toBeUndefined();
      expect(await failure(windows.change(second, { to: "close" }))).toMatchObject({ code: "not_supported" });
    } finally {
      app.close();
    }
  });

  test("are listed once while they are being framed", async () => {
    await using desktop = await startDesktop({ windowManager: false });
    await using display = new XDisplay(desktop.env);
    const windows = new XWindows(display);
    const app = await openConnection(desktop.display, { env: desktop.env });
    try {
      const place = { x: 10, y: 20, width: 200, height: 100 };
      const [manager, frame, client] = [
        await openTestWindow(app, { ...place, map: false }),
        await openTestWindow(app, place),
        await openTestWindow(app, place),
      ];
      const atoms = await app.atoms("_NET_SUPPORTING_WM_CHECK", "_NET_CLIENT_LIST");
      for (const window of [app.root, manager]) {
        changeProperty(app, window, atoms._NET_SUPPORTING_WM_CHECK, predefined.window, { u32: [manager] });
      }
      changeProperty(app, app.root, atoms._NET_CLIENT_LIST, predefined.window, { u32: [client] });
      const looked = new AbortController();
      const framing = (async () => {
        while (!looked.signal.aborted) for (const parent of [frame, app.root]) await reparent(app, client, parent);
      })();
      const lists: number[][] = [];
      while (lists.length < 500) lists.push((await windows.list()).map(({ id }) => id));
      looked.abort();
      await framing;
      expect(lists.filter((ids) => new Set(ids).size < ids.length)).toEqual([]);
    } finally {
      app.close();
    }
  });

  test("are still found when the window manager has crashed", async () => {
    await using desktop = await startDesktop();
    await using display = new XDisplay(desktop.env);
    const windows = new XWindows(display);
    const c = await display.connect();
    const id = await openTestWindow(c, { x: 10, y: 20, width: 200, height: 100, title: "survivor" });
    await kill(desktop.windowManager);
    const lone = await poll(async () => ((await findWindowManager(c)) === undefined ? true : undefined), {
      timeoutMs: 5000,
      everyMs: 10,
    });
    expect(lone).toBe(true);
    expect((await windows.list()).map(({ title }) => title)).toEqual(["survivor"]);
    await windows.change(id, { to: "focus" });
    expect(await windows.active()).toBe(id);
  });
});
