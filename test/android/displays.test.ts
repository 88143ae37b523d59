import { beforeEach, expect, test } from "vitest";
import { small, useAndroid } from "../simulators/android/session.ts";

const session = useAndroid({ ...small, displays: 2 });
const surface = () => `android:${session.device.serial}`;
const eventsOn = (display: number) => session.device.panels[display]?.events ?? [];
beforeEach(() => {
  session.device.open("Settings");
  session.device.open("Icons", 1);
  for (const { events } of session.device.panels) events.splice(0);
});

/** The centre of the first button of the icons app. */
const star = { x: Math.round(56 * 1.75), y: 42 + 98 + 98 };

test("displays are side by side, and each has its own picture [S2-128] [S2-136]", async () => {
  expect(await session.handsight.call("android_get_display_info")).toMatchObject({ width: 720, displays: 2 });
  const { displays } = await session.handsight.call("list_displays", { surface: surface() });
  expect(displays).toMatchObject([{ bounds: { x: 0, width: 720 } }, { bounds: { x: 720, width: 720 } }]);
  const first = await session.handsight.ask("android_screenshot");
  const second = await session.handsight.ask("android_screenshot", { display: 1 });
  expect(second.data).toMatchObject({ width: 720, height: 1600 });
  expect(second.images[0]?.equals(first.images[0] ?? Buffer.alloc(0))).toBe(false);
});

test("a tap goes to the display it names, and its effect is seen there [S2-130]", async () => {
  session.device.open("Settings", 1);
  // What came to the front before the tap is not its effect.
  await session.handsight.call("android_snapshot", { display: 1 });
  const airplane = { x: 300, y: Math.round(680 / 1.5) };
  const tapped = await session.handsight.call("android_click", { ...airplane, display: 1 });
  expect(tapped).toMatchObject({ effect: "confirmed", changes: { tree: [expect.stringContaining("Airplane mode")] } });
  expect(eventsOn(1).slice(-2)).toMatchObject([
    { kind: "tap", ...airplane },
    { kind: "toggle", name: "Airplane mode" },
  ]);
  expect(eventsOn(0)).toEqual([]);
});

test("pixels of a picture lead to the display it shows", async () => {
  const { data } = await session.handsight.ask("android_screenshot", { display: 1, max_side: 800 });
  expect(data).toMatchObject({ height: 800 });
  const at = { x: star.x / 2, y: star.y / 2, screenshot_id: data["screenshot_id"] };
  await session.handsight.call("android_click", { ...at, settle_ms: 0 });
  expect(eventsOn(1).at(-1)).toMatchObject({ kind: "toggle", name: "star" });
  expect(eventsOn(0)).toEqual([]);
});

test("keys and swipes go to the display they name, others to the first [S2-131] [S2-133]", async () => {
  await session.handsight.call("android_press_key", { key: "KEYCODE_HOME", display: 1, settle_ms: 0 });
  expect(session.device.panels.map(({ front }) => front.label)).toEqual(["Settings", "Launcher"]);
  const swipe = { start_x: 300, start_y: 900, end_x: 300, end_y: 500, settle_ms: 0 };
  await session.handsight.call("android_swipe", { ...swipe, display: 1 });
  await session.handsight.call("android_swipe", swipe);
  expect(eventsOn(1).at(-1)).toEqual({ kind: "swipe", from: [300, 900], to: [300, 500] });
  expect(eventsOn(0).map(({ kind }) => kind)).toEqual(["swipe"]);
});

test("a wheel turned over a display scrolls there, and no finger leaves it", async () => {
  for (const [at, display] of [
    [300, 0],
    [1000, 1],
  ] as const) {
    await session.handsight.call("scroll", { surface: surface(), x: at, y: 800, delta_x: 500, settle_ms: 0 });
    const swipes = eventsOn(display).filter((event) => event.kind === "swipe");
    expect(swipes.length).toBeGreaterThan(0);
    expect(eventsOn(1 - display)).toEqual([]);
    for (const { events } of session.device.panels) events.splice(0);
  }
});

test("an unknown display is an error that lists the known ones", async () => {
  for (const [tool, args] of [
    ["android_screenshot", { display: 7 }],
    ["android_click", { x: 1, y: 1, display: 7 }],
    ["android_press_key", { key: "KEYCODE_BACK", display: 7, settle_ms: 0 }],
  ] as const) {
    const { data } = await session.handsight.ask(tool, args);
    expect(data["error"]).toMatchObject({ code: "not_found", hint: expect.stringContaining("Panel 1") });
  }
  const off = await session.handsight.ask("android_click", { x: 800, y: 10, display: 1 });
  expect(off.data["error"]).toMatchObject({ code: "out_of_bounds" });
  expect([...eventsOn(0), ...eventsOn(1)]).toEqual([]);
});

test("elements of every display are listed, and used where they are [S2-129] [S2-138]", async () => {
  const other = await session.handsight.call("android_snapshot", { display: 1, bounds: "all" });
  expect(other).toMatchObject({ package: "org.example.icons" });
  const [, uid, left] = /button "Add" (\S+) (\d+),/.exec(String(other["snapshot"])) ?? [];
  // In pixels of the display; android_click takes these with the display's number.
  expect(Number(left)).toBeLessThan(720);
  expect(await session.handsight.call("android_click", { uid })).toMatchObject({ effect: "confirmed" });
  expect(eventsOn(1).at(-1)).toMatchObject({ kind: "toggle", name: "plus" });
  const { matches } = await session.handsight.call("android_find_text", { text: "add", display: 1 });
  const [{ x, y }] = matches as [{ x: number; y: number }];
  expect(x).toBeLessThan(720);
  await session.handsight.call("android_click", { x, y, display: 1 });
  expect(eventsOn(1).filter(({ kind }) => kind === "toggle")).toHaveLength(2);
  expect((await session.handsight.call("android_snapshot"))["package"]).toBe("com.android.settings");
  expect(eventsOn(0)).toEqual([]);
});
