import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { BorrowedCodes, fairShare, Layout, type KeyRow } from "./keymap.ts";

const row = (keycode: number, levels: readonly number[], kind: "key" | "keypad" | "modifier" = "key"): KeyRow => ({
  keycode,
  levels,
  isShiftable: kind !== "keypad",
  isModifier: kind === "modifier",
});
const shift = row(50, [0xffe1], "modifier");
const letter = (character: string) => character.codePointAt(0) ?? 0;

describe("layout", () => {
  test("finds a character alone or with Shift, on the lowest keycode", () => {
    const layout = new Layout([row(10, [letter("1"), letter("!")]), shift, row(60, [letter("!")])], new Set());
    expect(layout.find(letter("1"))).toEqual({ keycode: 10, shift: false });
    expect(layout.find(letter("!"))).toEqual({ keycode: 10, shift: true });
  });

  test("does not trust a third level, the numpad, or Shift where there is none", () => {
    const rows = [row(10, [letter("q"), letter("Q"), letter("@")]), row(11, [0xff95, 0xffb7], "keypad")];
    const layout = new Layout([...rows, shift], new Set());
    expect(layout.find(letter("@"))).toBeUndefined();
    expect(layout.find(0xffb7)).toBeUndefined();
    expect(new Layout(rows, new Set()).find(letter("Q"))).toBeUndefined();
  });

  test("keycodes that type nothing are spare, unless they are lent or set a modifier", () => {
    const rows = [row(8, []), row(9, [0, 0]), row(10, [letter("a")]), row(11, []), row(12, [], "modifier")];
    expect(new Layout(rows, new Set([11])).spare).toEqual([8, 9]);
  });

  test("a lent keycode is not part of the layout", () => {
    expect(new Layout([row(8, [0x0100_4f60])], new Set([8])).find(0x0100_4f60)).toBeUndefined();
  });
});

test("a share leaves something for the next process as long as there is more than one code", () => {
  fc.assert(
    fc.property(fc.integer({ min: 2, max: 248 }), (spare) => {
      expect(fairShare(spare)).toBeGreaterThan(0);
      expect(fairShare(spare)).toBeLessThan(spare);
    }),
  );
  expect(fairShare(0)).toBe(0);
  expect(fairShare(1)).toBe(1);
});

describe("borrowed codes", () => {
  const keysym = fc.integer({ min: 1, max: 30 });
  const isOnLayout = (one: number) => one > 20;
  const situation = fc.record({
    codeCount: fc.integer({ min: 1, max: 8 }),
    texts: fc.array(fc.array(keysym, { maxLength: 40 }), { maxLength: 4 }),
  });

  /** Plans and assigns segment by segment, as typing does; calls back with each segment. */
  function typeAll(
    borrowed: BorrowedCodes,
    keysyms: readonly number[],
    pinned: ReadonlySet<number>,
    onSegment: (from: number, until: number, assign: ReadonlyMap<number, number>) => void,
  ): void {
    for (let at = 0; at < keysyms.length;) {
      const { until, assign } = borrowed.plan(keysyms, at, { isOnLayout, pinned });
      if (until === at) return;
      borrowed.assign(assign);
      onSegment(at, until, assign);
      at = until;
    }
  }

  test("whatever is typed, every segment can be typed after its one assignment, and all of the text is covered", () => {
    fc.assert(
      fc.property(situation, ({ codeCount, texts }) => {
        const codes = Array.from({ length: codeCount }, (_, index) => 100 + index);
        const borrowed = new BorrowedCodes(codes);
        for (const text of texts) {
          let reached = 0;
          typeAll(borrowed, text, new Set(), (from, until, assign) => {
            expect(from).toBe(reached);
            reached = until;
            for (const one of text.slice(from, until)) {
              if (!isOnLayout(one)) expect(codes).toContain(borrowed.use(one));
            }
            for (const code of assign.keys()) expect(codes).toContain(code);
          });
          expect(reached).toBe(text.length);
        }
        expect(new Set(borrowed.codes.keys())).toEqual(new Set(codes));
      }),
    );
  });

  test("a segment ends only where its distinct characters outnumber the codes", () => {
    fc.assert(
      fc.property(situation, ({ codeCount, texts }) => {
        const borrowed = new BorrowedCodes(Array.from({ length: codeCount }, (_, index) => 100 + index));
        for (const text of texts) {
          typeAll(borrowed, text, new Set(), (from, until) => {
            const distinct = new Set(text.slice(from, until + 1).filter((one) => !isOnLayout(one)));
            expect(distinct.size > codeCount).toBe(until < text.length);
          });
        }
      }),
    );
  });

  test("no two codes type the same keysym, and nothing known is assigned again", () => {
    fc.assert(
      fc.property(situation, ({ codeCount, texts }) => {
        const borrowed = new BorrowedCodes(Array.from({ length: codeCount }, (_, index) => 100 + index));
        for (const text of texts) {
          const known = new Set(borrowed.codes.values());
          const { assign } = borrowed.plan(text, 0, { isOnLayout, pinned: new Set() });
          for (const one of assign.values()) expect(known.has(one)).toBe(false);
          borrowed.assign(assign);
          const given = [...borrowed.codes.values()].filter((one) => one !== 0);
          expect(new Set(given).size).toBe(given.length);
        }
      }),
    );
  });

  test("a code that is held down keeps its meaning", () => {
    fc.assert(
      fc.property(situation, ({ codeCount, texts }) => {
        const borrowed = new BorrowedCodes(
          new Map(Array.from({ length: codeCount }, (_, index) => [100 + index, index + 1])),
        );
        for (const text of texts) {
          typeAll(borrowed, text, new Set([100]), () => {});
          expect(borrowed.codes.get(100)).toBe(1);
        }
      }),
    );
  });

  test("empty codes are used first, then the least recently used", () => {
    const borrowed = new BorrowedCodes(
      new Map([
        [100, 1],
        [101, 2],
        [102, 0],
      ]),
    );
    borrowed.use(1);
    const { assign } = borrowed.plan([7, 8], 0, { isOnLayout, pinned: new Set() });
    expect([...assign]).toEqual([
      [102, 7],
      [101, 8],
    ]);
  });

  test("without any code there is nothing to plan", () => {
    expect(new BorrowedCodes([]).plan([1], 0, { isOnLayout, pinned: new Set() }).until).toBe(0);
    expect(new BorrowedCodes([]).plan([21, 22, 1], 0, { isOnLayout, pinned: new Set() }).until).toBe(2);
  });
});
