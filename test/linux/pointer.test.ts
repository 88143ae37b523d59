import { execFileSync } from "node:child_process";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { screenPoint } from "../../src/base/geometry.ts";
import type { Button } from "../../src/platform/backend.ts";
import { XDisplay } from "../../src/platform/linux/display.ts";
import { XPointer } from "../../src/platform/linux/pointer.ts";
import { openConnection } from "../../src/platform/linux/x11/open.ts";
import { createWindow, mapWindow, queryPointer } from "../../src/platform/linux/x11/requests.ts";
import { RequestWriter } from "../../src/platform/linux/x11/wire.ts";
import { startFixture, type Fixture } from "../support/fixture.ts";
import { startDesktop, type TestDesktop } from "../support/xvfb.ts";

let desktop: TestDesktop;
let display: XDisplay;
let pointer: XPointer;

beforeAll(async () => {
  desktop = await startDesktop();
  display = new XDisplay(desktop.env);
  pointer = new XPointer(display);
});

afterAll(async () => {
  await pointer[Symbol.asyncDispose]();
  await display[Symbol.asyncDispose]();
  await desktop[Symbol.asyncDispose]();
});

afterEach(async () => {
  // A failed test must not pass its pressed button on to the next.
  await pointer.up("left");
});

const buttons: readonly Button[] = ["left", "middle", "right", "back", "forward"];

/** Where the canvas says it is, once the window manager has placed and framed it. */
async function openCanvas(name: string) {
  const canvas = await startFixture(name, { env: desktop.env, args: ["--geometry", "400x300+200+150"] });
  const place = await canvas.waitFor(
    (event) => event.event === "place" && isFramed(event["x"], 200) && isFramed(event["y"], 150),
  );
  return { canvas, left: Number(place["x"]), top: Number(place["y"]) };
}

const isFramed = (at: unknown, asked: number): boolean => Number(at) > asked && Number(at) < asked + 50;

const seen = (canvas: Fixture, kind: string) => canvas.events.filter((event) => event.event === kind);

describe.each(["gtk3_canvas", "qt5_canvas"])("on %s", (name) => {
  test("every button is pressed and released at exactly the pixel asked for", async () => {
    const { canvas, left, top } = await openCanvas(name);
    await using _stop = canvas;
    for (const [index, button] of buttons.entries()) {
      const [x, y] = [left + 37 + index * 11, top + 51 + index * 7];
      await pointer.move(screenPoint(x, y));
      expect(await pointer.position()).toEqual({ x, y });
      await pointer.down(button);
      await pointer.up(button);
      for (const kind of ["press", "release"]) {
        const event = await canvas.waitFor((one) => one.event === kind && one["button"] === button);
        expect([event["root_x"], event["root_y"], event["x"], event["y"]]).toEqual([x, y, x - left, y - top]);
      }
    }
  });

  test("a tap presses and releases every button once, in this order, and holds none", async () => {
    const { canvas, left, top } = await openCanvas(name);
    await using _stop = canvas;
    for (const [index, button] of buttons.entries()) {
      const [x, y] = [20 + index * 13, 30 + index * 9];
      await pointer.move(screenPoint(left + x, top + y));
      await pointer.tap(button);
      await canvas.waitFor((one) => one.event === "release" && one["button"] === button);
      const own = canvas.events.filter((one) => one["button"] === button);
      expect(own.map((one) => [one.event, one["x"], one["y"]])).toEqual([
        ["press", x, y],
        ["release", x, y],
      ]);
    }
    expect((await queryPointer(await display.connect())).mask & 0x1f00).toBe(0);
  });

  test("moving with a button down drags through every point", async () => {
    const { canvas, left, top } = await openCanvas(name);
    await using _stop = canvas;
    await pointer.move(screenPoint(left + 10, top + 10));
    await pointer.down("left");
    for (const step of [20, 30, 40]) {
      await pointer.move(screenPoint(left + step, top + step));
      await canvas.waitFor((one) => one.event === "drag" && one["x"] === step && one["y"] === step);
    }
    await pointer.up("left");
    await canvas.waitFor((one) => one.event === "release" && one["x"] === 40);
    expect(seen(canvas, "press")).toHaveLength(1);
  });

  test.each([
    ["down", { x: 0, y: 3 }],
    ["up", { x: 0, y: -2 }],
    ["right", { x: 4, y: 0 }],
    ["left", { x: -1, y: 0 }],
    ["far down", { x: 0, y: 45 }],
  ])("the wheel turns %s by as many notches as asked for", async (_name, notches) => {
    const { canvas, left, top } = await openCanvas(name);
    await using _stop = canvas;
    await pointer.move(screenPoint(left + 100, top + 100));
    await pointer.wheel(notches);
    await pointer.down("left");
    await pointer.up("left");
    await canvas.waitFor((one) => one.event === "release" && one["button"] === "left");
    const turns = seen(canvas, "scroll");
    const total = (field: string) => turns.reduce((sum, event) => sum + Number(event[field]), 0);
    expect([total("dx"), total("dy")]).toEqual([notches.x, notches.y]);
  });
});

test("a left-handed button mapping changes nothing", async () => {
  const { canvas, left, top } = await openCanvas("gtk3_canvas");
  await using _stop = canvas;
  await pointer.move(screenPoint(left + 5, top + 5));
  execFileSync("xmodmap", ["-e", "pointer = 3 2 1"], { env: desktop.env });
  try {
    await pointer.position();
    await pointer.down("left");
    await pointer.up("left");
  } finally {
    execFileSync("xmodmap", ["-e", "pointer = default"], { env: desktop.env });
  }
  await canvas.waitFor((one) => one.event === "release");
  expect(seen(canvas, "press").map((event) => event["button"])).toEqual(["left"]);
});

test("a point between two pixels is on the lower one", async () => {
  await pointer.move(screenPoint(10.9, 20.2));
  expect(await pointer.position()).toEqual({ x: 10, y: 20 });
});

test.each([
  [1280, 10],
  [5, 800],
  [-1, 5],
])("a move to %i,%i, off the screen, is refused", async (x, y) => {
  await expect(pointer.move(screenPoint(x, y))).rejects.toMatchObject({
    code: "out_of_bounds",
    message: `Point ${x},${y} is outside the screen (1280×800).`,
  });
});

test("a pointer that somebody else holds in place is a timeout, and the call can be cancelled earlier", async () => {
  const c = await openConnection(desktop.display, { env: desktop.env });
  const jail = createWindow(c, { x: 600, y: 700, width: 20, height: 20, values: { overrideRedirect: 1 } });
  mapWindow(c, jail);
  // GrabPointer: both modes asynchronous, confined to the window, now.
  const grab = new RequestWriter(26, 0).u32(jail).u16(0).u8(1).u8(1).u32(jail).u32(0).u32(0);
  expect((await c.request("GrabPointer", grab)).data).toBe(0);
  try {
    const signal = AbortSignal.timeout(50);
    await expect(pointer.move(screenPoint(5, 5), { signal })).rejects.toMatchObject({ code: "cancelled" });
    await expect(pointer.move(screenPoint(5, 5))).rejects.toMatchObject({ code: "timeout" });
  } finally {
    c.close();
  }
});

test("a cancelled call presses nothing", async () => {
  const signal = AbortSignal.abort();
  for (const work of [
    () => pointer.move(screenPoint(1, 1), { signal }),
    () => pointer.down("left", { signal }),
    () => pointer.wheel({ x: 0, y: 1 }, { signal }),
  ]) {
    await expect(work()).rejects.toMatchObject({ code: "cancelled" });
  }
  expect((await queryPointer(await display.connect())).mask).toBe(0);
});

test("buttons still held are released when the pointer is closed", async () => {
  const other = new XPointer(display);
  await other.move(screenPoint(1200, 700));
  await other.down("middle");
  const held = await queryPointer(await display.connect());
  await other[Symbol.asyncDispose]();
  const after = await queryPointer(await display.connect());
  expect([held.mask & 0x200, after.mask & 0x200]).toEqual([0x200, 0]);
});
