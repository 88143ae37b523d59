import { expect, test } from "vitest";
import { centre, contains, screenPoint, type Rect } from "../../src/base/geometry.ts";
import { decodePicture } from "../../src/vision/decode.ts";
import { openEye } from "../support/eye.ts";
import { openGrid, type GridKind } from "../support/grid.ts";
import type { Handsight } from "../support/handsight.ts";
import { openPerson } from "../support/person.ts";

interface Region {
  readonly region: number;
  readonly name: string;
  readonly bounds: Rect;
}

const blue = 0x005cc5;

async function picture(handsight: Handsight): Promise<Buffer> {
  const { images } = await handsight.ask("take_screenshot", { mode: "screen", format: "png", max_side: 8_000 });
  return Buffer.from((await decodePicture(images[0] as Buffer)).data);
}

const stages: readonly (readonly [number, GridKind, "first" | "second"])[] = [
  [1, "gtk3", "second"],
  [1.25, "qt6", "second"],
  [1.5, "gtk4", "first"],
  [2, "gtk3", "second"],
];

test.each(stages)(
  "at %d× the outlines of %s on the %s monitor lie at the very pixels of their regions, in no picture, and clicks go through " +
    "[S3-2, S3-6, S3-8, S3-9, S3-15, S3-21, S3-54, S3-78]",
  async (scale, kind, where) => {
    const size = { width: Math.round(900 * scale), height: Math.round(700 * scale) };
    const { desktop, handsight, app, windowId } = await openGrid(kind, { ...size, monitors: 2, scale });
    await using person = openPerson(desktop.env);
    using eye = await openEye(desktop.env);
    const { displays } = (await handsight.call("list_displays")) as { displays: readonly { readonly bounds: Rect }[] };
    const display = displays[where === "first" ? 0 : 1]?.bounds ?? { x: 0, y: 0, width: 0, height: 0 };
    await handsight.call("set_window", { action: "move", window_id: windowId, x: display.x + 21, y: 35 });
    const before = await picture(handsight);
    await handsight.call("show_overlay", { window_id: windowId, sources: ["accessibility"] });
    const marked = await handsight.call("mark_regions", {
      window_id: windowId,
      sources: ["accessibility"],
      details: true,
      include_image: false,
    });
    const controls = (marked["regions"] as readonly Region[]).filter(({ name }) => name.startsWith("Control"));
    expect(controls).toHaveLength(20);
    const missing = async (): Promise<readonly string[]> => {
      const seen = await Promise.all(
        controls.map(async ({ name, bounds: { x, y, width, height } }) => {
          const sides = [screenPoint(x - 1, y + height / 2), screenPoint(x + width, y + height / 2)];
          const colours = await Promise.all(sides.map((side) => eye.colourAt(side)));
          return colours.every((colour) => colour === blue) ? [] : [name];
        }),
      );
      return seen.flat();
    };
    await expect.poll(missing).toEqual([]);
    expect(controls.every(({ bounds }) => contains(display, centre(bounds)))).toBe(true);
    expect((await picture(handsight)).equals(before)).toBe(true);
    // The person goes on working, and an agent names what is drawn.
    const clicked = () => app.events.filter(({ event }) => event === "clicked").map(({ name }) => name);
    const [first, second] = [controls[3], controls[16]] as [Region, Region];
    await person.moveTo(centre(first.bounds));
    await person.click();
    await expect.poll(clicked).toEqual([first.name]);
    await handsight.call("click", { region: second.region, delivery: "foreground" });
    await expect.poll(clicked).toEqual([first.name, second.name]);
    await expect.poll(missing).toEqual([]);
  },
);
