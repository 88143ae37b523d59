import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { poll } from "../../src/base/async.ts";
import { findProcess } from "../../src/platform/linux/apps/processes.ts";
import { openVirtualDesktop, type VirtualDesktop } from "../../src/platform/virtual/desktop.ts";
import { startHandsight, type Handsight } from "../support/handsight.ts";

let desktop: VirtualDesktop;
let handsight: Handsight;
let folder: string;

beforeAll(async () => {
  desktop = await openVirtualDesktop({ width: 1280, height: 800, monitors: 1, scale: 1 });
  handsight = await startHandsight(desktop.env);
  folder = await mkdtemp(join(tmpdir(), "handsight-launch-"));
});
afterAll(async () => {
  await handsight?.[Symbol.asyncDispose]();
  await desktop?.[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

interface Launched {
  readonly pid: number;
  readonly window: { readonly window_id: number; readonly title: string; readonly pid: number } | null;
}
const launch = async (app_name: string, args: readonly string[] = []): Promise<Launched> =>
  (await handsight.call("launch_app", { app_name, args, timeout_ms: 30_000 })) as unknown as Launched;

async function writeProgram(name: string, text: string): Promise<string> {
  const file = join(folder, name);
  await writeFile(file, text);
  await chmod(file, 0o755);
  return file;
}

const running = async (): Promise<readonly { readonly name: string; readonly pid: number }[]> =>
  (await handsight.call("list_apps"))["running"] as { name: string; pid: number }[];

const isOver = (pid: number) =>
  poll(async () => ((await findProcess(pid)) ? undefined : true), { timeoutMs: 5_000, everyMs: 20 });

test.each([
  ["xcalc", "XCalc"],
  ["xedit", "Xedit"],
  ["wish", "Wish"],
])("%s, whose window names no process, is listed and quit", async (command, name) => {
  const { pid, window } = await launch(command);
  expect(window?.pid).toBe(pid);
  expect(await running()).toContainEqual(expect.objectContaining({ name, pid }));
  expect(await handsight.call("quit_app", { app_name: command })).toMatchObject({ effect: "confirmed", pid });
  expect(await isOver(pid)).toBe(true);
});

test.each(["the name it was launched by", "the pid that launch_app returned"])(
  "an app that its launcher leaves running in another session is quit by %s",
  async (way) => {
    // As gvim and LibreOffice do: what shows the window is neither called like the launcher nor in its process group.
    const launcher = await writeProgram("calculate", '#!/bin/sh\nsetsid xcalc "$@" &\n');
    const { pid, window } = await launch(launcher, ["-rpn"]);
    const shownBy = window?.pid ?? 0;
    expect(shownBy).not.toBe(pid);
    const named = way === "the name it was launched by" ? { app_name: "calculate" } : { pid };
    expect(await handsight.call("quit_app", named)).toMatchObject({ effect: "confirmed", pid: shownBy });
    expect(await isOver(shownBy)).toBe(true);
  },
);

test("what a launched app starts later is not quit with it", async () => {
  const opener = await writeProgram(
    "opener",
    "#!/usr/bin/wish\nwm title . Opener\npack [button .b -text Open -command {exec xcalc &}]\nbind . <Key-o> {.b invoke}\n",
  );
  const { pid, window } = await launch(opener);
  await handsight.call("press_key", { key: "o", window_id: window?.window_id });
  const { window: calculator } = (await handsight.call("wait_for", { window_title: "Calculator" })) as unknown as {
    window: { pid: number };
  };
  await handsight.call("quit_app", { app_name: "opener" });
  expect(await isOver(pid)).toBe(true);
  expect(await running()).toEqual([expect.objectContaining({ pid: calculator.pid })]);
  await handsight.call("quit_app", { pid: calculator.pid });
});

test.each([
  ["a splash screen", "wm attributes .s -type splash"],
  ["a picture that bypasses the window manager", "wm overrideredirect .s 1"],
])("%s is not the window of the app that is launched", async (_what, kind) => {
  const late = await writeProgram(
    "late",
    `#!/usr/bin/wish
wm withdraw .
toplevel .s -width 300 -height 200; wm title .s Loading; ${kind}
after 900 {destroy .s; wm title . Ready; wm deiconify .}
`,
  );
  const { window } = await launch(late);
  expect(window).toMatchObject({ title: "Ready" });
  await handsight.call("quit_app", { pid: window?.pid });
});
