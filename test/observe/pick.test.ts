import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { centre, screenPoint, type Rect } from "../../src/base/geometry.ts";
import { decodePicture } from "../../src/vision/decode.ts";
import { openSandbox } from "../support/cli.ts";
import { openEye } from "../support/eye.ts";
import { controlsOf, openGrid, type Control, type GridKind } from "../support/grid.ts";
import { toAnswer, type Answer, type Handsight } from "../support/handsight.ts";
import { openApp, type OpenAppOptions } from "../support/open-app.ts";
import { openPerson } from "../support/person.ts";

/** Starts a pick, and lets the person act once the pointer is taken. */
async function pick(handsight: Handsight, act: () => Promise<void>, args: object = {}): Promise<Answer> {
  let taken: () => void = () => {};
  const isTaken = new Promise<void>((resolve) => (taken = resolve));
  const answer = handsight.client.callTool(
    { name: "pick_element", arguments: { ...args } },
    {
      onprogress: ({ message }) => {
        if (message?.startsWith("Click on something") === true) taken();
      },
    },
  );
  await Promise.race([isTaken, answer]);
  await act();
  return toAnswer(await answer);
}

interface PickedElement {
  readonly uid: string;
  readonly stable_id: string;
  readonly role: string;
  readonly name: string;
  readonly bounds: Rect;
  readonly click_point: { readonly x: number; readonly y: number };
}

interface Region {
  readonly region: number;
  readonly region_id: string;
  readonly name: string;
  readonly source: string;
  readonly x: number;
  readonly y: number;
}

/** What a picture of it shows: a little of what is around it, too. */
const closeTo = ({ x, y, width, height }: Rect): Rect => ({
  x: x - 8,
  y: y - 8,
  width: width + 16,
  height: height + 16,
});

// Somewhere in it, also at its very edge.
const parts = [0.03, 0.27, 0.5, 0.71, 0.97];
const monitors: readonly (readonly [string, GridKind, Partial<OpenAppOptions>])[] = [
  ["at 1×", "gtk3", { scale: 1 }],
  ["at 1.25×", "qt6", { scale: 1.25 }],
  ["at 1.5×", "chromium", { scale: 1.5, width: 1920, height: 1200 }],
  ["at 2×", "gtk4", { scale: 2, width: 1920, height: 1200 }],
  ["on the second monitor", "gtk3", { monitors: 2, scale: 1.5, width: 1600, height: 1000 }],
];

test.each(monitors)(
  "a person picks %s what the app says is there [S3-1, S3-3, S3-4, S3-7, S3-24, S3-53, S3-57]",
  async (_where, kind, size) => {
    const { desktop, handsight, app, windowId } = await openGrid(kind, size);
    await using person = openPerson(desktop.env);
    if (size.monitors === 2) {
      await handsight.call("set_window", { action: "move", window_id: windowId, x: 1700, y: 120 });
    }
    const controls = await controlsOf(handsight);
    expect(controls).toHaveLength(20);
    const wrong: unknown[] = [];
    for (const [turn, control] of controls.entries()) {
      const { x, y, width, height } = control.bounds;
      const at = screenPoint(
        Math.floor(x + width * (parts[turn % 5] ?? 0)),
        Math.floor(y + height * (parts[(turn + 2) % 5] ?? 0)),
      );
      await person.moveTo(at);
      const said = () => app.events.findLast(({ event }) => event === "enter")?.["name"];
      await expect.poll(said).toBe(control.name);
      const { data, images } = await pick(handsight, () => person.click());
      const element = data["element"] as PickedElement;
      const { elements } = await handsight.call("find_elements", {
        selector: data["selector"],
        window_id: (data["window"] as { window_id: number }).window_id,
        only: true,
      });
      const [again] = elements as PickedElement[];
      const isRight =
        element.name === said() && again?.uid === element.uid && images.length === 1 && element.role === "button";
      if (!isRight) wrong.push({ said: said(), at, data, again });
    }
    expect(wrong).toEqual([]);
    expect(app.events.filter(({ event }) => event === "clicked")).toEqual([]);
  },
);

const blue = 0x1a73e8;

test("what is under the pointer is outlined while it moves, Escape cancels, and nothing stays on the screen", async () => {
  const { desktop, handsight, app } = await openGrid("gtk4", { scale: 1.25 });
  await using person = openPerson(desktop.env);
  using eye = await openEye(desktop.env);
  const [first, , third] = await controlsOf(handsight);
  const isOutlined = async ({ bounds: { x, y, width, height } }: Control): Promise<boolean> => {
    const sides = [screenPoint(x - 1, y + height / 2), screenPoint(x + width, y + height / 2)];
    const [left, right] = await Promise.all(sides.map((side) => eye.colourAt(side)));
    return left === blue && right === blue;
  };
  if (!first || !third) throw new Error("there is no grid");
  const { data } = await pick(handsight, async () => {
    for (const control of [first, third, first]) {
      await person.moveTo(centre(control.bounds));
      await expect.poll(() => isOutlined(control)).toBe(true);
    }
    expect(await isOutlined(third)).toBe(false);
    await person.press("escape");
  });
  expect(data).toMatchObject({ ended: "cancelled" });
  expect(data).not.toHaveProperty("element");
  expect(await isOutlined(first)).toBe(false);
  const late = await pick(handsight, async () => {}, { timeout_ms: 1_000 });
  expect([late.isError, late.data["ended"]]).toEqual([false, "timeout"]);
  // The pointer is free again.
  await person.moveTo(centre(third.bounds));
  await person.click();
  await app.waitFor(({ event, name }) => event === "clicked" && name === third.name);
});

test("in an app without elements a person picks a text that is read there, or the region that was marked [S3-40, S3-47, S3-56]", async () => {
  const { desktop, handsight, app } = await openApp("gtk3_painted", "Painted", { scale: 1.25 });
  await using person = openPerson(desktop.env);
  const { regions } = await handsight.call("mark_regions", {
    window_title: "Painted",
    details: true,
    include_image: false,
  });
  const [scores, icon] = ["High scores", ""].map((wanted) =>
    (regions as readonly Region[]).find(
      ({ name, source }) => name === wanted && (wanted !== "" || source === "heuristic"),
    ),
  );
  if (!scores || !icon) throw new Error("the app has not been marked");
  const pickAt = async (at: { readonly x: number; readonly y: number }) => {
    await person.moveTo(at);
    return pick(handsight, () => person.click());
  };
  const text = await pickAt(scores);
  expect(text.data).toMatchObject({
    element: { source: "ocr", role: "text", name: "High scores" },
    region: scores.region,
    region_id: scores.region_id,
  });
  const drawn = await pickAt(icon);
  expect(drawn.data).toMatchObject({ region: icon.region, window: { title: "Painted" } });
  // The picture shows the place alone, and its pixels lead to the same place.
  const { element, bounds, screenshot_id } = text.data as unknown as {
    element: PickedElement;
    bounds: Rect;
    screenshot_id: string;
  };
  const { width, height } = await decodePicture(text.images[0] as Buffer);
  expect([width, height]).toEqual([bounds.width, bounds.height]);
  expect(bounds).toEqual(closeTo(element.bounds));
  expect(app.events.filter(({ event }) => event === "press")).toEqual([]);
  const { x, y } = element.click_point;
  await handsight.call("click", { screenshot_id, screenshot_x: x - bounds.x, screenshot_y: y - bounds.y });
  await app.waitFor(({ event, name }) => event === "press" && name === "High scores");
});

test("handsight pick prints what was picked, and saves its picture", async () => {
  const { desktop, handsight, app } = await openGrid("gtk3");
  await using person = openPerson(desktop.env);
  using eye = await openEye(desktop.env);
  using sandbox = openSandbox(desktop.env);
  const control = (await controlsOf(handsight))[7] as Control;
  const { x, y, height } = control.bounds;
  await person.moveTo(centre(control.bounds));
  const file = join(sandbox.folder, "picked.png");
  const ended = sandbox.run(["pick", "--policy", "allow", "--out", file]);
  await expect.poll(() => eye.colourAt(screenPoint(x - 1, y + height / 2)), { timeout: 10_000 }).toBe(blue);
  await person.click();
  const { code, stdout } = await ended;
  expect([code, stdout]).toEqual([0, expect.stringContaining(`button "${control.name}"`) as string]);
  expect(stdout).toContain(`saved: ${file}`);
  const { width } = await decodePicture(readFileSync(file));
  expect(width).toBe(closeTo(control.bounds).width);
  expect(app.events.filter(({ event }) => event === "clicked")).toEqual([]);
});
