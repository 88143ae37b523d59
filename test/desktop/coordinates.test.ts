import { describe, expect, onTestFinished, test } from "vitest";
import { openVirtualDesktop, type VirtualDesktopOptions } from "../../src/platform/virtual/desktop.ts";
import { startFixture, type FixtureEvent } from "../support/fixture.ts";
import { startHandsight } from "../support/handsight.ts";

async function openCanvas(fixture: string, title: string, options: Partial<VirtualDesktopOptions>) {
  const desktop = await openVirtualDesktop({ width: 1280, height: 800, monitors: 1, scale: 1, ...options });
  onTestFinished(() => desktop[Symbol.asyncDispose]());
  const handsight = await startHandsight(desktop.env);
  onTestFinished(() => handsight[Symbol.asyncDispose]());
  const canvas = await startFixture(fixture, { env: desktop.env });
  onTestFinished(() => canvas.stop());
  const { window } = await handsight.call("wait_for", { window_title: title });
  return { handsight, canvas, windowId: (window as { window_id: number }).window_id };
}

interface Shot {
  readonly screenshot_id: string;
  readonly image_width: number;
  readonly image_height: number;
  readonly scale: number;
  readonly bounds: { readonly x: number; readonly y: number; readonly width: number; readonly height: number };
}

const presses = (events: readonly FixtureEvent[]) => events.filter(({ event }) => event === "press");

/** The screen pixels that one pixel of the picture stands for. */
function block(shot: Shot, x: number, y: number) {
  const across = shot.bounds.width / shot.image_width;
  const down = shot.bounds.height / shot.image_height;
  return {
    left: shot.bounds.x + x * across,
    right: shot.bounds.x + (x + 1) * across,
    top: shot.bounds.y + y * down,
    bottom: shot.bounds.y + (y + 1) * down,
  };
}

describe.each([
  ["gtk3_canvas", "GTK3 Canvas"],
  ["qt5_canvas", "Qt5 Canvas"],
])("%s", (fixture, title) => {
  test("a pixel of a shrunk window screenshot on the second monitor is where the app was clicked [S0-4, S0-82]", async () => {
    const { handsight, canvas, windowId } = await openCanvas(fixture, title, { monitors: 2 });
    await handsight.call("set_window", { action: "move", window_id: windowId, x: 1400, y: 120 });
    expect(await handsight.call("list_windows", { filter: title })).toMatchObject({ windows: [{ display_id: 2 }] });
    for (const maxSide of [64, 150, 233, 400]) {
      const shot = (await handsight.call("take_window_screenshot", {
        window_id: windowId,
        max_side: maxSide,
      })) as unknown as Shot;
      for (const [u, v] of [
        [0.5, 0.5],
        [0.31, 0.77],
        [0.9, 0.4],
      ] as const) {
        const pixel = { x: Math.floor(u * shot.image_width), y: Math.floor(v * shot.image_height) };
        const count = presses(canvas.events).length;
        await handsight.call("click", { window_id: windowId, ...pixel });
        await expect.poll(() => presses(canvas.events).length).toBe(count + 1);
        const pressed = presses(canvas.events).at(-1) as FixtureEvent & { root_x: number; root_y: number };
        const meant = block(shot, pixel.x, pixel.y);
        expect(pressed.root_x + 0.5).toBeGreaterThanOrEqual(meant.left);
        expect(pressed.root_x + 0.5).toBeLessThanOrEqual(meant.right);
        expect(pressed.root_y + 0.5).toBeGreaterThanOrEqual(meant.top);
        expect(pressed.root_y + 0.5).toBeLessThanOrEqual(meant.bottom);
      }
    }
  });

  test.each([1.25, 1.5, 2])(
    "the same holds at %d times the size, on either of two monitors [S3-5, S3-79]",
    async (scale) => {
      const { handsight, canvas, windowId } = await openCanvas(fixture, title, {
        width: Math.round(800 * scale),
        height: Math.round(600 * scale),
        monitors: 2,
        scale,
        monitorScales: [scale, 1],
      });
      const { displays } = (await handsight.call("take_screenshot", { mode: "screen" })) as {
        displays: readonly { readonly scale: number; readonly bounds: { readonly x: number } }[];
      };
      expect(displays.map((display) => display.scale)).toEqual([scale, 1]);
      for (const [index, { bounds }] of displays.entries()) {
        await handsight.call("set_window", { action: "move", window_id: windowId, x: bounds.x + 33, y: 47 });
        const shot = (await handsight.call("take_window_screenshot", {
          window_id: windowId,
          max_side: 300,
        })) as unknown as Shot;
        const pixel = { x: Math.floor(shot.image_width * 0.4), y: Math.floor(shot.image_height * 0.6) };
        await handsight.call("click", {
          screenshot_id: shot.screenshot_id,
          screenshot_x: pixel.x,
          screenshot_y: pixel.y,
        });
        await expect.poll(() => presses(canvas.events).length).toBe(index + 1);
        const pressed = presses(canvas.events).at(-1) as FixtureEvent & { root_x: number; root_y: number };
        const meant = block(shot, pixel.x, pixel.y);
        // Toolkits report whole logical units, so a press may be reported one device pixel off.
        expect(pressed.root_x).toBeGreaterThanOrEqual(Math.floor(meant.left) - 1);
        expect(pressed.root_x).toBeLessThanOrEqual(Math.ceil(meant.right));
        expect(pressed.root_y).toBeGreaterThanOrEqual(Math.floor(meant.top) - 1);
        expect(pressed.root_y).toBeLessThanOrEqual(Math.ceil(meant.bottom));
      }
    },
  );

  test("drags and scrolls reach the app [S2-143, S2-70, S2-5e]", async () => {
    const { handsight, canvas, windowId } = await openCanvas(fixture, title, {});
    const shot = (await handsight.call("take_window_screenshot", { window_id: windowId })) as unknown as Shot;
    const at = { x: Math.floor(shot.image_width / 2), y: Math.floor(shot.image_height / 2) };
    await handsight.call("drag", {
      window_id: windowId,
      start_x: at.x,
      start_y: at.y,
      end_x: at.x + 60,
      end_y: at.y + 30,
    });
    await canvas.waitFor(({ event }) => event === "release");
    expect(canvas.events.filter(({ event }) => event === "drag").length).toBeGreaterThanOrEqual(5);
    await handsight.call("scroll", { window_id: windowId, ...at, delta_y: 100 });
    const scrolled = await canvas.waitFor(({ event }) => event === "scroll");
    expect(scrolled["dy"]).toBeGreaterThan(0);
  });
});
