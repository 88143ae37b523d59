import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { placeVariable } from "../../src/base/runtime.ts";
import { startAndroid, type AndroidLab, type AndroidTarget } from "../simulators/android/lab.ts";
import { small } from "../simulators/android/session.ts";

const run = promisify(execFile);
let lab: AndroidLab;
let device: AndroidTarget;
let folder: string;
beforeAll(async () => {
  lab = await startAndroid(small);
  [device] = lab.devices as [AndroidTarget];
  folder = mkdtempSync(join(tmpdir(), "handsight-cli-"));
});
afterAll(async () => {
  await lab?.[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

interface Told {
  readonly code: number;
  readonly data: Record<string, unknown>;
}

/** One command line, and so one process. */
async function handsight(...args: readonly string[]): Promise<Told> {
  const main = join(import.meta.dirname, "..", "..", "dist", "main.js");
  const env = { ...lab.env, TMPDIR: folder, [placeVariable]: folder, HANDSIGHT_POLICY: "allow" };
  const { code = 0, stdout } = (await run(process.execPath, [main, ...args, "--json"], { env }).catch(
    (error: { code: number; stdout: string }) => error,
  )) as { code?: number; stdout: string };
  return { code, data: JSON.parse(stdout) as Record<string, unknown> };
}

test("a device stays connected from one command line to the next, until it is disconnected [S2-126] [S2-127] [S2-139]", async () => {
  const early = await handsight("android_screenshot");
  expect(early).toMatchObject({ code: 4, data: { error: { code: "not_connected" } } });
  await handsight("android_connect", device.serial);
  expect((await handsight("android_list_devices")).data).toEqual({
    devices: [{ serial: device.serial, state: "device", connected: true }],
  });
  const { data } = await handsight("android_find_text", "settings");
  const [match] = data["matches"] as { x: number; y: number }[];
  const tapped = await handsight("android_click", String(match?.x), String(match?.y));
  expect(tapped.data).toMatchObject({ effect: "confirmed" });
  expect(device.events().at(-1)).toEqual({ kind: "launch", package: "com.android.settings" });
  expect((await handsight("android_disconnect")).data).toMatchObject({ disconnected: 1 });
  expect((await handsight("android_get_display_info")).data).toMatchObject({ error: { code: "not_connected" } });
});

test("a device that went away between two command lines is reported as gone, not as never connected [S2-126]", async () => {
  await handsight("android_connect", device.serial);
  await device.killDaemon();
  await lab.adb("disconnect", device.serial);
  const { data } = await handsight("android_press_key", "KEYCODE_HOME");
  expect(data["error"]).toMatchObject({ message: expect.stringContaining(device.serial) });
  await device.startDaemon();
  expect((await handsight("android_get_display_info")).data).toMatchObject({ width: 720, height: 1600, density: 280 });
  await handsight("android_disconnect");
});

test.each([
  [["android_launch_app", "x; reboot"], "invalid_argument", /package name/],
  [["android_type_text", ""], "invalid_argument", /text/],
  [["android_click", "abc", "1"], "invalid_argument", /x: .*number/],
  [["android_click", "1"], "invalid_argument", /No target/],
  [["android_click", "9999", "1"], "out_of_bounds", /0,0 to 719,1599/],
  [["android_swipe", "1", "2", "3", "99999"], "out_of_bounds", /3,99999/],
  [["android_press_key", "KEYCODE_NOPE"], "invalid_argument", /KEYCODE_NOPE/],
  [["android_click", "1", "1", "--serial", "other"], "not_connected", /other is not connected/],
  [["android_snapshot", "--display", "3"], "not_found", /display 3/],
] as const)("%j is refused in words, and nothing arrives", async (args, code, message) => {
  await handsight("android_connect", device.serial);
  device.forget();
  const { data } = await handsight(...args);
  expect(data["error"]).toMatchObject({ code, message: expect.stringMatching(message) });
  expect(device.events()).toEqual([]);
});
