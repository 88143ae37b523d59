import { expect } from "vitest";
import { screenPoint } from "../../../src/base/geometry.ts";
import type { Button, Pointer } from "../../../src/platform/backend.ts";
import { need, type ScaledStage, type Stage } from "../stage.ts";
import {
  at,
  atScale,
  click,
  codeOf,
  expectCancelled,
  pressesOf,
  said,
  type Behaviour,
  type Behaviours,
} from "./shared.ts";

const pointerOf = ({ backend }: Pick<Stage, "backend">): Pointer => need(backend.pointer, "pointer");

const clicks =
  (button: Button): Behaviour =>
  async (stage) => {
    const { x, y } = at(await stage.app.pad(), 17, 23);
    await click(pointerOf(stage), screenPoint(x, y), button);
    await said(stage.app, { event: "release", button });
    expect(pressesOf(stage.app)).toEqual([
      { event: "press", button, x, y },
      { event: "release", button, x, y },
    ]);
  };

const turns =
  (x: number, y: number): Behaviour =>
  async (stage) => {
    const pad = await stage.app.pad();
    const pointer = pointerOf(stage);
    await pointer.move(at(pad, pad.width / 2, Math.floor(pad.height / 2)));
    await pointer.wheel({ x, y });
    // Once a click has arrived, no more wheel events follow.
    await click(pointer, at(pad, 5, 5));
    await said(stage.app, { event: "release", button: "left" });
    const turned = stage.app.events.filter((event) => event.event === "wheel");
    const total = (axis: "x" | "y") => Math.round(turned.reduce((sum, event) => sum + event[axis], 0));
    expect([total("x"), total("y")]).toEqual([x, y]);
  };

async function expectExact({ backend, app }: ScaledStage): Promise<void> {
  const pad = await app.pad();
  for (const [dx, dy] of [
    [0, 0],
    [11, 7],
    [pad.width - 1, pad.height - 1],
  ] as const) {
    const { x, y } = at(pad, dx, dy);
    await click(need(backend.pointer, "pointer"), screenPoint(x, y));
    await said(app, { event: "release", x, y });
  }
}

export const pointer: Behaviours<"pointer"> = {
  async position(stage) {
    const point = at(await stage.app.pad(), 31, 12);
    await pointerOf(stage).move(point);
    expect(await pointerOf(stage).position()).toEqual({ x: point.x, y: point.y });
  },
  left: clicks("left"),
  right: clicks("right"),
  middle: clicks("middle"),
  async sides(stage) {
    const pad = await stage.app.pad();
    for (const button of ["back", "forward"] as const) {
      await click(pointerOf(stage), at(pad, 9, 9), button);
      await said(stage.app, { event: "press", button });
      await said(stage.app, { event: "release", button });
    }
  },
  async tap(stage) {
    const target = pointerOf(stage);
    const { x, y } = at(await stage.app.pad(), 40, 31);
    await target.move(screenPoint(x, y));
    await need(target.tap?.("left"), "tap");
    await said(stage.app, { event: "release", button: "left" });
    expect(pressesOf(stage.app)).toEqual([
      { event: "press", button: "left", x, y },
      { event: "release", button: "left", x, y },
    ]);
  },
  async corners(stage) {
    await expectExact({ ...stage, pixelsPerUnit: 1 });
  },
  async hover(stage) {
    const { x, y } = at(await stage.app.pad(), 50, 19);
    await pointerOf(stage).move(screenPoint(x, y));
    await said(stage.app, { event: "move", x, y, isHeld: false });
  },
  async drag(stage) {
    const pad = await stage.app.pad();
    const target = pointerOf(stage);
    const path = [0, 15, 30, 45].map((step) => at(pad, 10 + step, 10 + step));
    const [start = screenPoint(0, 0), ...rest] = path;
    await target.move(start);
    await target.down("left");
    try {
      for (const { x, y } of rest) {
        await target.move(screenPoint(x, y));
        await said(stage.app, { event: "move", x, y, isHeld: true });
      }
    } finally {
      await target.up("left");
    }
    const end = rest.at(-1) ?? start;
    await said(stage.app, { event: "release", x: end.x, y: end.y });
    expect(pressesOf(stage.app)).toHaveLength(2);
  },
  wheelDown: turns(0, 3),
  wheelUp: turns(0, -2),
  wheelRight: turns(2, 0),
  wheelLeft: turns(-1, 0),
  async offScreen(stage) {
    const { width, height } = stage.screen;
    for (const point of [screenPoint(-5, 10), screenPoint(width, height)]) {
      const target = pointerOf(stage);
      const act = async () => {
        await target.move(point);
        await target.down("left");
        await target.up("left");
      };
      expect(await codeOf(act())).toBe("out_of_bounds");
    }
  },
  async released(stage) {
    const pad = await stage.app.pad();
    const second = await need(stage.reopen?.(), "second connection");
    const target = need(second.pointer, "pointer");
    await target.move(at(pad, 25, 25));
    await target.down("left");
    await said(stage.app, { event: "press", button: "left" });
    await second[Symbol.asyncDispose]();
    await said(stage.app, { event: "release", button: "left" });
  },
  async doubled(stage) {
    await expectExact(await atScale(stage, 2));
  },
  async fractional(stage) {
    await expectExact(await atScale(stage, 1.5));
  },
  async cancelled(stage) {
    const target = pointerOf(stage);
    const pad = await stage.app.pad();
    await target.move(at(pad, 4, 4));
    await expectCancelled((signal) => target.move(at(pad, 60, 60), { signal }));
    expect(await target.position()).toEqual({ ...at(pad, 4, 4) });
    await expectCancelled((signal) => target.down("left", { signal }));
    await click(target, at(pad, 6, 6), "left");
    await said(stage.app, { event: "release", button: "left" });
    expect(pressesOf(stage.app)).toHaveLength(2);
  },
};
