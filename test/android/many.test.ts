import { expect, test } from "vitest";
import { startAndroid } from "../simulators/android/lab.ts";
import { startHandsight } from "../support/handsight.ts";

const count = 12;

test("twelve devices are listed and used at once, and none waits for the others' turns [S2-125] [S2-130]", async () => {
  await using lab = await startAndroid({ devices: count, size: { width: 720, height: 1600 }, density: 280 });
  await using handsight = await startHandsight(lab.env);
  const { devices } = await handsight.call("android_list_devices");
  expect(
    (devices as { serial: string; state: string }[]).map(({ serial, state }) => `${serial} ${state}`).sort(),
  ).toEqual(lab.devices.map(({ serial }) => `${serial} device`).sort());
  for (const device of lab.devices) device.open("Settings");
  await Promise.all(lab.devices.map(({ serial }) => handsight.call("android_connect", { serial })));
  const tap = async (serial: string): Promise<void> => {
    const { matches } = await handsight.call("android_find_text", { text: "Bluetooth", serial });
    const [{ x, y }] = matches as [{ x: number; y: number }];
    await handsight.call("android_click", { x, y, serial, settle_ms: 0 });
  };
  const timed = async (work: () => Promise<unknown>): Promise<number> => {
    const started = performance.now();
    await work();
    return performance.now() - started;
  };
  const [first, ...others] = lab.devices;
  if (!first) throw new Error("no device");
  // The first round opens shells and measures displays.
  await Promise.all(lab.devices.map(({ serial }) => tap(serial)));
  const one = await timed(() => tap(first.serial));
  const all = await timed(() => Promise.all(lab.devices.map(({ serial }) => tap(serial))));
  for (const device of others) {
    expect(device.events().filter(({ kind }) => kind === "toggle")).toEqual([
      { kind: "toggle", name: "Bluetooth", on: true },
      { kind: "toggle", name: "Bluetooth", on: false },
    ]);
  }
  // Twelve times one, with room for whatever else the machine is doing.
  expect(all).toBeLessThan(one * count * 2 + 1000);
}, 90_000);

test("a device that hangs blocks nobody on another one, in any process", async () => {
  await using lab = await startAndroid({ devices: 2, size: { width: 720, height: 1600 }, density: 280 });
  const [hanging, other] = lab.devices;
  if (!hanging || !other) throw new Error("no devices");
  await using first = await startHandsight(lab.env);
  await using second = await startHandsight(lab.env);
  await first.call("android_connect", { serial: hanging.serial });
  await second.call("android_connect", { serial: other.serial });
  const held = hanging.hold("input");
  const tapping = first.ask("android_click", { x: 300, y: 300, settle_ms: 0 });
  await held.reached;
  expect(await second.ask("android_click", { x: 300, y: 300, settle_ms: 0 })).toMatchObject({ isError: false });
  expect(other.events()).toContainEqual(expect.objectContaining({ kind: "tap" }));
  held[Symbol.dispose]();
  expect(await tapping).toMatchObject({ isError: false });
}, 60_000);
