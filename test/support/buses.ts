import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { poll } from "../../src/base/async.ts";
import { openBus } from "../../src/platform/linux/dbus/open.ts";
import { kill } from "./xvfb.ts";
import { removeFolder } from "./remove-folder.ts";

/** A session bus and an accessibility bus that can be killed and restarted at the same address. */
export interface Buses extends AsyncDisposable {
  readonly env: NodeJS.ProcessEnv;
  start(): Promise<void>;
  kill(): Promise<void>;
}

const launcher = "/usr/libexec/at-spi-bus-launcher";

export async function openBuses(base: NodeJS.ProcessEnv): Promise<Buses> {
  const folder = await mkdtemp(join(tmpdir(), "handsight-buses-"));
  const address = `unix:path=${join(folder, "bus")}`;
  const env: NodeJS.ProcessEnv = {
    ...base,
    XDG_RUNTIME_DIR: folder,
    DBUS_SESSION_BUS_ADDRESS: address,
    GSETTINGS_BACKEND: "memory",
    QT_LINUX_ACCESSIBILITY_ALWAYS_ON: "1",
  };
  let session: ChildProcess | undefined;
  let accessibility: ChildProcess | undefined;
  const buses: Buses = {
    env,
    async start() {
      const options = ["--session", `--address=${address}`, "--nofork", "--nopidfile", "--print-address=1"];
      session = spawn("dbus-daemon", options, { env, stdio: ["ignore", "pipe", "ignore"] });
      if (session.stdout) await once(session.stdout, "data");
      accessibility = spawn(launcher, ["--launch-immediately"], { env, stdio: "ignore" });
      await poll(() => answers(address, env), { timeoutMs: 20_000, everyMs: 50 });
    },
    async kill() {
      // The daemon of the accessibility bus is a child of its launcher, which would take its time to end it
      // gracefully.
      for (const pid of await childrenOf(accessibility?.pid)) process.kill(pid, "SIGKILL");
      await kill(accessibility);
      await kill(session);
    },
    async [Symbol.asyncDispose]() {
      await buses.kill();
      await removeFolder(folder);
    },
  };
  await buses.start();
  return buses;
}

async function answers(address: string, env: NodeJS.ProcessEnv): Promise<true | undefined> {
  const bus = await openBus(address, { env });
  try {
    const method = {
      destination: "org.a11y.Bus",
      path: "/org/a11y/bus",
      interface: "org.a11y.Bus",
      member: "GetAddress",
    };
    const [found] = await bus.call<[string]>(method);
    return found === "" ? undefined : true;
  } catch {
    return undefined;
  } finally {
    bus.close();
  }
}

async function childrenOf(pid: number | undefined): Promise<readonly number[]> {
  const list = await readFile(`/proc/${pid}/task/${pid}/children`, "utf8").catch(() => "");
  return list.split(" ").filter(Boolean).map(Number);
}
