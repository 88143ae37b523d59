import { expect, test } from "vitest";
import { findBlocked } from "./windows.ts";

const defaults = { allowedWindowPatterns: ["*"], blockedWindowPatterns: ["*Password*"] };

interface Row {
  readonly id: number;
  readonly title: string;
  readonly kind?: string;
  readonly owners?: readonly number[];
  readonly pid?: number;
}

/** The ids of those that are blocked. */
function blocked(rows: readonly Row[], rules: Partial<typeof defaults> = {}): readonly number[] {
  const windows = rows.map((row) => ({ kind: "normal", pid: 7, ...row }));
  return [...findBlocked(windows, { ...defaults, ...rules }).keys()].map(({ id }) => id);
}

const vault = { id: 1, title: "My Passwords" };
const notes = { id: 2, title: "Notes" };

test("a dialog of a blocked window is blocked, and what opens from that too", () => {
  const dialog = { id: 3, title: "Question", kind: "dialog", owners: [1] };
  const menu = { id: 4, title: "app", kind: "menu", owners: [3] };
  expect(blocked([menu, dialog, vault, notes])).toEqual([4, 3, 1]);
});

test("a menu that a blocked window may have opened is blocked, another window of the app is not", () => {
  expect(blocked([{ id: 3, title: "app", kind: "menu", owners: [2, 1] }, vault, notes])).toEqual([3, 1]);
});

test("a menu of another window of the app is not blocked", () => {
  expect(blocked([{ id: 3, title: "app", kind: "menu", owners: [2] }, vault, notes])).toEqual([1]);
});

test("a dialog with a blocked title is blocked, and the window it belongs to is not", () => {
  expect(blocked([{ id: 3, title: "Enter password", kind: "dialog", owners: [2] }, notes])).toEqual([3]);
});

test("an allow-list need not name the dialogs of a window it names", () => {
  const rules = { allowedWindowPatterns: ["Notes"] };
  const [own, other] = [
    { id: 3, title: "Save?", kind: "dialog", owners: [2] },
    { id: 4, title: "Save?", kind: "dialog", owners: [5] },
  ];
  expect(blocked([own, other, notes, { id: 5, title: "Mail", pid: 8 }], rules)).toEqual([4, 5]);
});

test("owners that are gone, or that name each other, leave a window to its own title", () => {
  expect(blocked([{ id: 3, title: "Question", owners: [99] }, vault])).toEqual([1]);
  expect(
    blocked([
      { id: 3, title: "A", owners: [4] },
      { id: 4, title: "B", owners: [3] },
    ]),
  ).toEqual([]);
  expect(blocked([{ id: 3, title: "A", owners: [3, 1] }, vault])).toEqual([3, 1]);
});
