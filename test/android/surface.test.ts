import sharp from "sharp";
import { beforeEach, describe, expect, test } from "vitest";
import { small, useAndroid } from "../simulators/android/session.ts";

const session = useAndroid(small);
beforeEach(() => {
  session.device.phone.stop("com.android.settings");
  session.device.open("Settings");
  session.device.forget();
});

const ask = (tool: string, args: Record<string, unknown> = {}) =>
  session.handsight.ask(tool, { surface: `android:${session.device.serial}`, ...args });
const call = (tool: string, args: Record<string, unknown> = {}) =>
  session.handsight.call(tool, { surface: `android:${session.device.serial}`, ...args });
const lastEvent = () => session.device.events().at(-1);

async function uidOf(selector: string): Promise<string> {
  const { elements } = await call("find_elements", { selector });
  const [first] = elements as { uid: string }[];
  if (!first) throw new Error(`there is no ${selector}`);
  return first.uid;
}

test("a snapshot since an earlier one lists only what changed, with the uids to use", async () => {
  const first = await session.handsight.call("android_snapshot");
  await call("act", { action: "click", uid: await uidOf("Switch:Bluetooth") });
  const since = await session.handsight.call("android_snapshot", { since: first["snapshot_id"] });
  expect(since).toMatchObject({
    since: first["snapshot_id"],
    snapshot: expect.stringMatching(/^~ switch "Bluetooth" n\d+g\d+ \+checked$/) as string,
    cut: 0,
  });
  const unknown = await session.handsight.call("android_snapshot", { since: "g99" });
  expect(unknown).toMatchObject({ warning: expect.stringContaining("g99") as string });
});

describe("the six verified actions reach the device", () => {
  test("click", async () => {
    const clicked = await call("act", { action: "click", uid: await uidOf("Switch:Bluetooth") });
    expect(clicked).toMatchObject({
      effect: "confirmed",
      changes: { tree: [expect.stringMatching(/^~ switch "Bluetooth" n\d+g\d+ \+checked$/)] },
    });
    expect(lastEvent()).toEqual({ kind: "toggle", name: "Bluetooth", on: true });
  });

  test("click, by a uid alone: it identifies the device", async () => {
    const uid = await uidOf("Switch:Bluetooth");
    const clicked = await session.handsight.call("act", { action: "click", uid });
    expect(clicked).toMatchObject({ effect: "confirmed", surface: `android:${session.device.serial}` });
  });

  test("set_value, type and key", async () => {
    session.device.open("Sign up");
    const uid = await uidOf("#email");
    expect(await call("act", { action: "set_value", uid, value: "ada@" })).toMatchObject({ effect: "confirmed" });
    expect(await call("act", { action: "type", uid, text: "example.org" })).toMatchObject({ effect: "confirmed" });
    expect(session.device.phone.focused).toMatchObject({ name: "email", text: "ada@example.org" });
    expect(await call("act", { action: "set_value", uid, value: "bob" })).toMatchObject({ effect: "confirmed" });
    expect(session.device.phone.focused).toMatchObject({ name: "email", text: "bob" });
    expect(await call("act", { action: "key", key: "enter" })).toMatchObject({ effect: "confirmed" });
    expect(session.device.phone.focused).toMatchObject({ name: "password" });
  });

  test("scroll and drag", async () => {
    session.device.open("Contacts");
    expect(await call("act", { action: "scroll", uid: await uidOf("List"), direction: "down" })).toMatchObject({
      effect: "confirmed",
    });
    expect(session.device.screenText()).not.toContain("Contact 2\n");
    const [uid, to_uid] = [await uidOf('ListItem:"Contact 9"'), await uidOf('ListItem:"Contact 15"')];
    expect(await call("act", { action: "drag", uid, to_uid })).toMatchObject({ effect: "confirmed" });
    expect(session.device.screenText()).toContain("Contact 2\n");
  });
});

test("waits for what is to come", async () => {
  const waiting = call("wait_for", { selector: "Switch:Bluetooth[checked]", timeout_ms: 10_000 });
  session.device.phone.touch(300, 330, "tap");
  expect(await waiting).toMatchObject({ met: true, element: { name: "Bluetooth" } });
  expect(await call("wait_for", { condition: "stable" })).toMatchObject({ met: true });
});

test("marks are drawn, and their numbers clicked", async () => {
  const { legend } = await call("mark_regions");
  const [, region] = /^(\d+) switch "Airplane mode"/m.exec(String(legend)) ?? [];
  expect(await call("click_region", { region: Number(region) })).toMatchObject({ effect: "confirmed" });
  expect(lastEvent()).toEqual({ kind: "toggle", name: "Airplane mode", on: true });
  expect(await session.handsight.call("android_click", { region: Number(region) })).toMatchObject({
    effect: "confirmed",
  });
  expect(lastEvent()).toEqual({ kind: "toggle", name: "Airplane mode", on: false });
});

test("text is read from the pixels, with its position", async () => {
  session.device.open("Game");
  const { lines } = await call("ocr");
  const start = (lines as { text: string; x: number; y: number }[]).find(({ text }) => text === "Start game");
  expect(await call("click", { x: start?.x, y: start?.y })).toMatchObject({ effect: "confirmed" });
  expect(lastEvent()).toEqual({ kind: "toggle", name: "start", on: true });
});

test("a picture cut out of the screen is found on it, and what changed since is boxed", async () => {
  session.device.open("Icons");
  const area = { x: 196, y: 168, width: 140, height: 140 };
  const { images, data } = await ask("take_screenshot", { mode: "region", ...area, format: "png" });
  expect(await sharp(images[0]).metadata()).toMatchObject({ format: "png", width: 140, height: 140 });
  const { matches } = await call("find_image", { template_image_base64: images[0]?.toString("base64") });
  expect(matches).toMatchObject([{ score: 1, screen_x: 266, screen_y: 238 }]);
  const whole = await ask("take_screenshot");
  await call("click", { x: 266, y: 238 });
  expect(lastEvent()).toMatchObject({ kind: "toggle", name: "cross" });
  const { changed, boxes } = await call("compare_screenshots", { before: whole.data["screenshot_id"] });
  expect({ changed, boxes }).toMatchObject({ changed: true, boxes: [{ y: expect.any(Number) }] });
  // The icons look as before: only the line that counts them is different.
  expect((boxes as { y: number }[])[0]?.y).toBeGreaterThan(area.y + area.height);
  expect(data).toMatchObject({ screenshot_origin_x: 196, screenshot_scale: 1 });
});

test("a picture in which nothing can be seen says so", async () => {
  expect((await ask("take_screenshot")).data).not.toHaveProperty("warning");
  session.device.open("Vault");
  expect((await ask("take_screenshot")).data).toMatchObject({
    warning: expect.stringMatching(/black.*prevents capture/),
  });
});

test("a text that is not there is not found as another number [S2-129]", async () => {
  session.device.open("Contacts");
  const { matches } = await session.handsight.call("android_find_text", { text: "Contact 99" });
  expect(matches).toEqual([]);
  expect((await ask("click", { text: "Contact 99" })).data["error"]).toMatchObject({ code: "not_found" });
});

describe("on a screen that never rests", () => {
  beforeEach(() => session.device.open("Ticker"));

  test("the elements are said to be unavailable, and none of an earlier screen is used", async () => {
    session.device.open("Settings");
    const uid = await uidOf("Switch:Bluetooth");
    session.device.open("Ticker");
    session.device.forget();
    for (const [tool, args] of [
      ["take_ax_snapshot", {}],
      ["find_elements", { role: "switch" }],
      ["act", { action: "click", uid }],
    ] as const) {
      const { data } = await ask(tool, args);
      expect(data["error"]).toMatchObject({
        code: "ax_error",
        message: expect.stringMatching(/unavailable.*keeps changing/),
        hint: expect.stringContaining("screenshot"),
      });
    }
    expect(session.device.events()).toEqual([]);
  });

  test("a text is clicked where it is read", async () => {
    await call("click", { text: "Refresh", settle_ms: 0 });
    expect(lastEvent()).toEqual({ kind: "toggle", name: "refresh", on: true });
  });

  test("waiting for an element ends in time, with the reason", async () => {
    const { data } = await ask("wait_for", { selector: "Button:Refresh", timeout_ms: 1_500 });
    expect(data["error"]).toMatchObject({ code: "timeout", message: expect.stringContaining("keeps changing") });
  });
});

test("a device that does not answer delays wait_for no longer than its timeout", async () => {
  using held = session.device.hold("uiautomator");
  const started = performance.now();
  const { data } = await ask("wait_for", { selector: "Button:Nothing", timeout_ms: 3_000 });
  expect(data["error"]).toMatchObject({ code: "timeout" });
  await held.reached;
  // One dump may take fifteen seconds.
  expect(performance.now() - started).toBeLessThan(10_000);
});
