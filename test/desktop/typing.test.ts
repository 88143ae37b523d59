import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openVirtualDesktop, type VirtualDesktop } from "../../src/platform/virtual/desktop.ts";
import { startFixture } from "../support/fixture.ts";
import { startHandsight, type Handsight } from "../support/handsight.ts";

const hard = 'Héllo wörld — 你好 🎉 ß ñ "quotes" \\back';
let desktop: VirtualDesktop;
let handsight: Handsight;

beforeAll(async () => {
  desktop = await openVirtualDesktop({ width: 1280, height: 800, monitors: 1, scale: 1 });
  handsight = await startHandsight(desktop.env);
});

afterAll(async () => {
  await handsight?.[Symbol.asyncDispose]();
  await desktop?.[Symbol.asyncDispose]();
});

describe.each([
  ["gtk3_editor", "GTK3 Editor"],
  ["gtk4_editor", "GTK4 Editor"],
  ["qt5_editor", "Qt5 Editor"],
  ["qt6_editor", "Qt6 Editor"],
])("%s through an MCP client", (fixture, title) => {
  test("takes any Unicode text unchanged, and gives it back through the clipboard [S1-72, S4-51, S0-52, S0-53]", async () => {
    await using app = await startFixture(fixture, { env: desktop.env });
    await handsight.call("wait_for", { window_title: title });
    const typed = await handsight.call("type_text", { text: hard, window_title: title });
    expect(typed).toMatchObject({ ok: true, characters: [...hard].length, target: { window_title: title } });
    expect(await app.waitForText(hard)).toBe(hard);
    await handsight.call("press_key", { key: "ctrl+a" });
    await handsight.call("press_key", { key: ["ctrl", "c"] });
    await expect.poll(async () => (await handsight.call("get_clipboard"))["text"], { timeout: 5_000 }).toBe(hard);
  });
});
