import { spawnSync } from "node:child_process";
import { readFile, readdir } from "node:fs/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { openVirtualDesktop } from "../../src/platform/virtual/desktop.ts";
import { startFixture } from "../support/fixture.ts";
import { startHandsight } from "../support/handsight.ts";
import { kill, startDesktop } from "../support/xvfb.ts";

async function open() {
  const desktop = await openVirtualDesktop({ width: 1280, height: 800, monitors: 1, scale: 1 });
  onTestFinished(() => desktop[Symbol.asyncDispose]());
  const handsight = await startHandsight(desktop.env);
  onTestFinished(() => handsight[Symbol.asyncDispose]());
  const canvas = await startFixture("gtk3_canvas", { env: desktop.env });
  onTestFinished(() => canvas.stop());
  const { window } = await handsight.call("wait_for", { window_title: "GTK3 Canvas" });
  return { desktop, handsight, canvas, windowId: (window as { window_id: number }).window_id };
}

describe("the target goes away", () => {
  test("an app killed between screenshot and click is window_gone, and other calls still work [S4-55]", async () => {
    const { handsight, canvas, windowId } = await open();
    await handsight.call("take_window_screenshot", { window_id: windowId });
    await canvas.stop();
    await handsight.call("wait_for", { condition: "window_closed", window_id: windowId });
    await expect(handsight.call("click", { window_id: windowId, x: 10, y: 10 })).rejects.toMatchObject({
      code: "window_gone",
    });
    await expect(handsight.call("take_window_screenshot", { window_id: windowId })).rejects.toMatchObject({
      code: "window_gone",
    });
    await expect(handsight.call("focus_window", { window_id: windowId })).rejects.toMatchObject({
      code: "window_gone",
    });
    expect(await handsight.call("list_windows")).toMatchObject({ windows: [] });
  });

  test("a window resized between screenshot and click is stale_frame, and nothing is clicked", async () => {
    const { handsight, canvas, windowId } = await open();
    await handsight.call("take_window_screenshot", { window_id: windowId });
    await handsight.call("set_window", { action: "resize", window_id: windowId, width: 640, height: 480 });
    await expect(handsight.call("click", { window_id: windowId, x: 10, y: 100 })).rejects.toMatchObject({
      code: "stale_frame",
    });
    expect(canvas.events.filter(({ event }) => event === "press")).toEqual([]);
  });

  test("a minimised window is refused with the way to bring it back", async () => {
    const { handsight, windowId } = await open();
    await handsight.call("set_window", { action: "minimize", window_id: windowId });
    await expect(handsight.call("take_window_screenshot", { window_id: windowId })).rejects.toMatchObject({
      code: "not_supported",
      hint: expect.stringMatching(/restore/i),
    });
    await handsight.call("set_window", { action: "restore", window_id: windowId });
    expect(await handsight.call("take_window_screenshot", { window_id: windowId })).toMatchObject({
      window_id: windowId,
    });
  });
});

describe("the display goes away", () => {
  test("a call in progress fails with not_connected, and the next works when the display is back", async () => {
    const first = await startDesktop();
    const handsight = await startHandsight(first.env);
    onTestFinished(() => handsight[Symbol.asyncDispose]());
    await handsight.call("list_displays");
    const waiting = handsight.call("wait_for", { condition: "change", timeout_ms: 30_000 });
    const failure = waiting.catch((error: unknown) => error);
    await kill(first.server);
    expect(await failure).toMatchObject({ code: "not_connected" });
    await expect(handsight.call("list_windows")).rejects.toMatchObject({
      code: "not_connected",
      hint: expect.any(String),
    });
    await first[Symbol.asyncDispose]();
    const again = await startDesktop({ number: Number(first.display.slice(1)) });
    onTestFinished(() => again[Symbol.asyncDispose]());
    expect(await handsight.call("take_screenshot", { mode: "screen" })).toMatchObject({ screenshot_pixel_width: 1280 });
  });

  test("a private desktop whose X server was killed is replaced by the next call", async () => {
    const handsight = await startHandsight(process.env, ["--desktop", "virtual", "--size", "800x600"]);
    onTestFinished(() => handsight[Symbol.asyncDispose]());
    await handsight.call("take_screenshot", { mode: "screen" });
    const servers = await childServers(handsight.pid);
    expect(servers).toHaveLength(1);
    for (const pid of servers) process.kill(pid, "SIGKILL");
    await expect
      .poll(async () => (await handsight.ask("take_screenshot", { mode: "screen" })).isError, { timeout: 20_000 })
      .toBe(false);
  });

  test("no display at all is a clear answer", async () => {
    const { DISPLAY: _, ...env } = process.env;
    const handsight = await startHandsight(env);
    onTestFinished(() => handsight[Symbol.asyncDispose]());
    await expect(handsight.call("take_screenshot")).rejects.toMatchObject({
      code: "not_connected",
      hint: expect.stringContaining("--desktop virtual"),
    });
  });
});

/** X servers among the descendants of a process. */
async function childServers(root: number): Promise<readonly number[]> {
  const parents = new Map<number, number>();
  const servers: number[] = [];
  for (const entry of await readdir("/proc")) {
    const pid = Number(entry);
    if (!Number.isInteger(pid)) continue;
    const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
    const [, name = "", parent = ""] = /\((.*)\) \S (\d+)/.exec(stat) ?? [];
    parents.set(pid, Number(parent));
    if (name === "Xvfb") servers.push(pid);
  }
  const isBelow = (pid: number): boolean => pid === root || (pid > 1 && isBelow(parents.get(pid) ?? 0));
  return servers.filter(isBelow);
}

test("the test machine has what these tests kill", () => {
  expect(spawnSync("Xvfb", ["-help"]).error).toBeUndefined();
});
