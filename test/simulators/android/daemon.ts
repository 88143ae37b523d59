import { execFile, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { promisify } from "node:util";
import { programNames, scripts } from "./commands/index.ts";
import { deviceFolder, prefix } from "./paths.ts";

const run = promisify(execFile);
const words = (text: string): string[] => text.split(" ");

const innerPort = 5555;
const triplet = process.arch === "arm64" ? "aarch64-linux-gnu" : "x86_64-linux-gnu";
const loader = process.arch === "arm64" ? "/lib/ld-linux-aarch64.so.1" : "/lib64/ld-linux-x86-64.so.2";
// Passed to the loader, not in LD_LIBRARY_PATH: every command of the device would search these folders as well.
const adbd = words(
  `${loader} --preload /system/lib/adopt.so --library-path /prefix/usr/lib/${triplet}/android:/prefix/usr/lib/${triplet} /prefix/usr/lib/android-sdk/platform-tools/adbd`,
);
const isolation = words(
  "--die-with-parent --unshare-net --unshare-pid --unshare-ipc --unshare-uts --hostname localhost",
);
const files = [
  ...words("--tmpfs / --ro-bind /usr /usr --ro-bind /etc /etc --symlink usr/lib /lib --symlink usr/lib64 /lib64"),
  ...words("--dev /dev --proc /proc --dir /data/local/tmp --symlink /system/bin /bin"),
  ...words("--dir /storage/emulated/0 --symlink /storage/emulated/0 /sdcard"),
];
const environment = words(`--clearenv --setenv PATH /system/bin --setenv ADBD_PORT ${innerPort}`);
const main = [...adbd, "--device_banner=device"];

/** The device's programs: Android's own small tools first, then the framework's commands. */
export async function makeSystem(folder: string): Promise<string> {
  const system = join(folder, "system");
  const bin = join(system, "bin");
  const library = join(system, "lib");
  await mkdir(bin, { recursive: true });
  await mkdir(library);
  const needed = (program: string, ...args: readonly string[]) =>
    run(program, [...args]).catch((error: unknown) => {
      throw new Error(`${program} does not run; npm run setup installs it`, { cause: error });
    });
  const { stdout } = await needed("toybox");
  await needed("tcc", "-o", join(bin, "framework"), join(deviceFolder, "stub.c"));
  await needed("tcc", "-shared", "-o", join(library, "adopt.so"), join(deviceFolder, "adopt.c"));
  const applets = stdout
    .split(/\s+/)
    .filter((name) => name !== "" && !programNames.includes(name) && !(name in scripts));
  await Promise.all([
    ...applets.map((name) => symlink("/usr/bin/toybox", join(bin, name))),
    ...programNames.map((name) => symlink("/system/bin/framework", join(bin, name))),
    ...Object.entries(scripts).map(([name, line]) =>
      writeFile(join(bin, name), `#!/system/bin/sh\n${line}\n`, { mode: 0o755 }),
    ),
    symlink("/usr/bin/mksh", join(bin, "sh")),
  ]);
  return system;
}

export interface Daemon {
  readonly port: number;
  isUp(): boolean;
  kill(): Promise<void>;
  freeze(): Promise<Disposable>;
}

/**
 * The real adbd, alone in its own mount, process and network namespace. The only way in is one port on this machine's
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
    ["--ro-bind", options.system, "/system"],
    ["--ro-bind", prefix, "/prefix"],
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
    async freeze() {
      const frozen = await findAdbd(child.pid ?? 0);
      process.kill(frozen, "SIGSTOP");
      return { [Symbol.dispose]: () => void process.kill(frozen, "SIGCONT") };
    },
    async kill() {
      if (!isUp()) return;
      // When its pipes have closed, the daemon itself has ended, too, and its port is free.
      const ended = once(child, "close");
      child.kill("SIGKILL");
      await ended;
    },
  };
}

/** The daemon itself, among the processes that isolate it. */
async function findAdbd(ancestor: number): Promise<number> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name)).map(Number);
  const parents = new Map<number, number>();
  const names = new Map<number, string>();
  for (const pid of pids) {
    try {
      const stat = await readFile(`/proc/${pid}/stat`, "latin1");
      parents.set(pid, Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]));
      names.set(pid, await readFile(`/proc/${pid}/cmdline`, "latin1"));
    } catch {
      // It has ended meanwhile.
    }
  }
  const isBelow = (pid: number | undefined): boolean =>
    pid !== undefined && pid > 0 && (pid === ancestor || isBelow(parents.get(pid)));
  const isAdbd = (pid: number): boolean => (names.get(pid) ?? "").startsWith(`${loader}\0`);
  const found = pids.find((pid) => isAdbd(pid) && isBelow(pid));
  if (found === undefined) throw new Error("the device has no daemon");
  return found;
}

/** The port, once adbd listens on it. */
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
