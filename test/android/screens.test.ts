import sharp from "sharp";
import { beforeEach, expect, test } from "vitest";
import { small, useAndroid } from "../simulators/android/session.ts";

const session = useAndroid(small);
beforeEach(() => {
  Object.assign(session.device.phone, {
    rotation: 0,
    overrideSize: undefined,
    isAwake: true,
    isLocked: false,
    isSecure: false,
  });
  session.device.open("Settings");
  session.device.forget();
});

const tapOn = async (text: string): Promise<void> => {
  const { matches } = await session.handsight.call("android_find_text", { text });
  const [first] = matches as { x: number; y: number }[];
  if (!first) throw new Error(`${text} is not on the screen`);
  await session.handsight.call("android_click", { x: first.x, y: first.y, settle_ms: 0 });
};

test("a rotated device is measured, seen and tapped in its current orientation [S2-136] [S2-138]", async () => {
  session.device.phone.rotation = 1;
  expect(await session.handsight.call("android_get_display_info")).toMatchObject({
    width: 1600,
    height: 720,
    rotation: 90,
  });
  expect((await session.handsight.ask("android_screenshot")).data).toMatchObject({ width: 1600, height: 720 });
  await tapOn("Bluetooth");
  expect(session.device.events().at(-1)).toEqual({ kind: "toggle", name: "Bluetooth", on: true });
});

test("an override of the size counts, not the panel [S2-136]", async () => {
  session.device.phone.overrideSize = { width: 540, height: 1200 };
  session.device.phone.overrideDensity = 210;
  expect(await session.handsight.call("android_get_display_info")).toMatchObject({
    width: 540,
    height: 1200,
    density: 210,
  });
  expect((await session.handsight.ask("android_screenshot")).data).toMatchObject({ width: 540, height: 1200 });
  await tapOn("Bluetooth");
  expect(session.device.events().at(-1)).toMatchObject({ kind: "toggle", name: "Bluetooth" });
  session.device.phone.overrideDensity = undefined;
});

test("a tap after the device was rotated uses its current orientation, and is never off the screen [S2-130] [S2-138]", async () => {
  await session.handsight.call("android_get_display_info");
  session.device.phone.rotation = 1;
  const { data } = await session.handsight.ask("android_click", { x: 300, y: 1500, settle_ms: 0 });
  expect(data["error"]).toMatchObject({ code: "out_of_bounds", message: expect.stringContaining("1599,719") });
  expect(session.device.events()).toEqual([]);
  await session.handsight.call("android_click", { x: 1500, y: 300, settle_ms: 0 });
  expect(session.device.events()).toMatchObject([
    { kind: "tap", x: 1500, y: 300 },
    ...session.device.events().slice(1),
  ]);
});

test("a picture in which nothing is hidden is the device's own, to the byte [S2-128]", async () => {
  const serial = session.device.serial;
  // The first is always a PNG; later ones use whichever way was faster on this device.
  await session.handsight.call("android_disconnect");
  await session.handsight.call("android_connect", { serial });
  const { images, data } = await session.handsight.ask("android_screenshot");
  const own = await session.lab.screencap(serial);
  expect(images[0]?.equals(own)).toBe(true);
  // The stored frame is still available: its pixels are decoded on demand.
  const { changed } = await session.handsight.call("compare_screenshots", {
    before: data["screenshot_id"],
    surface: `android:${serial}`,
  });
  expect(changed).toBe(false);
});

test("what screencap says on devices with two displays does not spoil the picture", async () => {
  session.device.phone.warnsAboutDisplays = true;
  const { images } = await session.handsight.ask("android_screenshot");
  session.device.phone.warnsAboutDisplays = false;
  expect(images[0]?.subarray(1, 4).toString()).toBe("PNG");
});

test("a window that hides from pictures is reported as such, and its elements are read", async () => {
  session.device.open("Vault");
  const { data } = await session.handsight.ask("android_screenshot");
  expect(data["warning"]).toMatch(/protect|secure/i);
  await tapOn("Pay");
  expect(session.device.events().at(-1)).toEqual({ kind: "toggle", name: "pay", on: true });
});

test("a sleeping device is reported as such, with the key that wakes it", async () => {
  session.device.phone.sleepNow();
  const { data } = await session.handsight.ask("android_screenshot");
  expect(data["warning"]).toMatch(/KEYCODE_WAKEUP/);
  await session.handsight.call("android_press_key", { key: "KEYCODE_WAKEUP" });
  expect(session.device.phone.isAwake).toBe(true);
  expect(await session.handsight.call("android_get_current_activity")).toMatchObject({ screen_on: true, locked: true });
});

test("a locked device is reported by every call that does not get past the lock [S2-134]", async () => {
  session.device.phone.isLocked = true;
  const locked = { warning: expect.stringMatching(/locked.*unlock/) };
  expect(await session.handsight.call("android_connect", { serial: session.device.serial })).toMatchObject(locked);
  expect(await session.handsight.call("android_snapshot")).toMatchObject(locked);
  expect(await session.handsight.call("android_find_text", { text: "Bluetooth" })).toMatchObject(locked);
  expect(await session.handsight.call("android_click", { x: 300, y: 300 })).toMatchObject(locked);
  const launched = await session.handsight.call("android_launch_app", { package: "org.example.notes" });
  expect(launched).toMatchObject({ ...locked, effect: "no_change", message: expect.stringContaining("not in front") });
  session.device.phone.sleepNow();
  const dark = await session.handsight.call("android_launch_app", { package: "org.example.notes" });
  expect(dark).toMatchObject({ effect: "no_change", warning: expect.stringContaining("KEYCODE_WAKEUP") });
});

test("buttons without text are in the snapshot, and are tapped by their uid", async () => {
  session.device.open("Icons");
  const { snapshot } = await session.handsight.call("android_snapshot");
  const uids = [...String(snapshot).matchAll(/^\s*button(?: "[^"]*")? (n\d+g\d+)/gm)].map(([, uid]) => uid);
  expect(uids).toHaveLength(3);
  await session.handsight.call("android_click", { uid: uids[1], settle_ms: 0 });
  expect(session.device.events().at(-1)).toEqual({ kind: "toggle", name: "cross", on: true });
});

test("the uids of an unchanged screen stay valid, those of a changed one do not", async () => {
  const first = await session.handsight.call("android_snapshot");
  const again = await session.handsight.call("android_snapshot");
  expect(again).toEqual(first);
  const short = await session.handsight.call("android_snapshot", { max_nodes: 2 });
  expect(short).toMatchObject({ generation: first["generation"], nodes: first["nodes"] });
  expect(short["cut"]).toBeGreaterThan(0);
  const [, uid] = /"Bluetooth" (n\d+g\d+)/.exec(String(first["snapshot"])) ?? [];
  await session.handsight.call("android_click", { uid, settle_ms: 0 });
  expect(session.device.events().at(-1)).toMatchObject({ kind: "toggle", name: "Bluetooth" });
  const changed = await session.handsight.call("android_snapshot");
  expect(changed["generation"]).toBeGreaterThan(Number(first["generation"]));
  await expect(session.handsight.call("android_click", { uid })).rejects.toThrow(/is from snapshot/);
});

test("text that is only painted is read from the pixels, and tapped there [S2-129]", async () => {
  session.device.open("Game");
  await tapOn("Start game");
  expect(session.device.events().at(-1)).toEqual({ kind: "toggle", name: "start", on: true });
});

test("a password is not in the tree, and its field is painted over in pictures", async () => {
  session.device.open("Sign up");
  // Its placeholder is painted over and cannot be read; the tree shows which field it is.
  const surface = `android:${session.device.serial}`;
  const { elements } = await session.handsight.call("find_elements", { selector: "[password]", surface });
  const [field] = elements as { uid: string; bounds: { x: number; y: number; width: number; height: number } }[];
  if (!field) throw new Error("there is no password field");
  const { x: left, y: top, width, height } = field.bounds;
  await session.handsight.call("android_click", { uid: field.uid, settle_ms: 0 });
  await session.handsight.call("android_type_text", { text: "s3cret-word", settle_ms: 0 });
  const { snapshot } = await session.handsight.call("android_snapshot");
  expect(snapshot).not.toContain("s3cret");
  const { images } = await session.handsight.ask("android_screenshot");
  const painted = await sharp(images[0]).extract({ left, top, width, height }).removeAlpha().raw().toBuffer();
  expect(painted.every((value) => value === 0)).toBe(true);
});
