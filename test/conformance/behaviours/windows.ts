import { expect } from "vitest";
import type { WindowChange, Windows } from "../../../src/platform/backend.ts";
import { need, titles, type OtherApp, type Stage } from "../stage.ts";
import { codeOf, expectCancelled, ownWindow, until, untilTrue, windowNamed, type Behaviours } from "./shared.ts";

const windowsOf = ({ backend }: Stage): Windows => need(backend.windows, "windows");

const openOther = (stage: Stage): Promise<OtherApp> => need(stage.openOther?.(), "other window");

async function titlesInOrder(stage: Stage): Promise<readonly string[]> {
  const known: readonly string[] = [stage.app.title, titles.other];
  return (await windowsOf(stage).list({ isFresh: true }))
    .map(({ title }) => title)
    .filter((one) => known.includes(one));
}

async function change(stage: Stage, id: number, to: WindowChange) {
  await windowsOf(stage).change(id, to);
  return need(await windowsOf(stage).get(id), "window any more");
}

export const windows: Behaviours<"windows"> = {
  async listed(stage) {
    const { pid, bounds, title } = await ownWindow(stage);
    expect({ title, pid, bounds }).toEqual({
      title: stage.app.title,
      pid: stage.app.pid,
      bounds: await stage.app.window(),
    });
  },
  async order(stage) {
    const { id } = await ownWindow(stage);
    await using _other = await openOther(stage);
    await ownWindow(stage, titles.other);
    await untilTrue("the new one is on top", async () => (await titlesInOrder(stage))[0] === titles.other);
    await windowsOf(stage).change(id, { to: "front" });
    expect(await titlesInOrder(stage)).toEqual([stage.app.title, titles.other]);
  },
  async get(stage) {
    const window = await ownWindow(stage);
    expect(await windowsOf(stage).get(window.id)).toEqual(window);
  },
  async unknown(stage) {
    expect(await windowsOf(stage).get(987_654)).toBeUndefined();
  },
  async active(stage) {
    const { id } = await ownWindow(stage);
    await untilTrue("it is in front", async () => (await windowsOf(stage).active()) === id);
    const front = (await windowsOf(stage).list()).filter(({ isForeground }) => isForeground);
    expect(front.map((window) => window.id)).toEqual([id]);
  },
  async retitled(stage) {
    const { id } = await ownWindow(stage);
    await stage.app.act("retitle");
    expect((await ownWindow(stage, titles.renamed)).id).toBe(id);
  },
  async opened(stage) {
    await using other = await openOther(stage);
    const { pid, isVisible } = await ownWindow(stage, titles.other);
    expect({ pid, isVisible }).toEqual({ pid: other.pid, isVisible: true });
  },
  async dialog(stage) {
    await stage.app.act("open dialog");
    const { kind, pid } = await until("a dialog is listed", async () =>
      (await windowsOf(stage).list({ isFresh: true })).find(({ title }) => title.includes(titles.dialog)),
    );
    expect({ kind, pid }).toEqual({ kind: "dialog", pid: stage.app.pid });
  },
  async focus(stage) {
    const { id } = await ownWindow(stage);
    await stage.app.act("focus field");
    await using _other = await openOther(stage);
    await ownWindow(stage, titles.other);
    await windowsOf(stage).change(id, { to: "focus" });
    expect(await windowsOf(stage).active()).toBe(id);
    await need(stage.backend.keyboard, "keyboard").text("mine");
    await untilTrue("the letters arrive in it", async () => (await stage.app.text()) === "mine");
  },
  async back(stage) {
    const { id } = await ownWindow(stage);
    await using _other = await openOther(stage);
    await ownWindow(stage, titles.other);
    await windowsOf(stage).change(id, { to: "front" });
    await windowsOf(stage).change(id, { to: "back" });
    expect(await titlesInOrder(stage)).toEqual([titles.other, stage.app.title]);
  },
  async minimize(stage) {
    const { id, bounds } = await ownWindow(stage);
    expect(await change(stage, id, { to: "minimize" })).toMatchObject({ isMinimized: true, isVisible: false });
    expect(await change(stage, id, { to: "restore" })).toMatchObject({ isMinimized: false, isVisible: true, bounds });
  },
  async maximize(stage) {
    const { id, bounds } = await ownWindow(stage);
    const large = await change(stage, id, { to: "maximize" });
    expect(large.isMaximized).toBe(true);
    expect(large.bounds.width).toBe(stage.screen.width);
    expect(await change(stage, id, { to: "restore" })).toMatchObject({ isMaximized: false, bounds });
  },
  async move(stage) {
    const { id, bounds } = await ownWindow(stage);
    const moved = await change(stage, id, { to: "move", x: bounds.x + 37, y: bounds.y + 21 });
    expect(moved.bounds).toEqual({ ...bounds, x: bounds.x + 37, y: bounds.y + 21 });
    expect(await stage.app.window()).toEqual(moved.bounds);
  },
  async resize(stage) {
    const { id, bounds } = await ownWindow(stage);
    const [width, height] = [bounds.width + 43, bounds.height + 19];
    const resized = await change(stage, id, { to: "resize", width, height });
    expect(resized.bounds).toEqual({ ...bounds, width, height });
    await until("the app has the size", async () => ((await stage.app.window()).width === width ? true : undefined));
  },
  async close(stage) {
    await using other = await openOther(stage);
    const { id } = await ownWindow(stage, titles.other);
    await windowsOf(stage).change(id, { to: "close" });
    expect(await windowNamed(stage.backend, titles.other)).toBeUndefined();
    await untilTrue("the app knows", async () => !(await other.isOpen()));
  },
  async gone(stage) {
    for (const to of ["focus", "minimize", "close"] as const) {
      expect(await codeOf(windowsOf(stage).change(987_654, { to }))).toBe("window_gone");
    }
  },
  async drained(stage) {
    const target = windowsOf(stage);
    const { id } = await ownWindow(stage);
    expect(await need(target.drained?.(id), "way to tell")).toBe(true);
    await using _frozen = await need(stage.app.freeze?.(), "way to freeze it");
    expect(await need(target.drained?.(id), "way to tell")).toBe(false);
  },
  async changes(stage) {
    const target = windowsOf(stage);
    await ownWindow(stage);
    const before = await need(target.changes?.(), "count of changes");
    expect(await need(target.changes?.(), "count of changes")).toBe(before);
    await stage.app.act("retitle");
    await untilTrue(
      "the count is another",
      async () => (await need(target.changes?.(), "count of changes")) !== before,
    );
  },
  async cancelled(stage) {
    const { id } = await ownWindow(stage);
    await expectCancelled((signal) => windowsOf(stage).list({ signal }));
    await expectCancelled((signal) => windowsOf(stage).change(id, { to: "minimize" }, { signal }));
    expect((await windowsOf(stage).get(id))?.isMinimized).toBe(false);
  },
};
