import { expect, test } from "vitest";
import { screenPoint, type Rect } from "../../src/base/geometry.ts";
import { decodePicture } from "../../src/vision/decode.ts";
import { openEye } from "../support/eye.ts";
import { openApp } from "../support/open-app.ts";

const red = 0xde363e;

test("a person sees on every display that hover tracking goes on, and no picture shows it", async () => {
  const { desktop, handsight } = await openApp("gtk4_grid", "Grid", { monitors: 2, scale: 1.5 });
  using eye = await openEye(desktop.env);
  const { displays } = (await handsight.call("list_displays")) as {
    displays: readonly { readonly bounds: Rect; readonly scale: number }[];
  };
  const pupils = displays.map(({ bounds: { x, y, width }, scale }) =>
    screenPoint(Math.round(x + width / 2), Math.round(y + 15 * scale)),
  );
  expect(pupils).toHaveLength(2);
  const seen = () => Promise.all(pupils.map((pupil) => eye.colourAt(pupil)));
  const before = await seen();
  await handsight.call("start_hover_tracking");
  await expect.poll(seen).toEqual([red, red]);
  const { images } = await handsight.ask("take_screenshot", { mode: "screen", format: "png", max_side: 8000 });
  const { data } = await decodePicture(images[0] as Buffer);
  expect(Buffer.from(data).includes(Buffer.from([0xde, 0x36, 0x3e]))).toBe(false);
  await handsight.call("stop_hover_tracking");
  expect(await seen()).toEqual(before);
});
