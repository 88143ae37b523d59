import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import sharp from "sharp";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { Rect } from "../../src/base/geometry.ts";
import type { Connection } from "../../src/platform/linux/x11/connection.ts";
import { openConnection } from "../../src/platform/linux/x11/open.ts";
import { destroyWindow } from "../../src/platform/linux/x11/requests.ts";
import { openVirtualDesktop, type VirtualDesktop } from "../../src/platform/virtual/desktop.ts";
import { decodePicture } from "../../src/vision/decode.ts";
import { openSandbox, type Sandbox } from "../support/cli.ts";
import { startFixture, type Fixture } from "../support/fixture.ts";
import { startHandsight, type Handsight } from "../support/handsight.ts";
import { openTestWindow } from "../support/windows.ts";

const run = promisify(execFile);

interface Listed {
  readonly window_id: number;
  readonly owner_name: string;
  readonly pid: number;
  readonly title: string;
  readonly bounds: Rect;
  readonly is_foreground: boolean;
}

interface Shot {
  readonly bounds: Rect;
  readonly scale: number;
  readonly image_width: number;
  readonly image_height: number;
}

let desktop: VirtualDesktop;
let sandbox: Sandbox;
let handsight: Handsight;
let painted: Fixture;
let editor: Fixture;
/** Another program on the same display. */
let x: Connection;

beforeAll(async () => {
  desktop = await openVirtualDesktop({ width: 1000, height: 700, monitors: 2, scale: 1 });
  sandbox = openSandbox(desktop.env);
  handsight = await startHandsight(desktop.env);
  x = await openConnection(desktop.env["DISPLAY"] ?? "", { env: desktop.env });
  painted = await startFixture("gtk3_painted", { env: desktop.env });
  painted.tell("red");
  await handsight.call("wait_for", { window_title: "Painted", timeout_ms: 30_000 });
  editor = await startFixture("gtk3_editor", {
    env: desktop.env,
    args: ["--title", "Letter", "--geometry", "400x300"],
  });
  await handsight.call("wait_for", { condition: "window_active", pid: editor.pid, timeout_ms: 30_000 });
  // On the second monitor, where a wrong origin shows.
  const { window_id } = await listed("Painted");
  await handsight.call("set_window", { action: "move", window_id, x: 1_200, y: 90 });
});

beforeEach(async () => {
  await handsight.call("focus_window", { pid: editor.pid });
});

afterAll(async () => {
  await painted?.stop();
  await editor?.stop();
  x?.close();
  await handsight?.[Symbol.asyncDispose]();
  sandbox?.[Symbol.dispose]();
  await desktop?.[Symbol.asyncDispose]();
});

async function listed(title: string): Promise<Listed> {
  const { windows } = (await handsight.call("list_windows")) as { windows: readonly Listed[] };
  const found = windows.find((each) => each.title === title);
  if (!found) throw new Error(`${title} is not listed`);
  return found;
}

const presses = () => painted.events.filter(({ event }) => event === "press");

/** What somebody who sees only the picture decides: where the red icon is. */
async function redIcon(image: Buffer | undefined): Promise<{ readonly x: number; readonly y: number }> {
  if (!image) throw new Error("no picture");
  const { data, info } = await sharp(image).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  const sum = { x: 0, y: 0, count: 0 };
  for (let y = 0; y < info.height; y++) {
    for (let at = 0; at < info.width; at++) {
      const [red = 0, green = 0, blue = 0] = data.subarray((y * info.width + at) * 3);
      if (red > 180 && Math.max(green, blue) < 70) {
        sum.x += at;
        sum.y += y;
        sum.count += 1;
      }
    }
  }
  expect(sum.count).toBeGreaterThan(20);
  return { x: Math.round(sum.x / sum.count), y: Math.round(sum.y / sum.count) };
}

test("a window is listed, focused, pictured, and the place that its picture shows is clicked and typed into, verified each time [S0-2, S0-5, S0-9, S0-18, S0-30, S0-80, S0-81]", async () => {
  const { window_id, bounds, pid } = await listed("Painted");
  expect([pid, bounds]).toMatchObject([painted.pid, { x: 1_200, y: 90 }]);
  expect(await handsight.call("focus_window", { window_id })).toMatchObject({ window: { is_foreground: true } });
  const { data, images } = await handsight.ask("take_window_screenshot", { window_id });
  expect(data).toMatchObject({ window_id, bounds, format: expect.any(String), scale: expect.any(Number) });
  const seen = await redIcon(images[0]);
  const count = presses().length;
  expect(await handsight.call("click", { window_id, ...seen })).toMatchObject({ effect: "confirmed" });
  // The same place in the space of the screen, which bounds are in.
  const { scale } = data as unknown as Shot;
  const onScreen = { x: bounds.x + seen.x / scale, y: bounds.y + seen.y / scale };
  expect(await handsight.call("click", onScreen)).toMatchObject({ effect: "confirmed" });
  await expect.poll(() => presses().slice(count)).toMatchObject([{ name: "gear" }, { name: "gear" }]);
  expect(await handsight.call("type_text", { text: "7", window_id })).toMatchObject({ ok: true });
  await painted.waitFor(({ event, text }) => event === "key" && text === "7");
});

test("a red icon is clicked by its pixel in a shrunk screenshot, with its origin and scale [S2-5b]", async () => {
  const { data, images } = await handsight.ask("take_screenshot", { mode: "screen", max_side: 900 });
  const { screenshot_origin_x, screenshot_origin_y, screenshot_scale } = data;
  expect(screenshot_scale).toBeLessThan(1);
  const { x: screenshot_x, y: screenshot_y } = await redIcon(images[0]);
  const count = presses().length;
  const pixel = { screenshot_x, screenshot_y, screenshot_origin_x, screenshot_origin_y, screenshot_scale };
  expect(await handsight.call("click", pixel)).toMatchObject({ ok: true });
  await expect.poll(() => presses().slice(count)).toMatchObject([{ name: "gear" }]);
});

test("a window that stays the same gives the same picture again, with all that leads back to the screen [S0-3]", async () => {
  const { window_id, bounds } = await listed("Painted");
  await handsight.call("wait_for", { condition: "stable", pid: painted.pid });
  const shots = [];
  for (let round = 0; round < 3; round++) {
    const { data, images } = await handsight.ask("take_window_screenshot", { window_id, format: "png" });
    const { screenshot_id: _id, timestamp: _time, ...rest } = data;
    shots.push({ rest, picture: images[0]?.toString("base64") });
  }
  expect(shots[1]).toEqual(shots[0]);
  expect(shots[2]).toEqual(shots[0]);
  const { width, height } = bounds;
  expect(shots[0]?.rest).toMatchObject({ window_id, bounds, scale: 1, image_width: width, image_height: height });
});

test("a point outside the target window, or under another one, is refused by the server and pressed nowhere [S0-10]", async () => {
  const { window_id, bounds } = await listed("Painted");
  await handsight.call("take_window_screenshot", { window_id });
  const count = presses().length;
  const clicking = (at: object) => handsight.call("click", { window_id, ...at });
  await expect(clicking({ x: bounds.width + 5, y: 20 })).rejects.toMatchObject({ code: "out_of_bounds" });
  await expect(clicking({ window_x: -5, window_y: 20 })).rejects.toMatchObject({ code: "out_of_bounds" });
  // Always above: focusing the target does not uncover it.
  const cover = await openTestWindow(x, { ...bounds, type: "_NET_WM_WINDOW_TYPE_DOCK", title: "Cover" });
  try {
    const pixel = { x: bounds.width / 2, y: bounds.height / 2 };
    await expect(clicking(pixel)).rejects.toMatchObject({ code: "not_dispatchable" });
  } finally {
    destroyWindow(x, cover);
    await x.sync();
  }
  expect(presses()).toHaveLength(count);
});

test("windows get the focus in turn, every time [S0-27]", async () => {
  const ids = [(await listed("Painted")).window_id, (await listed("Letter")).window_id];
  for (let round = 0; round < 20; round++) {
    const window_id = ids[round % 2];
    await handsight.call("focus_window", { window_id });
    expect(await handsight.call("get_active_window"), `round ${round}`).toMatchObject({ window: { window_id } });
  }
});

test("a window is brought to the front alike from MCP, the command line and the agent, while a person types elsewhere [S3-76]", async () => {
  const { window_id } = await listed("Painted");
  const ways = {
    mcp: () => handsight.call("focus_window", { window_id }),
    cli: async () => {
      const { code, stdout } = await sandbox.run(["focus_window", String(window_id), "--json", "--policy", "allow"]);
      expect(code).toBe(0);
      return JSON.parse(stdout) as Record<string, unknown>;
    },
    agent: () => handsight.call("run_agent", { goal: "press Escape", window: "Painted", model: "rules" }),
  };
  const results = [];
  for (const [way, focus] of Object.entries(ways)) {
    await handsight.call("focus_window", { pid: editor.pid });
    // What is typed last is what a window manager protects from windows that push themselves to the front.
    const typed = editor.events.length;
    await run("xdotool", ["key", "a"], { env: desktop.env });
    await expect.poll(() => editor.events.slice(typed).some(({ event }) => event === "text")).toBe(true);
    const { ok, effect, status, steps } = await focus();
    const { windows } = (await handsight.call("list_windows")) as { windows: readonly Listed[] };
    const state = windows.map(({ title, is_foreground }) => [title, is_foreground]);
    results.push([way, state]);
    expect(way === "agent" ? [status, steps] : [ok, effect], way).toEqual(
      way === "agent" ? ["done", expect.any(Array)] : [true, "confirmed"],
    );
  }
  const inFront = [
    ["Painted", true],
    ["Letter", false],
  ];
  expect(results).toEqual([
    ["mcp", inFront],
    ["cli", inFront],
    ["agent", inFront],
  ]);
});

test("a window is found by its id, its title, its process or its class [S3-14]", async () => {
  const place = { x: 50, y: 400, width: 200, height: 100 };
  const id = await openTestWindow(x, { ...place, title: "Accounts", className: "Ledger", pid: process.pid });
  try {
    const comm = (await readFile(`/proc/${process.pid}/comm`, "utf8")).trim();
    const ways = [
      { window_id: id },
      { window_title: "Accounts" },
      { pid: process.pid },
      { app_name: comm },
      { app_name: "Ledger" },
    ];
    for (const way of ways) {
      await handsight.call("focus_window", { pid: editor.pid });
      expect(await handsight.call("focus_window", way), JSON.stringify(way)).toMatchObject({
        effect: "confirmed",
        window: { window_id: id, class_name: "Ledger" },
      });
    }
    await expect(handsight.call("focus_window", { app_name: "Ledgers" })).rejects.toMatchObject({ code: "not_found" });
  } finally {
    destroyWindow(x, id);
    await x.sync();
  }
});

test("the whole screen is all monitors from their common corner, and one of them is shown alone when it is named [S1-107, S3-55]", async () => {
  const { displays } = (await handsight.call("list_displays")) as {
    displays: readonly { readonly id: number; readonly bounds: Rect }[];
  };
  expect(displays.map(({ bounds }) => bounds)).toEqual([
    { x: 0, y: 0, width: 1000, height: 700 },
    { x: 1000, y: 0, width: 1000, height: 700 },
  ]);
  const shot = async (args: object) => {
    const { data, images } = await handsight.ask("take_screenshot", { ...args, format: "png", max_side: 8_000 });
    return { bounds: data["bounds"], pixels: await decodePicture(images[0] as Buffer) };
  };
  expect((await shot({ mode: "screen" })).bounds).toEqual({ x: 0, y: 0, width: 2000, height: 700 });
  for (const { id, bounds } of displays) {
    const isPartOfAll = async (): Promise<boolean> => {
      const { pixels } = await shot({ mode: "screen" });
      const one = await shot({ mode: "display", display_id: id });
      expect(one.bounds).toEqual(bounds);
      const rows = Array.from({ length: bounds.height }, (_, row) => {
        const start = (bounds.y + row) * pixels.stride + bounds.x * 3;
        return pixels.data.subarray(start, start + bounds.width * 3);
      });
      return Buffer.concat(rows).equals(Buffer.from(one.pixels.data));
    };
    // A text cursor may blink between the two.
    await expect.poll(isPartOfAll).toBe(true);
  }
});

test("the pointer is where it was moved to, as the display itself says [S1-20]", async () => {
  for (const at of [
    { x: 17, y: 33 },
    { x: 1_990, y: 650 },
  ]) {
    await run("xdotool", ["mousemove", String(at.x), String(at.y)], { env: desktop.env });
    expect(await handsight.call("get_mouse_position")).toMatchObject(at);
  }
});

/** As on a machine that has nothing but Node: no program to start, no system library to load. */
const bare = {
  PATH: "/nowhere",
  NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(
    `import Module from "node:module";
     const load = Module._load; Module._load = (id, ...rest) => { if (id === "koffi") throw new Error("koffi is blocked"); return load(id, ...rest); };`,
  )}`,
};

test("pictures, clicks and keys need no other program and no system library [S1-110]", async () => {
  await using lone = await startHandsight({ ...desktop.env, ...bare });
  const { window_id } = await listed("Painted");
  const { images } = await lone.ask("take_window_screenshot", { window_id });
  const count = presses().length;
  expect(await lone.call("click", { window_id, ...(await redIcon(images[0])) })).toMatchObject({ ok: true });
  await expect.poll(() => presses().slice(count)).toMatchObject([{ name: "gear" }]);
  await lone.call("type_text", { text: "9", window_id });
  await painted.waitFor(({ event, text }) => event === "key" && text === "9");
});
