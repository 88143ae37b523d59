import { expect, test } from "vitest";
import { KnownBounds } from "./known-bounds.ts";

const family = { parent: "/row", children: ["/a", "/b", "/c"] };
const places = [0, 10, 20].map((x) => ({ x, y: 0, width: 10, height: 10 }));
const kept = { parentPlace: { x: 0, y: 0, width: 30, height: 10 }, places };

test("places are recalled while no layout has changed", () => {
  const memory = new KnownBounds();
  memory.moved("/a");
  memory.keep(family, kept, memory.clock);
  memory.moved("/elsewhere");
  expect(memory.recall(family)?.places).toEqual(places);
});

test.each(["/b", "/row"])("a layout change of %s makes the whole row unknown", (path) => {
  const memory = new KnownBounds();
  memory.keep(family, kept, memory.clock);
  memory.moved(path);
  expect(memory.recall(family)).toBeUndefined();
});

test("a layout change reported while the places are being read counts", () => {
  const memory = new KnownBounds();
  const since = memory.clock;
  memory.moved("/b");
  memory.keep(family, kept, since);
  expect(memory.recall(family)).toBeUndefined();
});

test.each([
  ["one more", ["/a", "/b", "/c", "/d"]],
  ["one less", ["/a", "/b"]],
  ["another order", ["/a", "/c", "/b"]],
])("other children are not recalled: %s", (_, children) => {
  const memory = new KnownBounds();
  memory.keep(family, kept, memory.clock);
  expect(memory.recall({ ...family, children })).toBeUndefined();
});

test("after more layout changes than are remembered, nothing is recalled that may have been among them", () => {
  const memory = new KnownBounds();
  memory.keep(family, kept, memory.clock);
  memory.moved("/b");
  for (let count = 0; count < 50_000; count++) memory.moved(`/other/${count}`);
  expect(memory.recall(family)).toBeUndefined();
});
