import sharp from "sharp";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { startAndroid, type AndroidLab, type AndroidTarget } from "../support/android/lab.ts";
import { startHandsight, type Handsight } from "../support/handsight.ts";

let lab: AndroidLab;
let device: AndroidTarget;
let handsight: Handsight;
beforeAll(async () => {
  lab = await startAndroid({ size: { width: 720, height: 1600 }, density: 280 });
  [device] = lab.devices as [AndroidTarget];
  handsight = await startHandsight(lab.env);
  await handsight.call("android_connect", { serial: device.serial });
});
afterAll(async () => {
  await handsight?.[Symbol.asyncDispose]();
  await lab?.[Symbol.asyncDispose]();
});
beforeEach(() => {
  Object.assign(device.phone, {
    rotation: 0,
    overrideSize: undefined,
    isAwake: true,
    isLocked: false,
    isSecure: false,
  });
  device.open("Settings");
  device.forget();
});

const tapOn = async (text: string): Promise<void> => {
  const { matches } = await handsight.call("android_find_text", { text });
  const [first] = matches as { x: number; y: number }[];
  if (!first) throw new Error(`${text} is not on the screen`);
  await handsight.call("android_click", { x: first.x, y: first.y, settle_ms: 0 });
};

test("a turned device is measured, seen and tapped as it is held [S2-136] [S2-138]", async () => {
  device.phone.rotation = 1;
  expect(await handsight.call("android_get_display_info")).toMatchObject({ width: 1600, height: 720, rotation: 90 });
  expect((await handsight.ask("android_screenshot")).data).toMatchObject({ width: 1600, height: 720 });
  await tapOn("Bluetooth");
  expect(device.events().at(-1)).toEqual({ kind: "toggle", name: "Bluetooth", on: true });
});

test("an override of the size counts, not the panel [S2-136]", async () => {
  device.phone.overrideSize = { width: 540, height: 1200 };
  device.phone.overrideDensity = 210;
  expect(await handsight.call("android_get_display_info")).toMatchObject({ width: 540, height: 1200, density: 210 });
  expect((await handsight.ask("android_screenshot")).data).toMatchObject({ width: 540, height: 1200 });
  await tapOn("Bluetooth");
  expect(device.events().at(-1)).toMatchObject({ kind: "toggle", name: "Bluetooth" });
  device.phone.overrideDensity = undefined;
});

test("what screencap says on devices with two displays does not spoil the picture", async () => {
  device.phone.warnsAboutDisplays = true;
  const { images } = await handsight.ask("android_screenshot");
  device.phone.warnsAboutDisplays = false;
  expect(images[0]?.subarray(1, 4).toString()).toBe("PNG");
});

test("a window that hides from pictures is said to, and its elements are read", async () => {
  device.open("Vault");
  const { data } = await handsight.ask("android_screenshot");
  expect(data["warning"]).toMatch(/protect|secure/i);
  await tapOn("Pay");
  expect(device.events().at(-1)).toEqual({ kind: "toggle", name: "pay", on: true });
});

test("a sleeping device is said to be, with the key that wakes it", async () => {
  device.phone.sleepNow();
  const { data } = await handsight.ask("android_screenshot");
  expect(data["warning"]).toMatch(/KEYCODE_WAKEUP/);
  await handsight.call("android_press_key", { key: "KEYCODE_WAKEUP" });
  expect(device.phone.isAwake).toBe(true);
  expect(await handsight.call("android_get_current_activity")).toMatchObject({ screen_on: true, locked: true });
});

test("buttons without words are in the snapshot, and are tapped by their uid", async () => {
  device.open("Icons");
  const { snapshot } = await handsight.call("android_snapshot");
  const uids = [...String(snapshot).matchAll(/^\s*button(?: "[^"]*")? (n\d+g\d+)/gm)].map(([, uid]) => uid);
  expect(uids).toHaveLength(3);
  await handsight.call("android_click", { uid: uids[1], settle_ms: 0 });
  expect(device.events().at(-1)).toEqual({ kind: "toggle", name: "cross", on: true });
});

test("text that is only painted is read from the pixels, and tapped there [S2-129]", async () => {
  device.open("Game");
  await tapOn("Start game");
  expect(device.events().at(-1)).toEqual({ kind: "toggle", name: "start", on: true });
});

test("a password is not told by the tree, and its field is painted over in pictures", async () => {
  device.open("Sign up");
  // Painted over, its placeholder cannot be read; the tree tells which field it is.
  const surface = `android:${device.serial}`;
  const { elements } = await handsight.call("find_elements", { selector: "[password]", surface });
  const [field] = elements as { uid: string; bounds: { x: number; y: number; width: number; height: number } }[];
  if (!field) throw new Error("there is no password field");
  const { x: left, y: top, width, height } = field.bounds;
  await handsight.call("android_click", { uid: field.uid, settle_ms: 0 });
  await handsight.call("android_type_text", { text: "s3cret-word", settle_ms: 0 });
  const { snapshot } = await handsight.call("android_snapshot");
  expect(snapshot).not.toContain("s3cret");
  const { images } = await handsight.ask("android_screenshot");
  const painted = await sharp(images[0]).extract({ left, top, width, height }).removeAlpha().raw().toBuffer();
  expect(painted.every((value) => value === 0)).toBe(true);
});
