import fc from "fast-check";
import { expect, test } from "vitest";
import type { SeenElement } from "../../eyes.ts";
import { steer, type Steered } from "./steer.ts";

const slider = (value: number): SeenElement => ({
  uid: "a1g1",
  role: "slider",
  name: "Depth",
  value,
  states: ["enabled", "showing"],
  actions: [],
  depth: 0,
});

/** Follows it until the value is right, or it gives up. */
function follow(start: number, pace: number, wanted: number): number {
  let value = start;
  let last: Steered | undefined;
  for (let turns = 0; value !== wanted; turns++) {
    if (turns > 100) throw new Error("it goes on for ever");
    const { actions, steered } = steer(slider(value), String(wanted), last);
    for (const { action, key } of actions) if (action === "key") value += key === "right" ? pace : -pace;
    last = steered;
  }
  return value;
}

const value = fc.integer({ min: -200, max: 200 });
const pace = fc.integer({ min: 1, max: 9 });

test("keys move a value to every step of its scale", () => {
  fc.assert(
    fc.property(value, pace, value, (start, step, count) => {
      expect(follow(start, step, start + step * count)).toBe(start + step * count);
    }),
  );
});

test("a value between two steps, or one that stays, is refused", () => {
  fc.assert(
    fc.property(value, fc.integer({ min: 2, max: 9 }), value, (start, step, count) => {
      expect(() => follow(start, step, start + step * count + 1)).toThrow("does not take the value");
    }),
  );
  expect(() => follow(3, 0, 4)).toThrow("does not take the value 4; it is 3");
});
