import { beforeEach, expect, test } from "vitest";
import { useAndroid } from "../simulators/android/session.ts";

const session = useAndroid({ connects: false, args: ["--tools", "all"] });
beforeEach(() => {
  session.device.open("Launcher");
  session.device.forget();
});

interface Match {
  readonly text: string;
  readonly x: number;
  readonly y: number;
  readonly bounds: { readonly x: number; readonly y: number; readonly width: number; readonly height: number };
}

const find = async (text: string): Promise<Match> => {
  const { matches } = await session.handsight.call("android_find_text", { text });
  const [match] = matches as Match[];
  if (!match) throw new Error(`${text} is not on the screen`);
  return match;
};

test("tools are listed before there is a device to use, and say so [S2-123] [S2-124]", async () => {
  const { tools } = await session.handsight.client.listTools();
  const names = tools.map(({ name }) => name).filter((name) => name.startsWith("android_"));
  expect(names).toContain("android_screenshot");
  expect(names.length).toBeGreaterThanOrEqual(15);
  for (const [tool, args] of Object.entries(beforeConnecting)) {
    const { data } = await session.handsight.ask(tool, args);
    expect(data["error"], tool).toMatchObject({
      code: "not_connected",
      hint: expect.stringContaining("android_connect"),
    });
  }
});

const beforeConnecting = {
  android_screenshot: {},
  android_snapshot: {},
  android_find_text: { text: "a" },
  android_click: { x: 1, y: 1 },
  android_long_press: { x: 1, y: 1 },
  android_swipe: { start_x: 1, start_y: 1, end_x: 2, end_y: 2 },
  android_type_text: { text: "a" },
  android_press_key: { key: "KEYCODE_HOME" },
  android_launch_app: { package: "org.example.notes" },
  android_list_apps: {},
  android_get_display_info: {},
  android_get_current_activity: {},
  take_screenshot: { surface: "android:emulator-5554" },
};

test("list, connect, look, find, tap, look again [S2-125] [S2-126] [S2-128] [S2-129] [S2-130] [S2-138] [S2-139]", async () => {
  const { devices } = await session.handsight.call("android_list_devices");
  expect(devices).toEqual([expect.objectContaining({ serial: session.device.serial, state: "device" })]);
  await session.handsight.call("android_connect", { serial: session.device.serial });
  const before = await session.handsight.ask("android_screenshot");
  expect(before.data).toMatchObject({ device: session.device.serial, width: 1080, height: 2400, scale: 1 });
  const { x, y, text, bounds } = await find("sETTing");
  expect(text).toBe("Settings");
  expect(x).toBeGreaterThan(bounds.x);
  expect(y).toBeLessThan(bounds.y + bounds.height);
  const tapped = await session.handsight.call("android_click", { x, y });
  expect(tapped).toMatchObject({ ok: true, effect: "confirmed", method: "adb" });
  expect(session.device.events()).toEqual([
    { kind: "tap", x, y, on: "Settings" },
    { kind: "launch", package: "com.android.settings" },
  ]);
  const after = await session.handsight.ask("android_screenshot");
  expect(after.images[0]?.equals(before.images[0] ?? Buffer.alloc(0))).toBe(false);
  expect(await find("Bluetooth")).toMatchObject({ text: "Bluetooth" });
});

test("a form is filled, and every step is seen to work [S2-132] [S2-133] [S2-134]", async () => {
  await session.handsight.call("android_connect", { serial: session.device.serial });
  expect(await session.handsight.call("android_launch_app", { package: "org.example.form" })).toMatchObject({
    effect: "confirmed",
  });
  const effects: unknown[] = [];
  const step = async (tool: string, args: Record<string, unknown>): Promise<void> => {
    const { effect } = await session.handsight.call(tool, args);
    effects.push(effect);
  };
  const tap = async (text: string): Promise<void> => {
    const { x, y } = await find(text);
    await step("android_click", { x, y });
  };
  await tap("Full name");
  await step("android_type_text", { text: "Ada Lovelace" });
  await tap("Email");
  await step("android_type_text", { text: "ada@example.org" });
  await step("android_press_key", { key: "KEYCODE_ENTER" });
  await step("android_type_text", { text: "p4ss word!" });
  await step("android_press_key", { key: "KEYCODE_BACK" });
  await tap("Send me news");
  await tap("Submit");
  expect(effects).toEqual(effects.map(() => "confirmed"));
  expect(session.device.events().filter(({ kind }) => kind === "submit")).toEqual([
    {
      kind: "submit",
      data: { name: "Ada Lovelace", email: "ada@example.org", password: "p4ss word!", news: "true" },
    },
  ]);
  expect(await find("Thank you, Ada Lovelace")).toBeDefined();
});

test("the tools for every surface work on a device, by elements [S2-132]", async () => {
  const { surface } = await session.handsight.call("android_connect", { serial: session.device.serial });
  await session.handsight.call("android_launch_app", { package: "com.android.settings" });
  const { elements } = await session.handsight.call("find_elements", { surface, name: "Bluetooth" });
  expect(elements).not.toEqual([]);
  const clicked = await session.handsight.call("click", { surface, text: "Bluetooth" });
  expect(clicked).toMatchObject({ effect: "confirmed" });
  expect(session.device.events().at(-1)).toEqual({ kind: "toggle", name: "Bluetooth", on: true });
  const { snapshot } = await session.handsight.call("take_ax_snapshot", { surface });
  expect(snapshot).toMatch(/"Dark theme"/);
  const shot = await session.handsight.ask("take_screenshot", { surface });
  const { screenshot_id, screenshot_scale: scale } = shot.data as { screenshot_id: string; screenshot_scale: number };
  // A shrunk picture, with its pixels passed back unchanged: callers do no arithmetic.
  expect(scale).toBeLessThan(1);
  await session.handsight.call("click", {
    surface,
    screenshot_id,
    screenshot_x: Math.round(500 * scale),
    screenshot_y: Math.round(680 * scale),
  });
  expect(session.device.events().at(-1)).toEqual({ kind: "toggle", name: "Airplane mode", on: true });
});

test("a list is swiped to what is further down [S2-131]", async () => {
  await session.handsight.call("android_connect", { serial: session.device.serial });
  await session.handsight.call("android_launch_app", { package: "org.example.contacts" });
  expect(session.device.screenText()).not.toContain("Contact 25");
  const swiped = await session.handsight.call("android_swipe", {
    start_x: 540,
    start_y: 2000,
    end_x: 540,
    end_y: 600,
    duration_ms: 500,
  });
  expect(swiped).toMatchObject({ effect: "confirmed" });
  const { x, y } = await find("Contact 25");
  await session.handsight.call("android_click", { x, y });
  expect(session.device.screenText()).toMatch(/^Contact 25\n/);
});

test("reports what is on the device [S2-135] [S2-136] [S2-137]", async () => {
  await session.handsight.call("android_connect", { serial: session.device.serial });
  expect(await session.handsight.call("android_get_display_info")).toMatchObject({
    width: 1080,
    height: 2400,
    density: 420,
  });
  const { apps } = await session.handsight.call("android_list_apps", { filter: "notes" });
  expect(apps).toEqual([{ package: "org.example.notes" }]);
  session.device.open("Notes");
  expect(await session.handsight.call("android_get_current_activity")).toMatchObject({
    package: "org.example.notes",
    activity: expect.stringContaining("NotesActivity"),
  });
  await session.handsight.call("android_press_key", { key: "KEYCODE_HOME" });
  expect(session.device.phone.front.label).toBe("Launcher");
});

test("the apps of a work profile are listed and started by its number [S2-134] [S2-135]", async () => {
  await session.handsight.call("android_connect", { serial: session.device.serial });
  const { phone } = session.device;
  const alone = await session.handsight.call("android_list_apps");
  expect(alone).not.toHaveProperty("users");
  phone.workPackages = ["org.example.notes"];
  const all = await session.handsight.call("android_list_apps");
  expect(all["users"]).toEqual([
    { id: 0, name: "Owner" },
    { id: 10, name: "Work profile" },
  ]);
  const { apps } = await session.handsight.call("android_list_apps", { user: 10 });
  expect(apps).toEqual([{ package: "org.example.notes" }]);
  const launched = await session.handsight.call("android_launch_app", { package: "org.example.notes", user: 10 });
  expect(launched).toMatchObject({ effect: "confirmed" });
  expect(phone.frontUser).toBe(10);
  const front = await session.handsight.call("android_get_current_activity");
  expect(front).toMatchObject({ package: "org.example.notes", work_profile: true, user: 10 });
  const nobody = await session.handsight.ask("android_launch_app", { package: "org.example.notes", user: 99 });
  expect(nobody.data["error"]).toMatchObject({ code: "not_found", hint: expect.stringContaining("10 (Work profile)") });
  const other = await session.handsight.ask("android_launch_app", { package: "org.example.form", user: 10 });
  expect(other.data["error"]).toMatchObject({ code: "not_found", hint: expect.stringContaining("pass user 0") });
  phone.workPackages = [];
});

test("an app with two icons is launched by the first of them [S2-134]", async () => {
  await session.handsight.call("android_connect", { serial: session.device.serial });
  session.device.phone.withTwoIcons = ["org.example.notes"];
  const launched = await session.handsight.call("android_launch_app", { package: "org.example.notes" });
  expect(launched).toMatchObject({ effect: "confirmed", activity: "org.example.notes/.NotesActivity" });
  session.device.phone.withTwoIcons = [];
});

test("an unknown app is not launched", async () => {
  await session.handsight.call("android_connect", { serial: session.device.serial });
  const { isError, data } = await session.handsight.ask("android_launch_app", { package: "org.example.missing" });
  expect(isError).toBe(true);
  expect(data["error"]).toMatchObject({ code: "not_found", message: expect.stringContaining("org.example.missing") });
  const bad = await session.handsight.ask("android_launch_app", { package: "x; input tap 1 1" });
  expect(bad.data["error"]).toMatchObject({ code: expect.stringMatching(/^(invalid_argument|denied)$/) });
  expect(session.device.events()).toEqual([]);
});

test("after a disconnect the tools need a device again [S2-127]", async () => {
  await session.handsight.call("android_connect", { serial: session.device.serial });
  await session.handsight.call("android_disconnect");
  const { data } = await session.handsight.ask("android_click", { x: 1, y: 1 });
  expect(data["error"]).toMatchObject({ code: "not_connected" });
  expect(session.device.events()).toEqual([]);
});

test("what was started on the device in advance ends with the connection, and leaves no file", async () => {
  const { lab, device, handsight } = session;
  const shell = async (command: string) => (await lab.adb("-s", device.serial, "shell", command)).stdout;
  // Each shell is a process; the one that counts them is included once.
  const shells = async () =>
    Number(
      await shell(
        "n=0; for each in /proc/[0-9]*/exe; do case $(readlink $each) in *mksh) n=$((n+1));; esac; done; echo $n",
      ),
    );
  const alone = await shells();
  await handsight.call("android_connect", { serial: device.serial });
  for (let times = 0; times < 2; times++) {
    await handsight.call("android_snapshot");
    await handsight.call("android_click", { x: 1, y: 1, settle_ms: 0 });
  }
  expect(await shells()).toBeGreaterThan(alone);
  await handsight.call("android_disconnect");
  await expect.poll(shells, { timeout: 5_000 }).toBe(alone);
  expect(await shell("ls /data/local/tmp")).toBe("");
  expect(device.events().filter(({ kind }) => kind === "tap")).toHaveLength(2);
});
