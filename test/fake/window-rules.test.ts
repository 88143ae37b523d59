import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { expect, test } from "vitest";
import type { FakeWindow } from "../../src/platform/fake/desktop.ts";
import { openFakeSession } from "../support/fake-session.ts";

const windows: readonly FakeWindow[] = [
  { id: 1, title: "Editor", appName: "editor", pid: 11, bounds: { x: 0, y: 0, width: 400, height: 300 } },
  { id: 2, title: "Payroll", appName: "payroll", pid: 22, bounds: { x: 500, y: 0, width: 400, height: 300 } },
];

function open(rule: object) {
  const rules = join(mkdtempSync(join(tmpdir(), "handsight-rules-")), "policy.json");
  writeFileSync(rules, JSON.stringify({ rules: [rule] }));
  return openFakeSession({ windows }, { rules });
}

const deny = { window: "Payroll", verdict: "deny" };

test.each<[string, string, object]>([
  ["a point of the screen", "click", { x: 600, y: 100 }],
  ["a point of the window", "click", { window_id: 2, window_x: 10, window_y: 10 }],
  ["a pixel of the window", "click", { window_id: 2, x: 10, y: 10 }],
  ["a hover", "move_mouse", { x: 600, y: 100 }],
  ["a wheel", "scroll", { x: 600, y: 100, direction: "down" }],
  ["a drag that begins there", "drag", { start_x: 600, start_y: 100, end_x: 100, end_y: 100 }],
  ["a drag that ends there", "drag", { start_x: 100, start_y: 100, end_x: 600, end_y: 100 }],
  ["a drag across it", "drag", { start_x: 100, start_y: 100, end_x: 1100, end_y: 100, steps: 20 }],
  ["keys for it by name", "press_key", { key: "enter", window_title: "Payroll" }],
  ["text for it by process", "type_text", { text: "x", pid: 22 }],
  [
    "a screenshot placed by hand",
    "click",
    {
      screenshot_x: 600,
      screenshot_y: 100,
      screenshot_origin_x: 0,
      screenshot_origin_y: 0,
      screenshot_scale: 1,
    },
  ],
])("a rule against a window stops %s", async (_what, tool, args) => {
  const desk = open(deny);
  await expect(desk.call(tool, args)).rejects.toMatchObject({ code: "denied" });
  expect(desk.backend.desktop.events).toEqual([]);
});

test("a pixel of a picture of the whole screen counts for the window it shows", async () => {
  const desk = open({ ...deny, access: "act" });
  const { screenshot_id } = await desk.call("take_screenshot", { mode: "screen" });
  await expect(desk.call("click", { screenshot_id, screenshot_x: 600, screenshot_y: 100 })).rejects.toMatchObject({
    code: "denied",
  });
  await desk.call("click", { screenshot_id, screenshot_x: 100, screenshot_y: 100 });
});

test("keys count for whatever has the focus", async () => {
  const desk = open(deny);
  await desk.call("press_key", { key: "enter" });
  desk.backend.desktop.activeWindow = 2;
  desk.backend.desktop.windows = desk.backend.desktop.windows.map((window) => ({
    ...window,
    isForeground: window.id === 2,
  }));
  await expect(desk.call("press_key", { key: "enter" })).rejects.toMatchObject({ code: "denied" });
});

test("a window that comes between the decision and the input is not clicked", async () => {
  const desk = open(deny);
  const { desktop } = desk.backend;
  const payroll = desktop.windows.find(({ id }) => id === 2);
  if (!payroll) throw new Error("there is no Payroll");
  desktop.beforeEach = (operation) => {
    if (operation !== "move") return;
    desktop.windows = [{ ...payroll, bounds: { x: 0, y: 0, width: 400, height: 300 } }, ...desktop.windows];
    desktop.beforeEach = undefined;
  };
  await expect(desk.call("click", { x: 100, y: 100, settle_ms: 50 })).rejects.toMatchObject({ code: "denied" });
  expect(desktop.events.filter((event) => event.startsWith("down"))).toEqual([]);
});

const place = { x: 950, y: 0, width: 200, height: 200 };
const dialogOf = (...owners: readonly number[]): FakeWindow => ({
  id: 3,
  title: "Really?",
  appName: "payroll",
  pid: 22,
  kind: "dialog",
  bounds: place,
  owners,
});

function openWith(dialog: FakeWindow, rule: object, mode: "ask" | "allow" = "allow") {
  const rules = join(mkdtempSync(join(tmpdir(), "handsight-rules-")), "policy.json");
  writeFileSync(rules, JSON.stringify({ rules: [rule], enabled: true }));
  return openFakeSession({ windows: [...windows, dialog] }, { rules, policy: mode });
}

test.each<[string, FakeWindow]>([
  ["its dialog", dialogOf(2)],
  ["a dialog that it may have opened", dialogOf(1, 2)],
])("a rule against a window stops a click in %s", async (_what, dialog) => {
  const desk = openWith(dialog, deny);
  await expect(desk.call("click", { x: 1_000, y: 100 })).rejects.toMatchObject({ code: "denied" });
  expect(desk.backend.desktop.events).toEqual([]);
});

test("a rule for a window lets its dialog be used, but not one that another may have opened", async () => {
  const allow = { window: "Payroll", verdict: "allow" };
  await openWith(dialogOf(2), allow, "ask").call("click", { x: 1_000, y: 100 });
  const desk = openWith(dialogOf(1, 2), allow, "ask");
  await expect(desk.call("click", { x: 1_000, y: 100 })).rejects.toMatchObject({ code: "denied" });
});

test("who may act in a window may act in its dialogs", async () => {
  const { outcome } = openFakeSession({ windows: [...windows, dialogOf(2)] }, { policy: "ask" });
  const asked = { canAsk: true } as const;
  expect(await outcome("click", { x: 600, y: 100 }, { ...asked, answer: "window" })).toMatchObject({ kind: "done" });
  expect(await outcome("click", { x: 1_000, y: 100 }, asked)).toMatchObject({ kind: "done" });
  expect(await outcome("click", { x: 100, y: 100 }, asked)).toMatchObject({ kind: "ask" });
});

test("a menu of a blocked window that is open keeps every key", async () => {
  const vault = { id: 4, title: "Passwords", pid: 44, bounds: { x: 0, y: 400, width: 100, height: 100 } };
  const menu: FakeWindow = {
    id: 5,
    title: "app",
    pid: 44,
    kind: "menu",
    owners: [4],
    canMinimize: false,
    bounds: place,
  };
  const desk = openFakeSession({ windows: [...windows, vault, menu] }, {});
  await expect(desk.call("press_key", { key: "down" })).rejects.toMatchObject({ code: "denied" });
  await expect(desk.call("type_text", { text: "x" })).rejects.toMatchObject({ code: "denied" });
  expect(desk.backend.desktop.events).toEqual([]);
  desk.backend.desktop.close(5);
  await desk.call("press_key", { key: "down" });
});

test("a blocked window that appears while a picture is taken and moves on is not in it", async () => {
  const desk = openFakeSession({ width: 600, height: 400, windows: windows.slice(0, 1) }, {});
  const { desktop, screen } = desk.backend;
  if (!screen) throw new Error("no screen");
  const take = screen.capture.bind(screen);
  const icon = { id: 9, title: "My Passwords", pid: 33, bounds: { x: 40, y: 40, width: 60, height: 60 } };
  let taken = 0;
  screen.capture = async (...args) => {
    if (taken++ === 0) desktop.open(icon);
    const picture = await take(...args);
    // It is dragged on before anybody asks where it is.
    desktop.update(icon.id, { bounds: { ...icon.bounds, x: 40 + 120 * taken } });
    return picture;
  };
  const result = await desk.outcome("take_screenshot", { mode: "screen", format: "png", max_side: 600 });
  const [image] = (result as { images: readonly { bytes: Uint8Array }[] }).images;
  const { data, info } = await sharp(image?.bytes).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  const colourAt = (x: number, y: number): string =>
    data.subarray((y * info.width + x) * 3, (y * info.width + x) * 3 + 3).toString("hex");
  expect(taken).toBe(2);
  // The editor is seen where the icon was first, and nothing where it was in this picture.
  expect([colourAt(60, 60), colourAt(180, 60)]).toEqual([colourAt(20, 20), "000000"]);
});
