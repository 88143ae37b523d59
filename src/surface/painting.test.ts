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

/** An action that paints once, and what it set in motion before the next one comes. */
async function actThen(everyMs: number, times: number): Promise<void> {
  await painting.during(async () => {
    painting.pause();
    paint(canvas);
    await vi.advanceTimersByTimeAsync(everyMs);
  });
  await paintEvery(everyMs, times);
}

async function nextAction(): Promise<boolean> {
  let stopped = false;
  const action = painting.during(async () => {
    painting.resume();
    await painting.seeMotion(windowId, signal);
    painting.pause();
    stopped = await hasStopped();
  });
  await vi.advanceTimersByTimeAsync(10_000);
  await action;
  return stopped;
}

test("a border that the action before has set in motion was perhaps stopped by the next one, which comes at once", async () => {
  await actThen(500, 2);
  expect(await nextAction()).toBe(true);
});

test("an action waits for the third turn of what may be a movement", async () => {
  await actThen(500, 1);
  const [next] = [nextAction(), vi.advanceTimersByTimeAsync(20).then(() => paint(canvas))];
  expect(await next).toBe(true);
});

test("what an action paints once more half a second later is not a movement", async () => {
  await actThen(500, 1);
  expect(await nextAction()).toBe(false);
});

test("a fade after an action is not a movement that the next one stops", async () => {
  await actThen(120, 4);
  expect(await nextAction()).toBe(false);
});
