import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { throwIfCancelled, withDeadline } from "../../base/async.ts";
import type { Connection } from "../linux/x11/connection.ts";
import { openConnection } from "../linux/x11/open.ts";
import { awaitStart, firstCause, startCore } from "./core-process.ts";
import type { CoreProcess, CoreProgram } from "./core-process.ts";
import { authorityPath, desktopEnvironment, sessionBus, textDpi } from "./environment.ts";
import type { DesktopFolder } from "./folder.ts";
import type { Settings } from "./messages.ts";
import { openboxConfig } from "./openbox.ts";
import { recordXServer } from "./remove.ts";
import { awaitManager } from "./manager-ready.ts";
import { awaitRootProperty, prepareScreen } from "./screen.ts";
import { authorityFile, cookieLength } from "./xauthority.ts";

export interface StartedDesktop {
  readonly display: string;
  /** Resolves with the reason as soon as one of the core processes has ended. */
  readonly lost: Promise<string>;
}

interface Start {
  readonly folder: DesktopFolder;
  readonly settings: Settings;
  readonly signal: AbortSignal;
  readonly env: NodeJS.ProcessEnv;
}

/** Starts everything in order of dependence; independent parts start together. */
export async function startDesktop(
  folder: DesktopFolder,
  settings: Settings,
  signal: AbortSignal,
): Promise<StartedDesktop> {
  const place = { id: folder.id, folder: folder.path, scale: settings.scale };
  const bare: Start = { folder, settings, signal, env: desktopEnvironment(process.env, { ...place, display: "" }) };
  const { server, display } = await startXServer(bare);
  const start: Start = { ...bare, env: desktopEnvironment(process.env, { ...place, display }) };
  const connection = await openConnection(display, { env: start.env, signal });
  const [bus] = await Promise.all([startSessionBus(start), prepareScreen(connection, settings)]);
  const [accessibility, windowManager] = await Promise.all([
    startAccessibilityBus(start, connection),
    startWindowManager(start, connection),
  ]);
  const core = [server, bus, accessibility, ...windowManager];
  // The connection stays open: the settings of the screen last only as long as it does.
  return { display, lost: firstCause(core) };
}

function run(
  { env, settings, signal }: Start,
  program: Pick<CoreProgram, "name" | "program" | "args" | "announcesOn">,
) {
  // A desktop that is abandoned while it starts is cleaned up once, so nothing may be started after that.
  throwIfCancelled(signal);
  return startCore({ ...program, env, setpriv: settings.programs.setpriv });
}

// Without -noreset the server forgets everything when its last client leaves; -s 0 keeps it from blanking.
const serverOptions = ["-nolisten", "tcp", "-noreset", "-s", "0"];

async function startXServer(start: Start): Promise<{ server: CoreProcess; display: string }> {
  const { folder, settings, signal } = start;
  const authority = authorityPath(folder.path);
  writeFileSync(authority, authorityFile(randomBytes(cookieLength)), { mode: 0o600 });
  const screen = `${settings.width * settings.monitors}x${settings.height}x24`;
  const dpi = String(textDpi(settings.scale));
  for (let attempt = 1; ; attempt++) {
    const server = run(start, {
      name: "The X server",
      program: settings.programs.xvfb,
      args: ["-displayfd", "3", "-auth", authority, "-screen", "0", screen, "-dpi", dpi, ...serverOptions],
      announcesOn: 3,
    });
    try {
      const number = await awaitStart(server, "the X server", signal, () => server.firstLine);
      recordXServer(folder, Number(number), server.pid);
      return { server, display: `:${number}` };
    } catch (error) {
      // If two servers choose the same number at the same moment, one ends; the next try finds another number.
      if (attempt === 3 || signal.aborted) throw error;
    }
  }
}

async function startSessionBus(start: Start): Promise<CoreProcess> {
  const address = `--address=${sessionBus(start.folder.path)}`;
  const bus = run(start, {
    name: "The D-Bus session bus",
    program: start.settings.programs.dbusDaemon,
    args: ["--session", address, "--nofork", "--nopidfile", "--nosyslog", "--print-address=1"],
    announcesOn: 1,
  });
  await awaitStart(bus, "the session bus", start.signal, () => bus.firstLine);
  return bus;
}

// A launcher built without X11 never publishes the address; toolkits then ask the session bus for it.
const addressPatienceMs = 2000;

async function startAccessibilityBus(start: Start, connection: Connection): Promise<CoreProcess> {
  const launcher = run(start, {
    name: "The accessibility bus",
    program: start.settings.programs.atSpiLauncher,
    args: ["--launch-immediately", "--a11y=1", "--screen-reader=1"],
  });
  // Asking for the address over D-Bus this early would make the bus start a second launcher.
  await awaitStart(launcher, "the accessibility bus", start.signal, (signal) =>
    withDeadline({ ms: addressPatienceMs, what: "Publishing the accessibility bus", signal }, (inner) =>
      awaitRootProperty(connection, "AT_SPI_BUS", inner),
    ).catch((error: unknown) => {
      if (signal.aborted) throw error;
    }),
  );
  return launcher;
}

async function startWindowManager(start: Start, connection: Connection): Promise<readonly CoreProcess[]> {
  const { openbox } = start.settings.programs;
  if (openbox === undefined) return [];
  const config = join(start.folder.path, "openbox.xml");
  writeFileSync(config, openboxConfig);
  const manager = run(start, {
    name: "The window manager",
    program: openbox,
    args: ["--config-file", config, "--sm-disable"],
  });
  await awaitStart(manager, "the window manager", start.signal, (signal) => awaitManager(connection, signal));
  return [manager];
}
