import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { contains, screenPoint, type Rect } from "../base/geometry.ts";
import { Dwells } from "./dwells.ts";

const button = (id: string, x: number, width = 50): { id: string; bounds: Rect } => ({
  id,
  bounds: { x, y: 0, width, height: 50 },
});
const [left, right] = [button("left", 0), button("right", 50)];
const place = (at: number, x: number, y = 10) => ({ at, point: screenPoint(x, y) });
const told = (dwells: Dwells<{ id: string; bounds: Rect }>) =>
  dwells.take().map(({ thing, at, ms }) => [thing.id, at, ms]);

describe("dwells", () => {
  test("last from the first place inside to the first outside", () => {
    const dwells = new Dwells<typeof left>(100);
    for (const each of [place(0, 200), place(100, 70), place(200, 30), place(300, 20)]) dwells.moved(each);
    dwells.found(place(300, 20), left);
    dwells.moved(place(900, 25));
    expect(told(dwells)).toEqual([]);
    dwells.moved(place(1_000, 60));
    expect(told(dwells)).toEqual([["left", 200, 800]]);
  });

  test("that are too short are left out", () => {
    const dwells = new Dwells<typeof left>(100);
    dwells.moved(place(0, 20));
    dwells.found(place(0, 20), left);
    dwells.moved(place(99, 60));
    expect(told(dwells)).toEqual([]);
  });

  test("go on when the pointer moves inside and finds the same thing", () => {
    const dwells = new Dwells<typeof left>(100);
    dwells.moved(place(0, 20));
    dwells.found(place(0, 20), left);
    dwells.moved(place(400, 30));
    dwells.found(place(400, 30), left);
    dwells.moved(place(500, 60));
    expect(told(dwells)).toEqual([["left", 0, 500]]);
  });

  test("end where another thing inside the same bounds was entered", () => {
    const [panel, inner] = [button("panel", 0, 300), button("inner", 100, 20)];
    const dwells = new Dwells<typeof left>(100);
    dwells.moved(place(0, 20));
    dwells.found(place(0, 20), panel);
    dwells.moved(place(400, 60));
    dwells.moved(place(500, 105));
    dwells.found(place(500, 105), inner);
    dwells.end(900);
    expect(told(dwells)).toEqual([
      ["panel", 0, 500],
      ["inner", 500, 400],
    ]);
  });

  test("count although the pointer left before the app answered", () => {
    const dwells = new Dwells<typeof left>(100);
    dwells.moved(place(0, 20));
    dwells.moved(place(300, 60));
    dwells.found(place(0, 20), left);
    dwells.found(place(300, 60), right);
    dwells.end(450);
    expect(told(dwells)).toEqual([
      ["left", 0, 300],
      ["right", 300, 150],
    ]);
  });

  test("end when nothing is there any more", () => {
    const dwells = new Dwells<typeof left>(100);
    dwells.moved(place(0, 20));
    dwells.found(place(0, 20), left);
    dwells.moved(place(200, 22));
    dwells.found(place(200, 22), undefined);
    expect(told(dwells)).toEqual([["left", 0, 200]]);
  });

  test("never overlap, never are too short, and are of what was there", () => {
    const all = Array.from({ length: 8 }, (_, index) => button(String(index), index * 20, 20));
    const path = fc.array(
      fc.record({ x: fc.integer({ min: 0, max: 159 }), ms: fc.integer({ min: 1, max: 400 }), rests: fc.boolean() }),
    );
    fc.assert(
      fc.property(path, (steps) => {
        const dwells = new Dwells<typeof left>(150);
        let now = 0;
        for (const { x, ms, rests } of steps) {
          const here = place(now, x);
          dwells.moved(here);
          if (rests)
            dwells.found(
              here,
              all.find(({ bounds }) => contains(bounds, here.point)),
            );
          now += ms;
        }
        dwells.end(now);
        const events = dwells.take();
        for (const [index, { at, ms, thing, cursor }] of events.entries()) {
          expect(ms).toBeGreaterThanOrEqual(150);
          expect(contains(thing.bounds, cursor)).toBe(true);
          expect(at + ms).toBeLessThanOrEqual(events[index + 1]?.at ?? now);
        }
      }),
    );
  });
});
