import { expect, test } from "vitest";
import type { Monitor } from "../x11/extensions.ts";
import { scalesOf } from "./monitor-scale.ts";

const monitor = (width: number, height: number, size: Monitor["size"]): Monitor => ({
  name: 1,
  isPrimary: false,
  outputs: [],
  x: 0,
  y: 0,
  width,
  height,
  size,
});
const plain = monitor(1920, 1080, { width: 508, height: 286 });
const dense = monitor(3840, 2160, { width: 508, height: 286 });
const laptop = monitor(1920, 1080, { width: 309, height: 174 });
const unknown = monitor(1920, 1080, { width: 0, height: 0 });
const projector = monitor(1920, 1080, { width: 1600, height: 900 });
const wrongShape = monitor(1920, 1080, { width: 508, height: 508 });

test.each([
  ["two of different density, each its own", [plain, dense], 1, [1, 2]],
  ["a laptop beside a plain one", [laptop, plain], 1, [1.75, 1]],
  ["two alike, what programs draw by", [dense, dense], 1, [1, 1]],
  ["two alike, what programs draw by", [laptop, laptop], 1.5, [1.5, 1.5]],
  ["one alone, what programs draw by", [laptop], 1, [1]],
  ["one that does not know its size", [dense, unknown], 2, [2, 2]],
  ["a picture on a wall", [plain, projector], 1.25, [1.25, 1.25]],
  ["a size of another shape", [dense, wrongShape], 1, [1, 1]],
] as const)("%s", (_what, monitors, common, scales) => {
  expect(scalesOf(monitors, common)).toEqual(scales);
});
