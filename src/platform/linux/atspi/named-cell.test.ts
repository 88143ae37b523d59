import { expect, test } from "vitest";
import { placeOf } from "./named-cell.ts";

test.each([
  ["A1", { row: 0, column: 0 }],
  ["B500", { row: 499, column: 1 }],
  ["z26", { row: 25, column: 25 }],
  ["AA1", { row: 0, column: 26 }],
  ["XFD1048576", { row: 1_048_575, column: 16_383 }],
  ["B0", undefined],
  ["Save", undefined],
  ["F1 help", undefined],
  ["", undefined],
])("the cell %s is at %o", (name, place) => expect(placeOf(name)).toEqual(place));
