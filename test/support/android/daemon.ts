import { execFile, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { promisify } from "node:util";
import { commandNames } from "./commands/index.ts";
import { deviceFolder, prefix } from "./paths.ts";

const run = promisify(execFile);
const words = (text: string): string[] => text.split(" ");

const innerPort = 5555;
const libraries = ["x86_64-linux-gnu", "aarch64-linux-gnu"].flatMap((triplet) => [
  `/prefix/usr/lib/${triplet}/android`,
  `/prefix/usr/lib/${triplet}`,
]);
const isolation = words(
  "--die-with-parent --unshare-net --unshare-pid --unshare-ipc --unshare-uts --hostname localhost",
);
const files = [
  ...words("--tmpfs / --ro-bind /usr /usr --ro-bind /etc /etc --symlink usr/lib /lib --symlink usr/lib64 /lib64"),
  ...words("--dev /dev --proc /proc --dir /data/local/tmp --symlink /system/bin /bin"),
  ...words("--dir /storage/emulated/0 --symlink /storage/emulated/0 /sdcard"),
];
const environment = words(
  `--clearenv --setenv PATH /system/bin --setenv ADBD_PORT ${innerPort} --setenv LD_LIBRARY_PATH ${libraries.join(":")}`,
);
const main = words(
  `/usr/bin/perl /vendor/serve.pl ${innerPort} /prefix/usr/lib/android-sdk/platform-tools/adbd --device_banner=device`,
);

/** The device's programs: Android's own small tools first, then the framework's commands. */
export async function makeSystem(folder: string): Promise<string> {
  const bin = join(folder, "system");
  await mkdir(bin);
  const { stdout } = await run("toybox").catch((error: unknown) => {
    throw new Error("toybox does not run; npm run setup installs it", { cause: error });
  });
  const applets = stdout.split(/\s+/).filter((name) => name !== "" && !commandNames.includes(name));
  await Promise.all([
    ...applets.map((name) => symlink("/usr/bin/toybox", join(bin, name))),
    ...commandNames.map((name) => symlink("/vendor/stub.pl", join(bin, name))),
    symlink("/usr/bin/mksh", join(bin, "sh")),
  ]);
  return bin;
}

export interface Daemon {
  readonly port: number;
  isUp(): boolean;
  kill(): Promise<void>;
}

/**
 * The real adbd, alone in a mount, process and network namespace of its own. The only way in is one port on this machine's
 * loopback; adbd itself would listen on every interface.
 */
export async function startDaemon(options: {
  readonly system: string;
  readonly sockets: string;
  readonly port: number;
}): Promise<Daemon> {
  const listen = ["perl", join(deviceFolder, "listen.pl"), String(options.port)] as const;
  const asRoot = process.getuid?.() === 0 ? [] : words("--unshare-user --uid 0 --gid 0");
  const folders = [
    ["--bind", options.sockets, "/dev/socket"],
    ["--ro-bind", options.system, "/system/bin"],
    ["--ro-bind", prefix, "/prefix"],
    ["--ro-bind", deviceFolder, "/vendor"],
  ].flat();
  const [program, ...args] = [
    ...listen,
    "bwrap",
    ...isolation,
    ...asRoot,
    ...files,
    ...folders,
    ...environment,
    ...main,
  ];
  const child = spawn(program, args, { stdio: ["ignore", "ignore", "pipe", "pipe"] });
  const isUp = (): boolean => child.exitCode === null && child.signalCode === null;
  const port = await readPort(child);
  return {
    port,
    isUp,
    async kill() {
      if (!isUp()) return;
      const ended = once(child, "exit");
      child.kill("SIGKILL");
      await ended;
    },
  };
}

/** The port, once adbd listens behind it. */
async function readPort(child: ChildProcess): Promise<number> {
  const listening = once(child.stdio[3] as Readable, "data") as Promise<[Buffer]>;
  const said: string[] = [];
  await new Promise<void>((resolve, reject) => {
    const fail = (reason: string): void =>
      reject(new Error(`the Android test device did not start: ${reason}\n${said.join("\n")}`));
    createInterface({ input: child.stderr as Readable }).on("line", (line) => {
      said.push(line);
      if (line.includes("adbd started")) resolve();
    });
    child.once("error", (error) => fail(error.message));
    child.once("exit", (code, signal) => fail(`ended with ${code ?? signal}; it needs root, or user namespaces`));
    setTimeout(() => fail("adbd is silent"), 20_000).unref();
  });
  const [bytes] = await listening;
  return Number(bytes.toString());
}
