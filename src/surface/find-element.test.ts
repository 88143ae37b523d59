import { describe, expect, test } from "vitest";
import { screenPoint } from "../base/geometry.ts";
import type { UiNode } from "../base/node.ts";
import { pointOf } from "./find-element.ts";

const button: UiNode = {
  runtimeId: "1",
  role: "button",
  nativeRole: "push button",
  name: "OK",
  bounds: { x: 10, y: 20, width: 100, height: 40 },
  states: ["enabled", "showing"],
  actions: ["press"],
};

describe("the point to click an element at", () => {
  test("is the one it reports itself, or its centre [S4-64]", () => {
    expect(pointOf(button)).toEqual({ x: 60, y: 40 });
    expect(pointOf({ ...button, clickPoint: screenPoint(12, 22) })).toEqual({ x: 12, y: 22 });
  });

  test("does not exist while it is scrolled away or has no size", () => {
    expect(pointOf({ ...button, states: ["enabled"] })).toBeUndefined();
    expect(pointOf({ ...button, bounds: { x: 10, y: 20, width: 0, height: 40 } })).toBeUndefined();
    expect(pointOf({ ...button, bounds: undefined })).toBeUndefined();
  });
});
