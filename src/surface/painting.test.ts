import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Rect } from "../base/geometry.ts";
import { Painting } from "./painting.ts";
import type { Surface } from "./surface.ts";

const windowId = 7;
const bounds: Rect = { x: 0, y: 0, width: 400, height: 300 };
const canvas: Rect = { x: 20, y: 40, width: 200, height: 100 };
const { signal } = new AbortController();

let paint: (part: Rect) => void;
let painting: Painting;

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  const damage = async (_id: number, listener: (part: Rect) => void): Promise<AsyncDisposable> => {
    paint = listener;
    return { [Symbol.asyncDispose]: async () => {} };
  };
  painting = new Painting();
  await vi.advanceTimersByTimeAsync(1_000);
  await painting.watch({ backend: { events: { damage } } } as unknown as Surface, windowId, bounds, signal);
});

afterEach(() => vi.useRealTimers());

async function paintEvery(everyMs: number, times: number): Promise<void> {
  for (let time = 0; time < times; time++) {
    paint(canvas);
    await vi.advanceTimersByTimeAsync(everyMs);
  }
}

async function hasStopped(): Promise<boolean> {
  const answer = painting.hasStopped(windowId, signal);
  await vi.advanceTimersByTimeAsync(10_000);
  return answer;
}

test("a movement that ends with the action was perhaps stopped by it", async () => {
  await paintEvery(200, 8);
  painting.pause();
  expect(await hasStopped()).toBe(true);
});

test("a movement that goes on was not stopped", async () => {
  await paintEvery(200, 8);
  painting.pause();
  const goesOn = paintEvery(200, 60);
  expect(await hasStopped()).toBe(false);
  await vi.advanceTimersByTimeAsync(10_000);
  await goesOn;
});

test("what an app painted while it started, and no longer did before the action, was not stopped by it", async () => {
  await paintEvery(120, 8);
  await vi.advanceTimersByTimeAsync(500);
  painting.pause();
  expect(await hasStopped()).toBe(false);
});

test("what an action still paints when it is over is not a movement that the next one stops", async () => {
  await painting.during(async () => {});
  await paintEvery(120, 4);
  painting.pause();
  expect(await hasStopped()).toBe(false);
});
