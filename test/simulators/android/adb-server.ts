import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { connect, createServer, type AddressInfo } from "node:net";
import { promisify } from "node:util";
import { poll } from "../../../src/base/async.ts";
import { adbProgram, prefix } from "./paths.ts";

const run = promisify(execFile);

export interface AdbServer extends AsyncDisposable {
  readonly port: number;
  /** Makes `adb`, and everything that talks to its server, use this one. */
  readonly env: NodeJS.ProcessEnv;
  readonly adb: (...args: readonly string[]) => Promise<{ readonly stdout: string; readonly stderr: string }>;
  readonly kill: () => Promise<void>;
  readonly screencap: (serial: string) => Promise<Buffer>;
}

/** A private adb server, without the developer's own server, keys and devices. */
export async function startAdbServer(home: string): Promise<AdbServer> {
  const port = await freePort();
  const env: NodeJS.ProcessEnv = {
    ...process.env,
    PATH: `${prefix}/bin:${process.env["PATH"] ?? ""}`,
    HOME: home,
    ANDROID_ADB_SERVER_PORT: String(port),
    // Without these the server looks for emulators on the ports from 5555 on, and for devices on the local network.
    ADB_LOCAL_TRANSPORT_MAX_PORT: "5554",
    ADB_MDNS: "0",
    ADB_USB: "0",
  };
  delete env["ANDROID_SERIAL"];
  delete env["ADB_SERVER_SOCKET"];
  const server = spawn(adbProgram, ["server", "nodaemon"], { env, stdio: "ignore" });
  const adb: AdbServer["adb"] = (...args) => run(adbProgram, [...args], { env, maxBuffer: 64 << 20, encoding: "utf8" });
  const screencap: AdbServer["screencap"] = async (serial) => {
    const args = ["-s", serial, "exec-out", "screencap", "-p"];
    return (await run(adbProgram, args, { env, maxBuffer: 64 << 20, encoding: "buffer" })).stdout;
  };
  const kill = async (): Promise<void> => {
    if (server.exitCode !== null || server.signalCode !== null) return;
    const ended = once(server, "exit");
    server.kill("SIGKILL");
    await ended;
  };
  await once(server, "spawn");
  const isUp = await poll(async () => (await accepts(port)) || undefined, { timeoutMs: 10_000, everyMs: 20 });
  if (isUp !== true) throw new Error(`the private adb server does not answer on port ${port}`);
  return {
    port,
    env,
    adb,
    screencap,
    kill,
    async [Symbol.asyncDispose]() {
      await kill();
      // The tested code may have started another one on the same port.
      if (await accepts(port)) await adb("kill-server").catch(() => {});
    },
  };
}

export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => {
      socket.destroy();
      resolve(true);
    }).on("error", () => resolve(false));
  });
}
