import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { startAndroid } from "../simulators/android/lab.ts";
import { startMiniDaemon } from "../simulators/android/mini-daemon.ts";
import { small, useAndroid } from "../simulators/android/session.ts";
import { startHandsight, type Answer } from "../support/handsight.ts";

const session = useAndroid({ ...small, connects: false });
beforeEach(async () => {
  session.device.open("Settings");
  if (!session.device.isDaemonUp()) await session.device.startDaemon();
  await session.handsight.call("android_connect", { serial: session.device.serial });
  session.device.forget();
});

const errorOf = ({ data }: Answer): { code: string; message: string; hint?: string } =>
  data["error"] as { code: string; message: string; hint?: string };

describe("a device whose daemon restarts", () => {
  test("is read again silently", async () => {
    await session.handsight.call("android_get_display_info");
    await session.device.killDaemon();
    await session.device.startDaemon();
    const { isError, data } = await session.handsight.ask("android_find_text", { text: "Wi-Fi" });
    expect({ isError, data }).toMatchObject({ isError: false, data: { matches: [{ text: "Wi-Fi" }] } });
  });

  test("gets no input twice", async () => {
    using held = session.device.hold("input");
    const tapping = session.handsight.ask("android_click", { x: 300, y: 300, settle_ms: 0 });
    await held.reached;
    await session.device.killDaemon();
    const answer = await tapping;
    expect(errorOf(answer).code).toBe("not_connected");
    await session.device.startDaemon();
    held[Symbol.dispose]();
    await session.handsight.call("android_connect", { serial: session.device.serial });
    await session.handsight.call("android_click", { x: 300, y: 680, settle_ms: 0 });
    const taps = session.device.events().filter(({ kind }) => kind === "tap");
    expect(taps.filter((tap) => "y" in tap && tap.y === 300).length).toBeLessThanOrEqual(1);
    expect(taps.filter((tap) => "y" in tap && tap.y === 680)).toHaveLength(1);
  });
});

test("a device unplugged during a screenshot is an error that says so, and works when it is back", async () => {
  const held = session.device.hold("screencap");
  const looking = session.handsight.ask("android_screenshot");
  await held.reached;
  await session.device.killDaemon();
  held[Symbol.dispose]();
  const answer = await looking;
  expect(answer.images).toEqual([]);
  expect(errorOf(answer)).toMatchObject({
    code: "not_connected",
    message: expect.stringContaining(session.device.serial),
    hint: expect.stringMatching(/android_connect|debugging/),
  });
  await session.device.startDaemon();
  await session.handsight.call("android_connect", { serial: session.device.serial });
  expect((await session.handsight.ask("android_screenshot")).images).toHaveLength(1);
});

test("a device that goes silent costs the deadline of a call, says what is unknown, and works when it speaks again", async () => {
  await session.handsight.call("android_get_display_info");
  const frozen = await session.device.freezeDaemon();
  const started = performance.now();
  const answer = await session.handsight.ask("android_click", { x: 300, y: 300, settle_ms: 0 });
  expect(errorOf(answer)).toMatchObject({
    code: "timeout",
    message: expect.stringContaining(session.device.serial),
    hint: expect.stringMatching(/may still arrive/),
  });
  // Ten seconds for the tap itself, and nothing on top but what a busy machine takes.
  expect(performance.now() - started).toBeLessThan(20_000);
  const { devices } = await session.handsight.call("android_list_devices");
  expect(devices).toContainEqual(expect.objectContaining({ serial: session.device.serial }));
  frozen[Symbol.dispose]();
  expect(await session.handsight.call("android_get_display_info")).toMatchObject({ width: 720, height: 1600 });
  const taps = () => session.device.events().filter((event) => event.kind === "tap" && event.y === 300);
  await expect.poll(() => taps().length).toBeLessThanOrEqual(1);
}, 40_000);

test("a device that has not allowed this computer is listed, and connecting says what to do on it", async () => {
  await using mini = await startMiniDaemon("unauthorized");
  const answer = await session.handsight.ask("android_connect", { serial: mini.serial });
  expect(errorOf(answer)).toMatchObject({
    code: "permission_missing",
    message: expect.stringContaining(mini.serial),
    hint: expect.stringContaining("Allow USB debugging"),
  });
  const { devices } = await session.handsight.call("android_list_devices");
  expect(devices).toContainEqual(expect.objectContaining({ serial: mini.serial, state: "unauthorized" }));
  await session.lab.adb("disconnect", mini.serial);
});

test("a device that accepts the connection and refuses every service is not connected", async () => {
  await using mini = await startMiniDaemon("refusing");
  const answer = await session.handsight.ask("android_connect", { serial: mini.serial });
  expect(errorOf(answer).code).toBe("not_connected");
  await session.lab.adb("disconnect", mini.serial);
});

test("a device that accepts the connection and stays silent is given up, with advice", async () => {
  await using mini = await startMiniDaemon("silent");
  const answer = await session.handsight.ask("android_connect", { serial: mini.serial });
  expect(errorOf(answer)).toMatchObject({
    code: "not_connected",
    message: expect.stringContaining(`${mini.serial} does not answer`),
    hint: expect.stringContaining("android_connect again"),
  });
  await session.lab.adb("disconnect", mini.serial);
});

test("an address where nothing listens is an error with the address", async () => {
  const answer = await session.handsight.ask("android_connect", { serial: "127.0.0.1:1" });
  expect(errorOf(answer)).toMatchObject({ code: "not_connected", message: expect.stringContaining("127.0.0.1:1") });
});

describe("a screen that never rests", () => {
  test("is still read when only decoration moves", async () => {
    session.device.open("Busy");
    const { tree_available, snapshot } = await session.handsight.call("android_snapshot");
    expect(tree_available).toBe(true);
    expect(snapshot).toContain("Stop");
  });

  test("gives its picture and the text in it, and says that there are no elements [S2-129]", async () => {
    session.device.open("Ticker");
    const { data, images } = await session.handsight.ask("android_snapshot");
    expect(data).toMatchObject({ tree_available: false, warning: expect.stringContaining("keeps changing") });
    expect(images).toHaveLength(1);
    expect(data["snapshot"]).toContain("Refresh");
    // Not the settings screen, which was there a moment ago.
    expect(data["snapshot"]).not.toContain("Bluetooth");
    const { matches } = await session.handsight.call("android_find_text", { text: "Refresh" });
    const [{ x, y }] = matches as [{ x: number; y: number }];
    await session.handsight.call("android_click", { x, y, settle_ms: 0 });
    expect(session.device.events().at(-1)).toEqual({ kind: "toggle", name: "refresh", on: true });
  });
});

test("without an adb server one is started; without adb the answer says how to get it", async () => {
  await using other = await startAndroid({ isConnected: false });
  await other.killServer();
  const withAdb = await startHandsight(other.env);
  const serial = other.devices[0]?.serial ?? "";
  expect(await withAdb.call("android_connect", { serial })).toMatchObject({ device: serial });
  await withAdb[Symbol.asyncDispose]();
  await other.adb("kill-server");
  // A folder with every needed program except adb.
  const folder = join(process.execPath, "..");
  await using withoutAdb = await startHandsight({ ...other.env, PATH: folder });
  const answer = await withoutAdb.ask("android_list_devices");
  expect(errorOf(answer).message).toMatch(/adb/);
  expect(errorOf(answer).hint).toMatch(/adb|platform-tools/);
});
