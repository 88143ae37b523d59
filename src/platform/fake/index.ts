import { ToolError } from "../../base/errors.ts";
import { screenPoint } from "../../base/geometry.ts";
import type { Apps, Backend, Clipboard, Finding, Keyboard, Pointer, WindowChange, Windows } from "../backend.ts";
import { FakeDesktop, type FakeOptions } from "./desktop.ts";
import { FakeScreen } from "./screen.ts";

export interface FakeBackend extends Backend {
  readonly desktop: FakeDesktop;
}

/** A scripted desktop in memory with the full contract: the reference implementation, and what unit tests run on. */
export function openFake(options: FakeOptions = {}): FakeBackend {
  const desktop = new FakeDesktop(options);
  return {
    id: "fake",
    desktop,
    screen: new FakeScreen(desktop),
    pointer: pointer(desktop),
    keyboard: keyboard(desktop),
    windows: windows(desktop),
    apps: apps(desktop),
    clipboard: clipboard(desktop),
    diagnose: async (): Promise<readonly Finding[]> => [
      { ability: "connection", status: "ok", detail: "A desktop in memory; nothing real is touched." },
    ],
    [Symbol.asyncDispose]: async () => {},
  };
}

function pointer(desktop: FakeDesktop): Pointer {
  return {
    async position() {
      return desktop.pointer;
    },
    async move(to, { signal } = {}) {
      await desktop.enter("move", signal);
      desktop.pointer = screenPoint(to.x, to.y);
      desktop.events.push(`move ${to.x},${to.y}`);
    },
    async down(button, { signal } = {}) {
      await desktop.enter("down", signal);
      desktop.buttonsDown.add(button);
      desktop.events.push(`down ${button}`);
    },
    async up(button) {
      await desktop.enter("up");
      desktop.buttonsDown.delete(button);
      desktop.events.push(`up ${button}`);
    },
    async wheel({ x, y }, { signal } = {}) {
      await desktop.enter("wheel", signal);
      desktop.events.push(`wheel ${x},${y}`);
    },
  };
}

function keyboard(desktop: FakeDesktop): Keyboard {
  return {
    async down(key, { signal } = {}) {
      await desktop.enter("key down", signal);
      desktop.keysDown.add(key);
      desktop.events.push(`key down ${key}`);
    },
    async up(key) {
      await desktop.enter("key up");
      desktop.keysDown.delete(key);
      desktop.events.push(`key up ${key}`);
    },
    async text(text, { signal } = {}) {
      for (const character of text) {
        await desktop.enter("type", signal);
        desktop.typed += character;
      }
      desktop.events.push(`type ${text}`);
    },
  };
}

function windows(desktop: FakeDesktop): Windows {
  return {
    async list({ signal } = {}) {
      await desktop.enter("list", signal);
      return desktop.windows.map(({ id }) => desktop.need(id));
    },
    async get(id, { signal } = {}) {
      await desktop.enter("get", signal);
      return desktop.find(id);
    },
    async active() {
      return desktop.activeWindow;
    },
    async change(id, change, { signal } = {}) {
      await desktop.enter(`window ${change.to}`, signal);
      desktop.need(id);
      desktop.events.push(`window ${change.to} ${id}`);
      apply(desktop, id, change);
    },
    async drained() {
      return true;
    },
  };
}

function apply(desktop: FakeDesktop, id: number, change: WindowChange): void {
  const { bounds } = desktop.need(id);
  switch (change.to) {
    case "focus":
    case "front":
    case "restore":
      desktop.update(id, { isMinimized: false, isMaximized: false, isVisible: true });
      desktop.raise(id);
      desktop.activeWindow = id;
      return;
    case "back":
      desktop.windows = [...desktop.windows.filter((window) => window.id !== id), desktop.need(id)];
      return;
    case "minimize":
      return desktop.update(id, { isMinimized: true, isVisible: false });
    case "maximize":
      return desktop.update(id, { isMaximized: true, bounds: desktop.bounds });
    case "close":
      return desktop.close(id);
    case "move":
      return desktop.update(id, { bounds: { ...bounds, x: change.x, y: change.y } });
    case "resize":
      return desktop.update(id, { bounds: { ...bounds, width: change.width, height: change.height } });
  }
}

function apps(desktop: FakeDesktop): Apps {
  return {
    async running() {
      const pids = [...new Set(desktop.windows.map((window) => window.pid ?? 0))];
      return pids.map((pid) => {
        const own = desktop.windows.filter((window) => (window.pid ?? 0) === pid);
        const [first] = own;
        return {
          pid,
          name: first?.appName ?? "",
          executable: first?.processName ?? "",
          windowIds: own.map(({ id }) => id),
        };
      });
    },
    async installed() {
      return [{ id: "fake-app", name: "FakeApp", executable: "fake-app" }];
    },
    async resolve(app) {
      return { executable: app, isInstalled: !app.includes("/"), runsCommands: app === "fake-terminal" };
    },
    async launch(app, args) {
      await desktop.enter("launch");
      if (app.toLowerCase().includes("missing")) throw new ToolError("not_found", `There is no app "${app}".`);
      desktop.events.push(`launch ${[app, ...args].join(" ")}`);
      return { pid: 2000 };
    },
    async quit(pid, { force = false } = {}) {
      await desktop.enter("quit");
      if (!desktop.windows.some((window) => window.pid === pid)) {
        throw new ToolError("process_not_running", `Process ${pid} is not running.`);
      }
      desktop.events.push(`quit ${pid}${force ? " by force" : ""}`);
      for (const { id } of desktop.windows.filter((window) => window.pid === pid)) desktop.close(id);
    },
  };
}

function clipboard(desktop: FakeDesktop): Clipboard {
  return {
    async read() {
      return desktop.clipboard;
    },
    async write(text) {
      desktop.clipboard = text;
    },
  };
}
