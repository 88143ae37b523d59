import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { poll } from "../../src/base/async.ts";
import { openConnection } from "../../src/platform/linux/x11/open.ts";

export interface Sway extends AsyncDisposable {
  /** The environment of a program that is started on it; without DISPLAY there is only Wayland. */
  readonly env: NodeJS.ProcessEnv & { readonly DISPLAY: string; readonly WAYLAND_DISPLAY: string };
  /** A folder that programs on it may write to. */
  readonly folder: string;
}

/** Who owns the compositor where the tests run as root, which sway refuses to be. */
const nobody = 65_534;

/** A Wayland desktop with Xwayland, without a screen; a reason when this machine cannot have it. */
export async function startSway(commands: readonly string[]): Promise<Sway | string> {
  const missing = ["sway", "Xwayland", "xhost"].filter((program) => !isInstalled(program));
  if (missing.length > 0) return `${missing.join(" and ")} not installed`;
  const folder = mkdtempSync(join(tmpdir(), "handsight-sway-"));
  const isRoot = process.getuid?.() === 0;
  if (isRoot) chownSync(folder, nobody, nobody);
  chmodSync(folder, 0o700);
  const names = join(folder, "names");
  const config = join(folder, "config");
  // Xwayland ends with its last client, so one stays until we are connected.
  const first = `xhost +si:localuser:${userInfo().username}; xclock & echo $DISPLAY $WAYLAND_DISPLAY $! > ${names}`;
  writeFileSync(join(folder, "first"), `${first}\n`);
  const lines = ["xwayland enable", `exec sh ${folder}/first`, ...commands.map((command) => `exec ${command}`)];
  writeFileSync(config, `${lines.join("\n").replaceAll("FOLDER", folder)}\n`);
  const asUser = ["setpriv", `--reuid=${nobody}`, `--regid=${nobody}`, "--clear-groups"];
  const [program, ...args] = [...(isRoot ? asUser : []), "sway", "-c", config];
  const own = { PATH: process.env["PATH"], HOME: folder, XDG_RUNTIME_DIR: folder };
  const headless = { WLR_BACKENDS: "headless", WLR_RENDERER: "pixman", WLR_LIBINPUT_NO_DEVICES: "1" };
  const sway = spawn(program, args, { env: { ...own, ...headless }, stdio: "ignore" });
  const ended = once(sway, "exit");
  const stop = async () => {
    sway.kill("SIGTERM");
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
  const read = async () => (sway.exitCode === null ? (/^(\S+) (\S+) (\d+)/.exec(text(names)) ?? undefined) : []);
  const [, display, wayland, clock] = (await poll(read, { timeoutMs: 20_000, everyMs: 50 })) ?? [];
  if (display === undefined || wayland === undefined) {
    await stop();
    return "sway does not start here";
  }
  const env = { ...own, DISPLAY: display, WAYLAND_DISPLAY: wayland, XDG_SESSION_TYPE: "wayland" };
  const connection = await openConnection(display, { env });
  process.kill(Number(clock));
  return {
    env,
    folder,
    async [Symbol.asyncDispose]() {
      connection.close();
      await stop();
    },
  };
}

function isInstalled(program: string): boolean {
  try {
    execFileSync("which", [program], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

function text(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
