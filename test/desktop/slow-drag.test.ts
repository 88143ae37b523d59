import { expect, test } from "vitest";
import { openApp } from "../support/open-app.ts";

test("what is dragged in a busy app is dropped where it belongs", async () => {
  const { handsight, app, windowId } = await openApp("gtk4_slow_drag", "Slow drag");
  await handsight.call("wait_for", { condition: "stable", window_id: windowId });
  const { windows } = await handsight.call("list_windows");
  const { x, y } = (windows as { bounds: { x: number; y: number } }[])[0]?.bounds ?? { x: 0, y: 0 };
  const drag = (toX: number, toY: number) =>
    handsight.call("drag", { start_x: x + 200, start_y: y + 110, end_x: x + toX, end_y: y + toY });
  // The picture of what is dragged is a window, and flies back.
  expect(await drag(60, 60)).toMatchObject({ effect: "no_change" });
  expect(app.events.some(({ event }) => event === "dropped")).toBe(false);
  const dragged = await drag(200, 250);
  await app.waitFor(({ event }) => event === "dropped");
  expect(dragged).toMatchObject({ effect: "confirmed" });
});
