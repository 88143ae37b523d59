import { expect, test } from "vitest";
import type { WindowDetails } from "./details.ts";
import { withOwners } from "./owners.ts";

const idMask = 0x1fffff;
const own = 0x400000;
const other = 0x600000;

type Row = Omit<Partial<WindowDetails>, "info"> & {
  readonly id: number;
  readonly kind?: string;
  readonly pid?: number;
};

const detailsOf = ({ id, kind = "normal", pid, ...rest }: Row): WindowDetails =>
  ({ transientFor: undefined, isFree: false, leaders: [], ...rest, info: { id, kind, pid } }) as never;

/** The owners of the first. */
const ownersOf = (...rows: readonly [Row, ...Row[]]): readonly number[] | undefined =>
  withOwners(rows.map(detailsOf), idMask)[0]?.info.owners;

const first = { id: own + 1, pid: 7 };
const second = { id: own + 2, pid: 7 };

test("a window that names its owner belongs to that one alone", () => {
  expect(ownersOf({ id: own + 3, pid: 7, kind: "dialog", transientFor: own + 1 }, first, second)).toEqual([own + 1]);
});

test.each<[string, Row]>([
  ["of the same connection", { id: own + 3, kind: "unknown", isFree: true }],
  ["of the same process", { id: other + 3, pid: 7, kind: "menu", isFree: true }],
  ["that names the root as its owner", { id: own + 3, kind: "normal", transientFor: 0x2b3 }],
  ["that is a dialog without an owner", { id: own + 3, pid: 7, kind: "dialog" }],
  ["that is free and calls itself normal", { id: own + 3, pid: 7, isFree: true }],
])("a popup %s belongs to every window of the app", (_what, popup) => {
  expect(ownersOf(popup, first, second)).toEqual([own + 1, own + 2]);
});

test.each<[string, Partial<Row>]>([
  ["the same client leader", { leaders: [9] }],
  ["it as the leader of its group", { leaders: [other + 1] }],
])("a popup with %s belongs to the window", (_what, popup) => {
  const row = { id: own + 3, kind: "notification", ...popup };
  expect(ownersOf(row, { id: other + 1, leaders: [9] }, { id: 0x800001 })).toEqual([other + 1]);
});

test("an ordinary window belongs to none, whatever else its app has open", () => {
  expect(ownersOf(second, first)).toBeUndefined();
  expect(ownersOf({ id: own + 3, pid: 7, kind: "dock" }, first)).toBeUndefined();
});

test("a popup of another app belongs to nobody here", () => {
  expect(ownersOf({ id: other + 3, pid: 8, kind: "menu", isFree: true }, first, second)).toBeUndefined();
});
