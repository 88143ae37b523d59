import { mkdir, mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startAdbServer, type AdbServer } from "./adb-server.ts";
import { makeSystem, startDaemon, type Daemon } from "./daemon.ts";
import { serveFramework, type Framework, type Held } from "./framework.ts";
import type { Panel } from "./commands/command.ts";
import type { DeviceEvent } from "./screen/app.ts";
import { allApps } from "./screen/apps.ts";
import { Phone } from "./screen/phone.ts";
import { Painter } from "./screen/picture.ts";
import { removeFolder } from "../../support/remove-folder.ts";

export interface AndroidOptions {
  readonly devices?: number;
  readonly size?: { readonly width: number; readonly height: number };
  readonly density?: number;
  /** Fraction of Android's own waiting times to really wait: 1 is a phone's second of quiet before each dump. */
  readonly timeScale?: number;
  /** How many displays each device has, with their own apps. */
  readonly displays?: number;
  /** Whether the adb server knows the devices from the start. */
  readonly isConnected?: boolean;
}

export interface AndroidTarget {
  /** adb's name for it: "127.0.0.1:port". */
  readonly serial: string;
  readonly phone: Phone;
  /** What each display shows; the first is the phone. */
  readonly panels: readonly Phone[];
  /** What happened to the device, oldest first. */
  events(): readonly DeviceEvent[];
  /** Clears the events so far. */
  forget(): void;
  /** Brings an app to the front by its label or package, as a person would. */
  open(app: string, display?: number): void;
  screenText(): string;
  /** Prepares the picture for the next screenshot. */
  paint(): Promise<void>;
  /** How often each command was called on the device. */
  readonly calls: ReadonlyMap<string, number>;
  hold(command: string): Held;
  /** As if the cable were pulled: the port closes and connections break. */
  killDaemon(): Promise<void>;
  /** As if it hung: connections stay open and nothing answers, until the result is disposed. */
  freezeDaemon(): Promise<Disposable>;
  startDaemon(): Promise<void>;
  isDaemonUp(): boolean;
}

export interface AndroidLab extends AsyncDisposable {
  readonly env: NodeJS.ProcessEnv;
  readonly serverPort: number;
  readonly devices: readonly AndroidTarget[];
  readonly adb: AdbServer["adb"];
  readonly killServer: () => Promise<void>;
  /** The PNG that the device itself makes. */
  readonly screencap: (serial: string) => Promise<Buffer>;
}

/** Android devices that real adb tools see: the real adbd, mksh and toybox, with a simulated framework behind them. */
export async function startAndroid(options: AndroidOptions = {}): Promise<AndroidLab> {
  const folder = await mkdtemp(join(tmpdir(), "handsight-android-"));
  const opened: AsyncDisposable[] = [];
  const close = async (): Promise<void> => {
    for (const one of opened.toReversed()) await one[Symbol.asyncDispose]();
    await removeFolder(folder);
  };
  try {
    const system = await makeSystem(folder);
    const server = await startAdbServer(folder);
    opened.push(server);
    const starting = Array.from({ length: options.devices ?? 1 }, async (_, index) => {
      const target = await startTarget(join(folder, String(index)), system, options);
      opened.push(target);
      return target;
    });
    await Promise.allSettled(starting);
    const devices = await Promise.all(starting);
    if (options.isConnected !== false) await Promise.all(devices.map(({ serial }) => connect(server, serial)));
    return {
      env: server.env,
      serverPort: server.port,
      devices,
      adb: server.adb,
      killServer: server.kill,
      screencap: server.screencap,
      [Symbol.asyncDispose]: close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

async function connect(server: AdbServer, serial: string): Promise<void> {
  await server.adb("connect", serial);
  await server.adb("-s", serial, "wait-for-device");
}

async function startTarget(
  sockets: string,
  system: string,
  options: AndroidOptions,
): Promise<AndroidTarget & AsyncDisposable> {
  await mkdir(sockets);
  const { size = { width: 1080, height: 2400 }, density = 420, timeScale = 0.05 } = options;
  const panels = Array.from({ length: options.displays ?? 1 }, (_, id) => {
    const shown = new Phone({ size, density, timeScale });
    return { phone: shown, painter: new Painter(shown), physical: physicalIds[id] ?? "", name: `Panel ${id}` };
  });
  const [{ phone, painter }] = panels as [Panel];
  const framework: Framework = await serveFramework(join(sockets, "screen"), { phone, painter, panels, properties });
  let daemon: Daemon = await startDaemon({ system, sockets, port: 0 });
  const { port } = daemon;
  return {
    serial: `127.0.0.1:${port}`,
    phone,
    panels: panels.map((panel) => panel.phone),
    events: () => phone.events,
    forget: () => void phone.events.splice(0),
    open(name, display = 0) {
      const app = allApps.find((one) => one.label === name || one.package === name);
      if (!app) throw new Error(`no app ${name}; there are ${allApps.map((one) => one.label).join(", ")}`);
      panels[display]?.phone.launch(app.package);
    },
    async paint() {
      await Promise.all([painter.png(), painter.raw()]);
    },
    screenText: () => phone.texts().join("\n"),
    calls: framework.calls,
    hold: (command) => framework.hold(command),
    killDaemon: () => daemon.kill(),
    freezeDaemon: () => daemon.freeze(),
    isDaemonUp: () => daemon.isUp(),
    async startDaemon() {
      daemon = await startDaemon({ system, sockets, port });
    },
    async [Symbol.asyncDispose]() {
      await daemon.kill();
      await framework[Symbol.asyncDispose]();
    },
  };
}

const physicalIds = ["4619827259835644672", "4619827259835644673"];

const properties: Readonly<Record<string, string>> = {
  "ro.build.version.release": "14",
  "ro.build.version.sdk": "34",
  "ro.product.manufacturer": "Example",
  "ro.product.model": "Simulated Phone",
  "ro.product.name": "simulated_phone",
  "ro.product.device": "simulated",
  "ro.boot.qemu": "0",
  "ro.sf.lcd_density": "420",
  "sys.boot_completed": "1",
  "ro.build.characteristics": "default",
};
