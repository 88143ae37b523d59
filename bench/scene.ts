import { spawn } from "node:child_process";
import { join } from "node:path";
import { poll } from "../src/base/async.ts";
import type { Backend } from "../src/platform/backend.ts";
import { openBackend } from "../src/platform/open.ts";
import { openVirtualDesktop, type VirtualDesktop } from "../src/platform/virtual/desktop.ts";
import { fingerprint } from "../src/vision/fingerprint.ts";
import { root } from "./paths.ts";
import { paintWallpaper } from "./wallpaper.ts";

export const screenSize = { width: 1920, height: 1080 } as const;

export const openDesktop = (): Promise<VirtualDesktop> => openVirtualDesktop({ ...screenSize, monitors: 1, scale: 1 });

/** What a working screen looks like: two editors full of text and a calculator over a photograph. */
export async function dress(desktop: VirtualDesktop): Promise<void> {
  await paintWallpaper(desktop.env);
  const readings = ["bench/report.ts", "bench/measure.ts"].map((file) => join(root, file));
  const apps = [...readings.map((file) => ["mousepad", "--disable-server", file]), ["galculator"]];
  for (const [program = "", ...args] of apps)
    spawn(program, args, { env: desktop.env, stdio: "ignore" }).on("error", () => {});
  await using backend = await openBackend({ env: desktop.env });
  const isComplete = async () => ((await visibleWindows(backend)) >= apps.length ? true : undefined);
  if (!(await poll(isComplete, { timeoutMs: 20_000, everyMs: 50 }))) {
    throw new Error("the windows of mousepad and galculator did not appear; are both installed?");
  }
  await arrange(backend);
  await untilStill(backend);
}

async function visibleWindows(backend: Backend): Promise<number> {
  const windows = (await backend.windows?.list()) ?? [];
  return windows.filter(({ isVisible, kind }) => isVisible && kind === "normal").length;
}

/** Side by side, so that every run shows the same amount of text and of wallpaper. */
async function arrange(backend: Backend): Promise<void> {
  const windows = (await backend.windows?.list()) ?? [];
  const editors = windows.filter(({ className }) => /mousepad/i.test(className));
  for (const [index, { id }] of editors.entries()) {
    await backend.windows?.change(id, { to: "resize", width: 760, height: 700 });
    await backend.windows?.change(id, { to: "move", x: 40 + index * 860, y: 60 + index * 180 });
  }
}

/** Apps paint for a while after their window is up. */
async function untilStill(backend: Backend): Promise<void> {
  let last = "";
  await poll(
    async () => {
      const capture = await backend.screen?.capture({ kind: "screen" });
      if (!capture) return true;
      const seen = fingerprint(capture.pixels);
      capture[Symbol.dispose]();
      const isStill = seen === last;
      last = seen;
      return isStill ? true : undefined;
    },
    { timeoutMs: 5000, everyMs: 250 },
  );
}
