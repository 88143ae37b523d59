import type { Pixels } from "../../base/frame.ts";
import type {
  Apps,
  Backend,
  CallOptions,
  Capture,
  Clipboard,
  Elements,
  Events,
  Keyboard,
  Pointer,
  Screen,
  Traces,
  Windows,
} from "../backend.ts";
import { toScope } from "../scope.ts";
import { applicationFolders } from "./apps.ts";
import { HostProcess } from "./host-process.ts";
import type { Places } from "./protocol.ts";
import type { MacCapture } from "./screen.ts";

export interface MacosOptions {
  /** The environment of the host process. */
  readonly env: NodeJS.ProcessEnv;
  readonly decode: (png: Uint8Array) => Promise<Pixels>;
  /** Where macOS is, if not where it always is. */
  readonly places?: Partial<Places> | undefined;
}

/** The desktop of a Mac. Every call goes to the host process, which starts with the first one. */
export function openMacos({ env, decode, places = {} }: MacosOptions): Backend {
  const host = new HostProcess(env, {
    screencapture: "/usr/sbin/screencapture",
    applicationFolders: applicationFolders(),
    ...places,
  });
  const part = <T>(name: string, methods: readonly (keyof T & string)[]): T =>
    Object.fromEntries(methods.map((method) => [method, remote(host, name, method)])) as T;
  return {
    id: "macos",
    screen: screenOf(host, decode),
    pointer: part<Pointer>("pointer", ["position", "move", "down", "up", "tap", "wheel"]),
    keyboard: part<Keyboard>("keyboard", ["down", "up", "text"]),
    windows: part<Windows>("windows", ["list", "get", "active", "change", "changes", "drained"]),
    apps: part<Apps>("apps", ["resolve", "running", "installed", "launch", "quit"]),
    clipboard: part<Clipboard>("clipboard", ["read", "write"]),
    traces: async (_windowId, options = {}) => (await host.call("clipboard", "traces", [options])) as Traces,
    elements: {
      ...part<Elements>("elements", ["tree", "at", "focused", "read", "perform", "text"]),
      scope: toScope,
      pressing: { selectsOnly: true },
    },
    events: eventsOf(host),
    diagnose: async () => (await host.call("host", "diagnose", [{}])) as Awaited<ReturnType<Backend["diagnose"]>>,
    [Symbol.asyncDispose]: () => host[Symbol.asyncDispose](),
  };
}

/** The host counts on the options being there. */
const remote =
  (host: HostProcess, part: string, method: string) =>
  (...args: readonly unknown[]): Promise<unknown> => {
    const count = before[`${part}.${method}`] ?? 0;
    return host.call(part, method, [...args.slice(0, count), args[count] ?? {}]);
  };

/** How many arguments come before the options. */
const before: Readonly<Record<string, number>> = {
  "pointer.move": 1,
  "pointer.down": 1,
  "pointer.up": 1,
  "pointer.tap": 1,
  "pointer.wheel": 1,
  "keyboard.down": 1,
  "keyboard.up": 1,
  "keyboard.text": 1,
  "windows.get": 1,
  "windows.drained": 1,
  "windows.change": 2,
  "apps.resolve": 1,
  "apps.launch": 2,
  "apps.quit": 1,
  "clipboard.write": 1,
  "elements.tree": 1,
  "elements.at": 1,
  "elements.read": 1,
  "elements.perform": 2,
  "elements.text": 1,
};

function screenOf(host: HostProcess, decode: MacosOptions["decode"]): Screen {
  return {
    units: "points",
    // Each picture is taken by a program of its own.
    isSlow: true,
    displays: (options: CallOptions = {}) =>
      host.call("screen", "displays", [options]) as ReturnType<Screen["displays"]>,
    bounds: (options: CallOptions = {}) => host.call("screen", "bounds", [options]) as ReturnType<Screen["bounds"]>,
    async capture(area, options = {}): Promise<Capture> {
      const { png, pixels, bounds, located } = (await host.call("screen", "capture", [area, options])) as MacCapture;
      const shown = pixels ?? (await decode(png ?? new Uint8Array()));
      return { pixels: shown, bounds, ...(located ? { located } : {}), [Symbol.dispose]() {} };
    },
  };
}

function eventsOf(host: HostProcess): Events {
  return {
    watch: (kinds, listener, { signal } = {}) => host.watch(kinds, listener, signal),
    told: async (options: CallOptions = {}) => (await host.call("events", "told", [options])) as number,
  };
}
