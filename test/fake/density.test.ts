import { describe, expect, test } from "vitest";
import type { Rect } from "../../src/base/geometry.ts";
import { FakeElements } from "../../src/platform/fake/elements.ts";
import { openFakeSession } from "../support/fake-session.ts";

const bounds = { x: 100, y: 50, width: 240, height: 200 };
// No process on the test machine has this id.
const pid = 2_000_000_000;
const save = { x: 220, y: 200, width: 80, height: 24 };

describe.each([1, 1.5, 2])("with %s pixels per screen unit:", (scale) => {
  /** A window in which every click draws something. */
  const open = (...drawn: readonly Rect[]) => {
    const opened = openFakeSession({ windows: [{ id: 1, pid, bounds }], scale }, { settleMs: "100" });
    const { desktop } = opened.backend;
    desktop.beforeEach = (operation) => {
      if (operation === "up") for (const rect of drawn) desktop.paint({ windowId: 1, rect, colour: 0xffffff });
    };
    return opened;
  };

  test("a change of the picture is reported at its place on the screen", async () => {
    const { call } = open({ x: 180, y: 98, width: 40, height: 24 });
    expect(await call("click", { x: 200, y: 200 })).toMatchObject({
      effect: "confirmed",
      changes: { pixels: { box: { x: 180, y: 98, width: 40, height: 24 } } },
    });
  });

  test("a text cursor that appears is no effect", async () => {
    const { call } = open({ x: 180, y: 98, width: 1, height: 36 });
    expect(await call("click", { x: 200, y: 200 })).not.toMatchObject({ effect: "confirmed" });
  });

  test("the looks of the clicked button are no effect, what is drawn beside it may be one", async () => {
    const clicked = async (drawn: Rect) => {
      const { call, backend } = open(drawn);
      const nodes = [
        { runtimeId: "w", role: "window", name: "Notes", pid, bounds },
        { runtimeId: "other", parent: "w", role: "button", name: "Other", pid, bounds: { ...save, y: 100 } },
        { runtimeId: "save", parent: "w", role: "button", name: "Save", pid, bounds: save },
      ] as const;
      Object.assign(backend, { elements: new FakeElements(nodes) });
      return (await call("click", { x: 260, y: 212 }))["effect"];
    };
    expect(await clicked({ x: 204, y: 184, width: 112, height: 8 })).toBe("no_change");
    expect(await clicked({ x: 120, y: 80, width: 40, height: 24 })).toBe("unverifiable");
  });

  test("a pixel of the picture is clicked where it is on the screen", async () => {
    const { call, backend } = open();
    const { screenshot_id: id, scale: told } = await call("take_window_screenshot", { window_id: 1 });
    expect(told).toBe(scale);
    const pixel = { screenshot_x: 60 * scale, screenshot_y: 30 * scale };
    await call("click", { screenshot_id: id, ...pixel });
    expect(backend.desktop.events).toContain("move 160,80");
  });
});
