import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { UiNode } from "../base/node.ts";
import { Unrest } from "./unrest.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["performance"] });
});
afterEach(() => {
  vi.useRealTimers();
});

const label = (name: string): UiNode[] => [{ runtimeId: "seconds", name } as UiNode];

test("a label that stood still is looked at again once an action may have started it", () => {
  const unrest = new Unrest();
  unrest.leave(label("00"), false);
  vi.advanceTimersByTime(2_000);
  unrest.resume(label("00"));
  expect(unrest.isKnownStill("seconds")).toBe(true);
  unrest.leave(label("00"), false);
  expect(unrest.isKnownStill("seconds")).toBe(true);
  unrest.leave(label("00"), true);
  expect(unrest.isKnownStill("seconds")).toBe(false);
});

test("a display that actions change, and that stood still after one, is believed from then on", () => {
  const unrest = new Unrest();
  unrest.trust(["seconds"]);
  unrest.leave(label("12"), true);
  expect(unrest.isKnownStill("seconds")).toBe(true);
  vi.advanceTimersByTime(500);
  unrest.resume(label("13"));
  expect(unrest.isKnownStill("seconds")).toBe(false);
});
