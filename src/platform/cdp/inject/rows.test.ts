import fc from "fast-check";
import { expect, test } from "vitest";
import { makeRows, unpackRows, type Row } from "./rows.ts";

const pack = makeRows();
const bounds = fc.tuple(fc.integer(), fc.integer(), fc.nat(), fc.nat());
const more = fc.record(
  { description: fc.string(), id: fc.string(), level: fc.integer({ min: 1, max: 6 }) },
  { requiredKeys: [] },
);
const row = fc.tuple(
  fc.nat(),
  fc.integer({ min: -1, max: 50 }),
  fc.constantFrom("button", "link", ""),
  fc.string(),
  bounds,
  fc.constantFrom("", "enabled", "enabled focusable"),
  fc.oneof(fc.constant(null), fc.string(), fc.integer()),
  fc.oneof(fc.constant(null), more),
);
const travelled = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

test("rows arrive as they were sent", () => {
  fc.assert(
    fc.property(fc.array(row), (rows) => {
      const arrived = unpackRows(travelled(pack(rows, true)) as never);
      expect(arrived).toEqual(travelled(rows));
    }),
  );
});

test("rows without places arrive with empty ones", () => {
  const sent: Row = [4, -1, "heading", "News", [1, 2, 3, 4], "enabled", null, { level: 2 }];
  expect(unpackRows(pack([sent], false))).toEqual([
    [4, -1, "heading", "News", [0, 0, 0, 0], "enabled", null, { level: 2 }],
  ]);
});

test("what is the same in all rows is sent once", () => {
  const rows = Array.from({ length: 100 }, (_, id): Row => [
    id,
    -1,
    "button",
    `B${id}`,
    [0, 0, 0, 0],
    "enabled",
    null,
    null,
  ]);
  const packed = pack(rows, false);
  expect(packed.words).toEqual(["button", "enabled"]);
  expect(packed.rows[7]).toEqual([7, -1, 0, "B7", 1]);
});
