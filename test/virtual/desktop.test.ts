import { execFile, spawn } from "node:child_process";
import { lstatSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { poll } from "../../src/base/async.ts";
import type { Connection } from "../../src/platform/linux/x11/connection.ts";
import { fakeInput, getCursorImage, getMonitors } from "../../src/platform/linux/x11/extensions.ts";
import { openConnection } from "../../src/platform/linux/x11/open.ts";
import { getGeometry, getImage, getProperty, toNumbers } from "../../src/platform/linux/x11/requests.ts";
import { openVirtualDesktop } from "../../src/platform/virtual/desktop.ts";
import type { VirtualDesktop, VirtualDesktopOptions } from "../../src/platform/virtual/desktop.ts";
import { findInDesktop, markerName } from "../../src/platform/virtual/processes.ts";
import { leftOver, noteTraces } from "./traces.ts";

const run = promisify(execFile);
const patience = { timeoutMs: 20_000, everyMs: 30 };

async function open(options: Partial<VirtualDesktopOptions> = {}): Promise<VirtualDesktop> {
  const desktop = await openVirtualDesktop({ width: 800, height: 600, monitors: 1, scale: 1, ...options });
  onTestFinished(() => desktop[Symbol.asyncDispose]());
  return desktop;
}

async function connect(desktop: VirtualDesktop): Promise<Connection> {
  const connection = await openConnection(desktop.display, { env: desktop.env });
  onTestFinished(() => connection.close());
  return connection;
}

function start(desktop: VirtualDesktop, program: string, ...args: string[]): void {
  spawn(program, args, { env: desktop.env, stdio: "ignore" });
}

async function rootNumbers(connection: Connection, name: string): Promise<readonly number[]> {
  return toNumbers(await getProperty(connection, connection.root, await connection.atom(name)));
}

/** The window the window manager shows with this title. */
async function awaitWindow(connection: Connection, title: string): Promise<number> {
  const nameAtom = await connection.atom("_NET_WM_NAME");
  const found = await poll(async () => {
    for (const window of await rootNumbers(connection, "_NET_CLIENT_LIST")) {
      const name = await getProperty(connection, window, nameAtom).catch(() => undefined);
      if (name?.value.toString().includes(title)) return window;
    }
    return undefined;
  }, patience);
  if (found === undefined) throw new Error(`No window with "${title}" in its title appeared.`);
  return found;
}

async function dbus(desktop: VirtualDesktop, bus: string, ...call: string[]): Promise<string> {
  const { stdout } = await run("dbus-send", [bus, "--print-reply=literal", ...call], { env: desktop.env });
  return stdout.trim();
}

test("a program started with the desktop's environment gets a window and an accessible tree", async () => {
  const desktop = await open();
  const connection = await connect(desktop);
  start(desktop, "mousepad");
  await awaitWindow(connection, "Mousepad");

  const readStatus = (name: string) =>
    dbus(
      desktop,
      "--session",
      "--dest=org.a11y.Bus",
      "/org/a11y/bus",
      "org.freedesktop.DBus.Properties.Get",
      "string:org.a11y.Status",
      `string:${name}`,
    );
  expect(await readStatus("IsEnabled")).toMatch(/boolean true/);
  expect(await readStatus("ScreenReaderEnabled")).toMatch(/boolean true/);

  const { AT_SPI_BUS: atom } = await connection.atoms("AT_SPI_BUS");
  const bus = (await getProperty(connection, connection.root, atom))?.value.toString();
  const apps = await poll(async () => {
    const answer = await dbus(
      desktop,
      `--bus=${bus}`,
      "--dest=org.a11y.atspi.Registry",
      "/org/a11y/atspi/accessible/root",
      "org.freedesktop.DBus.Properties.Get",
      "string:org.a11y.atspi.Accessible",
      "string:ChildCount",
    );
    return / [1-9]\d*$/.test(answer) ? answer : undefined;
  }, patience);
  expect(apps).toMatch(/int32 [1-9]/);
});

test("the empty desktop shows a calm background and an arrow pointer", async () => {
  const connection = await connect(await open());
  const { data } = await getImage(connection, connection.root, { x: 3, y: 3, width: 1, height: 1 });
  expect([...data.subarray(0, 3)]).toEqual([0x58, 0x48, 0x2f]);
  const cursor = await getCursorImage(connection);
  expect([...cursor.pixels].some((byte) => byte !== 0)).toBe(true);
  // The hot spot of an arrow is its upper left corner, that of the server's plain cross its centre.
  expect(Math.max(cursor.hotX, cursor.hotY)).toBeLessThan(cursor.width / 2 - 2);
});

test("a right click on the empty desktop opens no menu", async () => {
  const desktop = await open({ width: 1600, height: 900 });
  const connection = await connect(desktop);
  const corner = { x: 1400, y: 700, width: 200, height: 200 };
  const before = await getImage(connection, connection.root, corner);
  await fakeInput(connection, [
    { kind: "motion", x: 1450, y: 750 },
    { kind: "button", button: 3, isDown: true },
    { kind: "button", button: 3, isDown: false },
  ]);
  // Once it has shown another window, the window manager has handled the click.
  start(desktop, "mousepad");
  await awaitWindow(connection, "Mousepad");
  const after = await getImage(connection, connection.root, corner);
  expect(after.data.equals(before.data)).toBe(true);
});

test("without a window manager the pointer is an arrow too", async () => {
  const desktop = await open({ windowManager: "none" });
  const connection = await connect(desktop);
  expect(await rootNumbers(connection, "_NET_SUPPORTING_WM_CHECK")).toEqual([]);
  const cursor = await getCursorImage(connection);
  expect(cursor.hotX).toBeLessThan(cursor.width / 2 - 2);
});

test("two monitors are side by side and a maximised window fills one of them", async () => {
  const desktop = await open({ width: 700, height: 500, monitors: 2 });
  expect(desktop.size).toEqual({ width: 1400, height: 500 });
  const connection = await connect(desktop);
  const monitors = await getMonitors(connection);
  expect(monitors.map(({ x, y, width, height, isPrimary }) => ({ x, y, width, height, isPrimary }))).toEqual([
    { x: 0, y: 0, width: 700, height: 500, isPrimary: true },
    { x: 700, y: 0, width: 700, height: 500, isPrimary: false },
  ]);
  start(desktop, "/usr/bin/python3", "-c", maximised, "maximised");
  const window = await awaitWindow(connection, "maximised");
  const width = await poll(async () => {
    const geometry = await getGeometry(connection, window);
    return geometry.width > 650 ? geometry.width : undefined;
  }, patience);
  expect(width).toBeLessThanOrEqual(700);
});

const maximised = `
import sys, gi
gi.require_version("Gtk", "3.0")
from gi.repository import Gtk
w = Gtk.Window(title=sys.argv[1])
w.show_all()
w.maximize()
Gtk.main()`;

/** The width in pixels of a window that contains just one line of text. */
async function textWidth(desktop: VirtualDesktop, toolkit: string): Promise<number> {
  const connection = await connect(desktop);
  const title = `probe ${toolkit}`;
  start(desktop, "/usr/bin/python3", "-c", textProbes[toolkit] ?? "", title);
  const window = await awaitWindow(connection, title);
  const width = await poll(async () => {
    const geometry = await getGeometry(connection, window);
    return geometry.width > 100 ? geometry.width : undefined;
  }, patience);
  return width ?? 0;
}

const gtkLabel = `l = Gtk.Label(label="M" * 40)`;
const qtLabel = `
import sys
app = QApplication([])
label = QLabel("M" * 40)
label.setWindowTitle(sys.argv[1])
label.setFixedSize(label.sizeHint())
label.show()
`;
const textProbes: Readonly<Record<string, string>> = {
  gtk3: `
import sys, gi
gi.require_version("Gtk", "3.0")
from gi.repository import Gtk
${gtkLabel}
w = Gtk.Window(title=sys.argv[1], resizable=False)
w.add(l)
w.show_all()
Gtk.main()`,
  gtk4: `
import sys, gi
gi.require_version("Gtk", "4.0")
from gi.repository import Gtk, GLib
Gtk.init()
${gtkLabel}
w = Gtk.Window(title=sys.argv[1], resizable=False, decorated=False)
w.set_child(l)
w.present()
GLib.MainLoop().run()`,
  qt5: `from PyQt5.QtWidgets import *${qtLabel}app.exec_()`,
  qt6: `from PyQt6.QtWidgets import *${qtLabel}app.exec()`,
};

test.each([{ scale: 2 }, { scale: 1.5 }])(
  "text of every toolkit is $scale times as wide at that scale",
  async ({ scale }) => {
    const [plain, scaled] = await Promise.all([open({ width: 1600 }), open({ width: 1600, scale })]);
    for (const toolkit of Object.keys(textProbes)) {
      const ratio = (await textWidth(scaled, toolkit)) / (await textWidth(plain, toolkit));
      // Glyphs are whole pixels wide, about 12 of them: one pixel is 8 per cent.
      expect.soft(ratio, toolkit).toBeGreaterThan(scale - 0.15);
      expect.soft(ratio, toolkit).toBeLessThan(scale + 0.15);
    }
    const connection = await connect(scaled);
    expect((await getCursorImage(connection)).width).toBeGreaterThan(24);
  },
  120_000,
);

test("four desktops opened at once have their own displays and see nothing of each other [S4-75]", async () => {
  const desktops = await Promise.all([open(), open(), open(), open()]);
  expect(new Set(desktops.map(({ display }) => display)).size).toBe(4);
  const [first, second] = desktops;
  if (!first || !second) throw new Error("unreachable");
  start(first, "mousepad");
  await awaitWindow(await connect(first), "Mousepad");
  expect(await rootNumbers(await connect(second), "_NET_CLIENT_LIST")).toEqual([]);
});

test("nobody gets in without the cookie, and only the owner can read it", async () => {
  const desktop = await open();
  const withoutCookie = openConnection(desktop.display, { env: { XAUTHORITY: "/dev/null" } });
  await expect(withoutCookie).rejects.toMatchObject({ code: "not_connected" });
  const folder = desktop.env["XAUTHORITY"]?.replace(/\/Xauthority$/, "") ?? "";
  expect(lstatSync(folder).mode & 0o777).toBe(0o700);
  expect(lstatSync(`${folder}/Xauthority`).mode & 0o777).toBe(0o600);
});

test("names every missing program with its package and the command that installs it", async () => {
  const path = process.env["PATH"];
  onTestFinished(() => {
    process.env["PATH"] = path;
  });
  process.env["PATH"] = "";
  const error: unknown = await open().catch((reason: unknown) => reason);
  expect(error).toMatchObject({ code: "not_supported" });
  expect(String(error)).toContain("Xvfb (package xvfb), dbus-daemon (package dbus), openbox (package openbox)");
  expect(error).toHaveProperty("details.hint", expect.stringContaining("sudo apt-get install xvfb dbus openbox"));
});

test("says what the X server said when it does not start", async () => {
  const folder = mkdtempSync(join(tmpdir(), "handsight-no-x-"));
  const path = process.env["PATH"];
  onTestFinished(() => {
    process.env["PATH"] = path;
    rmSync(folder, { recursive: true });
  });
  writeFileSync(join(folder, "Xvfb"), "#!/bin/sh\necho 'no memory for a screen' >&2\nexit 1\n", { mode: 0o700 });
  process.env["PATH"] = `${folder}:${path}`;
  await expect(open()).rejects.toMatchObject({
    code: "not_connected",
    message: expect.stringMatching(/X server ended.*\n.*no memory for a screen/),
  });
});

test.each([
  [{ width: 0 }, /width of 0/],
  [{ height: 12.5 }, /height of 12.5/],
  [{ monitors: 0 }, /0 monitors/],
  [{ scale: 9 }, /scale of 9/],
  [{ width: 20_000, monitors: 2 }, /2 of 20000×600/],
  [{ width: 32_767, height: 32_767 }, /8192×8192/],
])("refuses %j", async (options, message) => {
  await expect(open(options)).rejects.toMatchObject({
    code: "invalid_argument",
    message: expect.stringMatching(message),
  });
});

test("a call cancelled while the desktop starts ends with nothing left", async () => {
  const marker = `cancelled-${process.pid}`;
  process.env[markerName] = marker;
  onTestFinished(() => {
    delete process.env[markerName];
  });
  for (const programs of [1, 3, 5]) {
    const stop = new AbortController();
    const opening = open({ signal: stop.signal });
    opening.catch(() => {});
    await poll(async () => (findInDesktop(marker).length >= programs ? true : undefined), { ...patience, everyMs: 2 });
    stop.abort();
    await expect(opening).rejects.toMatchObject({ code: "cancelled" });
    expect(findInDesktop(marker)).toEqual([]);
  }
});

test.each([
  ["Xvfb", "X server"],
  ["openbox", "window manager"],
  ["dbus-daemon --session", "session bus"],
  ["at-spi-bus-launcher", "accessibility bus"],
])("when %s dies the desktop is lost and says so", async (command, name) => {
  const desktop = await open();
  const traces = noteTraces(desktop);
  const victim = await findCommand(desktop, command);
  process.kill(victim, "SIGKILL");
  expect(await desktop.lost).toMatch(new RegExp(`${name} ended by itself \\(SIGKILL\\)`));
  await desktop[Symbol.asyncDispose]();
  expect(leftOver(traces)).toEqual([]);
});

async function findCommand(desktop: VirtualDesktop, command: string): Promise<number> {
  const { stdout } = await run("ps", ["-eo", "pid=,args="]);
  const inside = new Set(findInDesktop(desktop.id).map(({ pid }) => pid));
  const line = stdout.split("\n").find((entry) => entry.includes(command) && inside.has(Number.parseInt(entry, 10)));
  if (line === undefined) throw new Error(`${command} does not run in ${desktop.id}.`);
  return Number.parseInt(line, 10);
}

test("a desktop that was disposed of is not reported as lost", async () => {
  const desktop = await open();
  await desktop[Symbol.asyncDispose]();
  const quiet = new Promise((resolve) => setImmediate(() => resolve("quiet")));
  expect(await Promise.race([desktop.lost, quiet])).toBe("quiet");
});
