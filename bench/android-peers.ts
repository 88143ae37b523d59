import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { AndroidLab } from "../test/simulators/android/lab.ts";
import { prefix } from "../test/simulators/android/paths.ts";
import type { Kind } from "./measure.ts";
import { productEntry, startServer } from "./mcp-client.ts";
import { root } from "./paths.ts";

/** Something that drives a device. Every answer is returned, so that it can be checked. */
export interface AndroidPeer extends AsyncDisposable {
  readonly name: string;
  readonly kind: Kind;
  readonly note?: string | undefined;
  list(): Promise<string>;
  /** Sent, and nothing more. */
  tap(x: number, y: number): Promise<string>;
  /** Sent, and whatever this peer offers to see what came of it. */
  tapAndLook(x: number, y: number): Promise<string>;
  /** The elements of the screen. */
  dump(): Promise<string>;
  /** The size of the picture in bytes. */
  screenshot(): Promise<number>;
}

/** Without rules about apps it does what the others do; with its own it also looks which app is in front. */
const ours = async (lab: AndroidLab, serial: string, hasRules: boolean): Promise<AndroidPeer> => {
  const folder = mkdtempSync(join(tmpdir(), "handsight-bench-"));
  const rules = join(folder, "policy.json");
  writeFileSync(rules, JSON.stringify(hasRules ? {} : { blockedWindowPatterns: [] }));
  const args = ["mcp", "--policy", "allow", "--journal", "off", "--tools", "android", "--rules", rules];
  const { ask, close } = await startServer(productEntry, args, lab.env);
  await ask("android_connect", { serial });
  return {
    name: hasRules ? "handsight, its rules" : "handsight",
    kind: "ours",
    note: hasRules ? "the app in front is checked first" : undefined,
    list: async () => (await ask("android_list_devices")).text,
    tap: async (x, y) => (await ask("android_click", { x, y, settle_ms: 0 })).text,
    tapAndLook: async (x, y) => (await ask("android_click", { x, y })).text,
    dump: async () => (await ask("android_snapshot")).text,
    screenshot: async () => (await ask("android_screenshot")).imageBytes,
    async [Symbol.asyncDispose]() {
      await close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
};

/**
 * Its older way, by adb. Its newer one first waits five seconds for a program of its own on the device before each dump
 * and screenshot, and the simulated device cannot run that.
 */
const mobileMcp = async (lab: AndroidLab, device: string): Promise<AndroidPeer> => {
  const entry = join(root, "bench", "peers", "node_modules", "@mobilenext", "mobile-mcp", "lib", "index.js");
  const env = { ...withAdbItself(lab.env), MOBILEMCP_LEGACY_ROBOT: "1", MOBILEMCP_DISABLE_TELEMETRY: "1" };
  const { ask, close } = await startServer(entry, [], env);
  return {
    name: "mobile-mcp",
    kind: "library",
    note: "over adb",
    list: async () => (await ask("mobile_list_available_devices")).text,
    tap: async (x, y) => (await ask("mobile_click_on_screen_at_coordinates", { device, x, y })).text,
    async tapAndLook(x, y) {
      await ask("mobile_click_on_screen_at_coordinates", { device, x, y });
      return (await ask("mobile_list_elements_on_screen", { device })).text;
    },
    dump: async () => (await ask("mobile_list_elements_on_screen", { device })).text,
    screenshot: async () => (await ask("mobile_take_screenshot", { device })).imageBytes,
    async [Symbol.asyncDispose]() {
      await close();
      stopLeftOvers(lab.serverPort);
    },
  };
};

const run = promisify(execFile);

const spawnedAdb = async (lab: AndroidLab, serial: string): Promise<AndroidPeer> => {
  const env = withAdbItself(lab.env);
  const adb = (...args: readonly string[]) => run("adb", [...args], { env, encoding: "buffer", maxBuffer: 64 << 20 });
  const shell = (...args: readonly string[]) => adb("-s", serial, "exec-out", ...args);
  return {
    name: "adb, a process each",
    kind: "command",
    list: async () => (await adb("devices", "-l")).stdout.toString(),
    tap: async (x, y) => (await shell("input", "tap", String(x), String(y))).stdout.toString(),
    async tapAndLook(x, y) {
      await shell("input", "tap", String(x), String(y));
      return (await shell("uiautomator", "dump", "/dev/tty")).stdout.toString();
    },
    dump: async () => (await shell("uiautomator", "dump", "/dev/tty")).stdout.toString(),
    screenshot: async () => (await shell("screencap", "-p")).stdout.length,
    [Symbol.asyncDispose]: async () => {},
  };
};

/** The program itself: the tests start it through a script, whose start nobody else would pay for. */
export function withAdbItself(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const folder = join(prefix, "usr", "lib");
  const libraries = readdirSync(folder).filter((name) => name.includes("-linux-"));
  return {
    ...env,
    PATH: `${join(folder, "android-sdk", "platform-tools")}:${env["PATH"] ?? ""}`,
    LD_LIBRARY_PATH: libraries.flatMap((name) => [join(folder, name, "android"), join(folder, name)]).join(":"),
  };
}

/** A daemon of the peer's outlives it; it is known by the adb server it was told to use. */
function stopLeftOvers(serverPort: number): void {
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      const isOurs = readFileSync(`/proc/${pid}/environ`, "latin1").includes(`ANDROID_ADB_SERVER_PORT=${serverPort}\0`);
      if (isOurs && readFileSync(`/proc/${pid}/cmdline`, "latin1").includes("mobilecli")) process.kill(Number(pid));
    } catch {
      // It has ended meanwhile, or belongs to somebody else.
    }
  }
}

export const androidPeers: Readonly<Record<string, (lab: AndroidLab, serial: string) => Promise<AndroidPeer>>> = {
  handsight: (lab, serial) => ours(lab, serial, false),
  "handsight, its rules": (lab, serial) => ours(lab, serial, true),
  "mobile-mcp": mobileMcp,
  "adb, a process each": spawnedAdb,
};
