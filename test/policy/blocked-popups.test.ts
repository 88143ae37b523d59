import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, beforeAll, expect, test } from "vitest";
import { centre, intersect, type Rect } from "../../src/base/geometry.ts";
import type { WindowInfo } from "../../src/platform/backend.ts";
import { openVirtualDesktop } from "../../src/platform/virtual/desktop.ts";
import { openDoor, type Door } from "../support/doors.ts";
import { startHandsight, type Handsight } from "../support/handsight.ts";
import { countSecretPixels, jpegTolerance } from "../support/secret-pixels.ts";
import {
  blockedTitle,
  blockedWords,
  openPopupStage,
  screenSize,
  type PopupStage,
  type Toolkit,
} from "./popup-stage.ts";
import { removeFolderNow } from "../support/remove-folder.ts";

const toolkits: readonly Toolkit[] = ["GTK 3", "GTK 4", "Qt 6", "Chromium"];
/** Of each popup; over all toolkits more than 200. */
const capturesEach = 8;
const screen = { x: 0, y: 0, ...screenSize };

const folder = mkdtempSync(join(tmpdir(), "handsight-popups-"));
const allOpen = join(folder, "all-open.json");
writeFileSync(allOpen, '{"blockedWindowPatterns": []}');
let [tried, held, captures] = [0, 0, 0];
let desktop: Awaited<ReturnType<typeof openVirtualDesktop>>;
let unguarded: Handsight;
let guarded: Handsight;
let doors: Readonly<Record<"HTTP" | "CLI", Door>>;

beforeAll(async () => {
  desktop = await openVirtualDesktop({ ...screenSize, monitors: 1, scale: 1 });
  unguarded = await startHandsight(desktop.env, ["--rules", allOpen]);
  guarded = await startHandsight(desktop.env, ["--tools", "all"]);
  doors = { HTTP: await openDoor.HTTP(desktop.env, []), CLI: await openDoor.CLI(desktop.env, []) };
});
afterAll(async () => {
  for (const door of Object.values(doors)) await door[Symbol.asyncDispose]();
  await guarded[Symbol.asyncDispose]();
  await unguarded[Symbol.asyncDispose]();
  await desktop[Symbol.asyncDispose]();
  removeFolderNow(folder);
  process.stdout.write(`popups of blocked windows: held ${held} of ${tried}, in ${captures} captures\n`);
});

let leaks: string[] = [];

/** Counts a look or an action, and that it got nothing out. */
async function attempt(what: string, assertion: () => Promise<void>): Promise<void> {
  tried++;
  try {
    await assertion();
    held++;
  } catch (error) {
    leaks.push(`${what}: ${String(error).slice(0, 300)}`);
  }
}

test.each(toolkits)(
  "what a blocked %s window opens is not seen, read or used [S1-99, S1-101]",
  { timeout: 120_000 },
  async (toolkit) => {
    leaks = [];
    await using stage = await openPopupStage(toolkit, desktop.env);
    for (const [index, kind] of stage.kinds.entries()) {
      const popups = await stage.open(kind);
      await needShown(unguarded, popups, `${toolkit} ${kind}`);
      await look(guarded, popups, `${toolkit} ${kind}`);
      await read(guarded, popups, `${toolkit} ${kind}`);
      await use(guarded, popups, `${toolkit} ${kind}`, stage, kind);
      await tryDoor("HTTP", popups, `${toolkit} ${kind}`);
      // A process each; tips and drag icons do not stay that long.
      if (index % 2 === 0 && isLasting(kind)) await tryDoor("CLI", popups, `${toolkit} ${kind}`);
      await stage.close();
    }
    expect(leaks).toEqual([]);
    if (toolkit === "Chromium") return;
    // Another window of the same app is nothing but that.
    const { windows } = await guarded.call("list_windows", { filter: "Notes" });
    expect(windows).toHaveLength(1);
    await guarded.call("take_screenshot", { window_title: "Notes" });
    const { total } = await guarded.call("find_elements", { name: "Harmless", window_title: "Notes" });
    expect(total).toBeGreaterThan(0);
  },
);

const isLasting = (kind: string): boolean => kind !== "tooltip" && kind !== "drag icon";

/** One picture and one action through another door. */
async function tryDoor(name: "HTTP" | "CLI", popups: readonly WindowInfo[], what: string): Promise<void> {
  const { ask } = doors[name];
  const own = popups[0]?.bounds ?? screen;
  await attempt(`a picture of ${what} over ${name}`, async () => {
    const { images, isError, data } = await ask("take_screenshot", shot);
    expect(isError, JSON.stringify(data)).toBe(false);
    captures++;
    expect(await countSecretPixels(images[0])).toBe(0);
    expect(await brightest(images[0], own)).toBe(0);
  });
  await attempt(`a click on ${what} over ${name}`, async () => {
    const { isError, data } = await ask("click", { x: centre(own).x, y: centre(own).y });
    expect([isError, data]).toMatchObject([true, { error: { code: "denied" } }]);
    expect(JSON.stringify(data)).not.toMatch(blockedWords);
  });
}

const shot = { mode: "screen", format: "png", max_side: 8_000, max_bytes: 3_000_000 };

/** There is something to hide: without the policy it is in the picture. */
async function needShown(handsight: Handsight, popups: readonly WindowInfo[], what: string): Promise<void> {
  await expect
    .poll(
      async () => {
        const [image] = (await handsight.ask("take_screenshot", shot)).images;
        return brightest(image, popups[0]?.bounds ?? screen);
      },
      { message: `${what} is drawn`, timeout: 10_000 },
    )
    .toBeGreaterThan(100);
}

async function look(handsight: Handsight, popups: readonly WindowInfo[], what: string): Promise<void> {
  for (let count = 0; count < capturesEach; count++) {
    await attempt(`a picture of ${what}`, async () => {
      const own = popups[count % popups.length]?.bounds ?? screen;
      const part = intersect(own, screen) ?? screen;
      const isPart = count % 3 === 2;
      const { images, isError, data } = await handsight.ask("take_screenshot", {
        ...shot,
        ...(isPart ? { mode: "region", ...part } : {}),
      });
      expect(isError, JSON.stringify(data)).toBe(false);
      captures++;
      expect(await countSecretPixels(images[0])).toBe(0);
      expect(await brightest(images[0], isPart ? { ...part, x: 0, y: 0 } : own)).toBe(0);
    });
  }
}

/** How bright the brightest pixel of a part of a picture is; 0 where it is black. */
async function brightest(image: Buffer | undefined, part: Rect): Promise<number> {
  const { x: left, y: top, width, height } = intersect(part, screen) ?? screen;
  const pixels = await sharp(image).removeAlpha().extract({ left, top, width, height }).raw().toBuffer();
  return pixels.reduce((most, value) => Math.max(most, value), 0);
}

/** Everything that answers with something of the screen. */
async function read(handsight: Handsight, popups: readonly WindowInfo[], what: string): Promise<void> {
  for (const popup of popups) {
    const { x, y } = centre(popup.bounds);
    const ofApp = popup.appName === "" ? {} : { app_name: popup.appName };
    // A part of the words: an answer may repeat what was asked for.
    const [part, title] = ["Zeb", popup.title.slice(0, 4) || "Ques"];
    const looks: readonly (readonly [string, object])[] = [
      ["list_windows", { include_system: true, include_hidden: true }],
      ["list_windows", { include_system: true, ...ofApp }],
      ["get_active_window", {}],
      ["list_apps", {}],
      ["take_ax_snapshot", { ...ofApp, format: "json", max_nodes: 2_000 }],
      ["take_ax_snapshot", { pid: popup.pid }],
      ["take_ax_snapshot", { window_id: popup.id }],
      ["find_elements", { name: part, pid: popup.pid }],
      ["find_elements", { selector: "*", ...ofApp, max_results: 500 }],
      ["element_at_point", { x, y }],
      ["element_at_point", { x, y, ...ofApp }],
      ["get_focused_element", {}],
      ["find_text", { text: part, ...ofApp }],
      ["find_text", { text: part, display_id: 1 }],
      ["read_text", { window_id: popup.id }],
      ["ocr", { mode: "region", ...intersect(popup.bounds, screen) }],
      ["mark_regions", { mode: "region", ...intersect(popup.bounds, screen) }],
      ["take_window_screenshot", { window_id: popup.id }],
      ["take_screenshot", { window_id: popup.id }],
      ["wait_for", { text: part, pid: popup.pid, timeout_ms: 0 }],
      ["wait_for", { window_title: title, timeout_ms: 0 }],
      ["wait_for", { condition: "stable", window_id: popup.id, timeout_ms: 0 }],
      ["ui_list_windows", { include_hidden: true }],
      ["ui_get_element", { x, y }],
      ["ui_capture", { mode: "window", window_title: title }],
    ];
    for (const [tool, args] of looks) {
      await attempt(`${tool} ${JSON.stringify(args)} of ${what}`, async () => {
        const { data, text: told, images } = await handsight.ask(tool, args);
        expect(JSON.stringify([data, told])).not.toMatch(blockedWords);
        for (const image of images) expect(await countSecretPixels(image, jpegTolerance)).toBe(0);
      });
    }
  }
}

/** Everything that does something, at its place and by its name. */
async function use(
  handsight: Handsight,
  popups: readonly WindowInfo[],
  what: string,
  stage: PopupStage,
  kind: string,
): Promise<void> {
  const [popup] = popups;
  if (!popup) return;
  const { x, y } = centre(popup.bounds);
  const { id } = popup;
  const takesKeys = popup.isForeground || kind === "menu" || kind === "combo";
  const acts: readonly (readonly [string, object, string])[] = [
    ["click", { x, y }, "denied"],
    ["click", { x, y, delivery: "background" }, "not_dispatchable"],
    ["move_mouse", { x, y }, "denied"],
    ["scroll", { x, y, delta_y: 100 }, "denied"],
    // Tips and drag icons leave their place as soon as the pointer looks where the drag would end.
    ...(!isLasting(kind) ? [] : ([["drag", { start_x: x, start_y: y, end_x: 790, end_y: 590 }, "denied"]] as const)),
    ["click", { window_id: id, window_x: 5, window_y: 5 }, "window_gone"],
    ["type_text", { text: "x", window_id: id }, "window_gone"],
    ["press_key", { key: "a", window_id: id }, "window_gone"],
    ["focus_window", { window_id: id }, "window_gone"],
    ["set_window", { action: "close", window_id: id }, "window_gone"],
    ["set_window", { action: "move", window_id: id, x: 0, y: 0 }, "window_gone"],
    ...(takesKeys ? ([["type_text", { text: "x" }, "denied"]] as const) : []),
    ...(takesKeys ? ([["press_key", { key: "down" }, "denied"]] as const) : []),
  ];
  for (const [tool, args, code] of acts) {
    await attempt(`${tool} ${JSON.stringify(args)} on ${what}`, async () => {
      const { data, isError } = await handsight.ask(tool, args);
      expect([isError, data]).toMatchObject([true, { error: { code } }]);
      expect(JSON.stringify(data)).not.toMatch(blockedWords);
    });
  }
  const now = (await stage.windows()).map((window) => window.id);
  await attempt(`${what} is as it was`, async () => {
    expect(now).toContain(id);
    expect((await stage.windows()).some(({ title }) => title === blockedTitle)).toBe(true);
  });
}
