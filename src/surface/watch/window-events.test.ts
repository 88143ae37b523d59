import fc from "fast-check";
import { expect, test } from "vitest";
import type { WindowInfo } from "../../platform/backend.ts";
import { compareWindows } from "./window-events.ts";

const window = (id: number, more: Partial<WindowInfo> = {}): WindowInfo => ({
  id,
  title: `Window ${id}`,
  appName: "Editor",
  className: "Editor",
  pid: 7,
  processName: "editor",
  kind: "normal",
  bounds: { x: 0, y: 0, width: 100, height: 100 },
  isVisible: true,
  isMinimized: false,
  isMaximized: false,
  isFullscreen: false,
  isForeground: false,
  canMinimize: true,
  canMaximize: true,
  displayId: 1,
  ...more,
});
const told = (before: readonly WindowInfo[], after: readonly WindowInfo[]) =>
  compareWindows(before, after).map(({ kind, window: { id } }) => `${kind} ${id}`);

test("an app starts with its first window and ends with its last", () => {
  expect(told([], [window(1), window(2)])).toEqual(["app_started 1", "window_opened 1", "window_opened 2"]);
  expect(told([window(1), window(2)], [window(2)])).toEqual(["window_closed 1"]);
  expect(told([window(2)], [])).toEqual(["window_closed 2", "app_ended 2"]);
});

test("dialogs and popups are told from other windows", () => {
  const after = [
    window(1),
    window(2, { kind: "dialog" }),
    window(3, { isModal: true }),
    window(4, { kind: "menu", owners: [1] }),
  ];
  expect(told([window(1)], after)).toEqual(["dialog_opened 2", "dialog_opened 3", "popup_opened 4"]);
});

test("a window that is renamed, moved and activated says all of it", () => {
  const bounds = { x: 5, y: 0, width: 100, height: 100 };
  const [renamed, ...rest] = compareWindows([window(1)], [window(1, { title: "*New", bounds, isForeground: true })]);
  expect(renamed).toMatchObject({ kind: "window_renamed", was: "Window 1", window: { title: "*New" } });
  expect(rest.map(({ kind }) => kind)).toEqual(["window_moved", "focus"]);
});

test("nothing happens between equal lists, and what opened in one direction closes in the other", () => {
  const lists = fc.uniqueArray(fc.nat(8), { maxLength: 6 }).map((ids) => ids.map((id) => window(id, { pid: id % 3 })));
  fc.assert(
    fc.property(lists, lists, (a, b) => {
      expect(compareWindows(a, structuredClone(a))).toEqual([]);
      const count = (kind: string, from: readonly WindowInfo[], to: readonly WindowInfo[]) =>
        compareWindows(from, to).filter((each) => each.kind === kind).length;
      expect(count("window_opened", a, b)).toBe(count("window_closed", b, a));
      expect(count("app_started", a, b)).toBe(count("app_ended", b, a));
    }),
  );
});
