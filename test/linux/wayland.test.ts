import { execFile } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import sharp from "sharp";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { poll } from "../../src/base/async.ts";
import { mainFile, startHandsight, type Handsight } from "../support/handsight.ts";
import { startSway, type Sway } from "../support/sway.ts";

let sway: Sway | string;
let handsight: Handsight;

beforeAll(async () => {
  // A program of Wayland alone, with a button near the top right corner.
  sway = await startSway(["swaynag -m Hello -B Press 'touch FOLDER/pressed'"]);
  if (typeof sway !== "string") handsight = await startHandsight(sway.env);
});
afterAll(async () => {
  await handsight?.[Symbol.asyncDispose]();
  if (typeof sway !== "string") await sway[Symbol.asyncDispose]();
});
beforeEach((context) => {
  if (typeof sway === "string") context.skip(sway);
});

const desktop = (): Sway => sway as Sway;
const doctor = async (env: NodeJS.ProcessEnv): Promise<string> => {
  const { stdout } = await promisify(execFile)(process.execPath, [mainFile, "doctor"], { env });
  return stdout.replaceAll(/\s+/g, " ");
};
const failure = async (tool: string, args: object) => {
  const { isError, data } = await handsight.ask(tool, args);
  expect(isError).toBe(true);
  return data["error"] as { readonly code: string; readonly message: string; readonly hint: string };
};

test("doctor says that only X11 programs can be used among those of Wayland", async () => {
  const text = await doctor(desktop().env);
  expect(text).toMatch(/limited +connection .*Only X11 programs can be seen and used here/);
  expect(text).toContain("--desktop virtual");
  expect(text).not.toContain("handsight works on this desktop");
});

test("without X11 the advice is not to set DISPLAY", async () => {
  const text = await doctor({ ...desktop().env, DISPLAY: undefined });
  expect(text).toMatch(/missing +connection .*Wayland/);
  expect(text).not.toContain("DISPLAY");
  expect(text).toContain("--desktop virtual");
});

test("pictures of the screen, bare points and keys for nobody are refused", async () => {
  for (const [tool, args] of [
    ["take_screenshot", { mode: "screen" }],
    ["take_screenshot", { mode: "region", x: 0, y: 0, width: 100, height: 100 }],
    ["click", { x: 1_150, y: 15 }],
    ["move_mouse", { x: 1_150, y: 15 }],
    ["press_key", { key: "a" }],
    ["type_text", { text: "secret" }],
  ] as const) {
    const { code, message, hint } = await failure(tool, args);
    expect([tool, code, message]).toEqual([tool, "not_supported", expect.stringContaining("Only X11 programs")]);
    expect(hint).toContain("--desktop virtual");
  }
  expect(existsSync(join(desktop().folder, "pressed"))).toBe(false);
});

test("windows of X11 programs are seen, clicked, typed into and quit", async () => {
  const { folder } = desktop();
  const [script, log] = [join(folder, "app"), join(folder, "log")];
  writeFileSync(
    script,
    `wm title . Among
pack [entry .e -textvariable typed]
pack [button .b -text Press -command {set f [open ${log} w]; puts -nonewline $f "pressed $typed"; close $f}] -fill both -expand 1
focus .e
`,
  );
  const { window } = (await handsight.call("launch_app", { app_name: "wish", args: [script], timeout_ms: 30_000 })) as {
    window: { window_id: number; title: string; bounds: { width: number; height: number } };
  };
  expect(window.title).toBe("Among");
  const { window_id, bounds } = window;
  const { images } = await handsight.ask("take_screenshot", { window_id });
  const { channels } = await sharp(images[0]).stats();
  expect(Math.max(...channels.map(({ stdev }) => stdev))).toBeGreaterThan(1);
  await handsight.call("type_text", { text: "hello", window_id });
  await handsight.call("click", { x: bounds.width / 2, y: bounds.height - 40, window_id });
  const read = async () => (existsSync(log) ? readFileSync(log, "utf8") : undefined);
  expect(await poll(read, { timeoutMs: 5_000, everyMs: 50 })).toBe("pressed hello");
  expect(await handsight.call("quit_app", { app_name: "wish" })).toMatchObject({ effect: "confirmed" });
});
