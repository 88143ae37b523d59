import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { poll } from "../../src/base/async.ts";
import { openConnection } from "../../src/platform/linux/x11/open.ts";
import { eventMask } from "../../src/platform/linux/x11/events.ts";
import {
  clientMessage,
  createWindow,
  destroyWindow,
  getProperty,
  mapWindow,
  sendEvent,
  toNumbers,
} from "../../src/platform/linux/x11/requests.ts";
import { removeFolder } from "./remove-folder.ts";

export interface TestDesktop extends AsyncDisposable {
  readonly display: string;
  readonly env: NodeJS.ProcessEnv;
  readonly server: ChildProcess;
  readonly windowManager: ChildProcess | undefined;
  /** Starts a program on this desktop; it is killed together with it. */
  spawn(command: string, args?: readonly string[]): ChildProcess;
}

export interface TestDesktopOptions {
  readonly size?: string;
  readonly depth?: number;
  /** A display number that was just free, to restart a killed server. */
  readonly number?: number;
  readonly windowManager?: boolean;
  readonly args?: readonly string[];
}

/** A private X server, by default with openbox; everything is killed on dispose. */
export async function startDesktop(options: TestDesktopOptions = {}): Promise<TestDesktop> {
  const { size = "1280x800", depth = 24, windowManager = true } = options;
  const home = await mkdtemp(join(tmpdir(), "handsight-x-"));
  const children: ChildProcess[] = [];
  const chosen = options.number === undefined ? [] : [`:${options.number}`];
  const server = spawn(
    "Xvfb",
    [
      ...chosen,
      "-displayfd",
      "3",
      "-screen",
      "0",
      `${size}x${depth}`,
      "-nolisten",
      "tcp",
      "-noreset",
      ...(options.args ?? []),
    ],
    { stdio: ["ignore", "ignore", "ignore", "pipe"] },
  );
  children.push(server);
  const number = await readNumber(server).catch(async (error: unknown) => {
    await removeFolder(home);
    throw error;
  });
  const display = `:${number}`;
  const env: NodeJS.ProcessEnv = {
    PATH: process.env["PATH"],
    HOME: home,
    DISPLAY: display,
    XAUTHORITY: join(home, "none"),
  };
  let manager: ChildProcess | undefined;
  const desktop: TestDesktop = {
    display,
    env,
    server,
    get windowManager() {
      return manager;
    },
    spawn(command, args = []) {
      const child = spawn(command, args, { env, stdio: "ignore" });
      children.push(child);
      return child;
    },
    async [Symbol.asyncDispose]() {
      for (const child of children.toReversed()) await kill(child);
      await removeFolder(home);
    },
  };
  if (windowManager) {
    manager = desktop.spawn("openbox", ["--sm-disable"]);
    try {
      await windowManagerReady(display, env);
    } catch (error) {
      await desktop[Symbol.asyncDispose]();
      throw error;
    }
  }
  return desktop;
}

export async function kill(child: ChildProcess | undefined): Promise<void> {
  if (!child || child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  await ended;
}

async function readNumber(server: ChildProcess): Promise<number> {
  const pipe = server.stdio[3] as NodeJS.ReadableStream;
  const ended = once(server, "exit").then(() => {
    throw new Error("Xvfb ended before it was ready");
  });
  const [bytes] = (await Promise.race([once(pipe, "data"), ended])) as [Buffer];
  return Number(bytes.toString().trim());
}

/**
 * openbox announces itself long before it handles windows, and may leave a window that was mapped meanwhile unmanaged
 * until another event arrives. Ready means that a probe window is managed; events are sent until it is.
 */
async function windowManagerReady(display: string, env: NodeJS.ProcessEnv): Promise<void> {
  const c = await openConnection(display, { env });
  try {
    const atoms = await c.atoms("WM_STATE", "_NET_CLIENT_LIST", "_NET_REQUEST_FRAME_EXTENTS");
    const probe = createWindow(c, { x: 0, y: 0, width: 20, height: 20 });
    const poke = clientMessage(probe, atoms._NET_REQUEST_FRAME_EXTENTS, []);
    const mask = eventMask.substructureNotify | eventMask.substructureRedirect;
    const ready = await poll(
      async () => {
        mapWindow(c, probe);
        await sendEvent(c, poke, { to: c.root, mask });
        return getProperty(c, probe, atoms.WM_STATE);
      },
      { timeoutMs: 20_000, everyMs: 20 },
    );
    if (!ready) throw new Error("openbox does not manage windows");
    destroyWindow(c, probe);
    const isForgotten = async () =>
      toNumbers(await getProperty(c, c.root, atoms._NET_CLIENT_LIST)).includes(probe) ? undefined : true;
    await poll(isForgotten, { timeoutMs: 5000, everyMs: 10 });
  } finally {
    c.close();
  }
}
