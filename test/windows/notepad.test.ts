import { afterAll, beforeAll, expect, test } from "vitest";
import { poll } from "../../src/base/async.ts";
import type { Rect } from "../../src/base/geometry.ts";
import type { Handsight } from "../support/handsight.ts";
import { describeWindows, startWine, type Wine } from "../support/wine.ts";

const everything = 'Héllo wörld — 你好 🎉 ß ñ "quotes" \\back';

interface Listed {
  readonly id: number;
  readonly title: string;
  readonly bounds: Rect;
  readonly minimized?: boolean;
}

describeWindows("a client on Linux drives programs of Windows", () => {
  let wine: Wine;
  let handsight: Handsight;
  let pid: number;
  let window: number;

  beforeAll(async () => {
    wine = await startWine();
    handsight = await wine.handsight(["--ocr", "on"]);
    const launched = await handsight.call("launch_app", { app_name: "notepad" });
    pid = Number(launched["pid"]);
    window = (await list()).find(({ title }) => title.includes("Notepad"))?.id ?? 0;
  });
  afterAll(async () => {
    await handsight?.[Symbol.asyncDispose]();
    await wine?.[Symbol.asyncDispose]();
  });

  const list = async (): Promise<readonly Listed[]> =>
    (await handsight.call("list_windows"))["windows"] as readonly Listed[];
  const get = async (): Promise<Listed> => (await list()).find(({ id }) => id === window) as Listed;
  const content = async (): Promise<unknown> => {
    await handsight.call("press_key", { key: "ctrl+a" });
    await handsight.call("press_key", { key: "ctrl+c" });
    return (await handsight.call("get_clipboard"))["text"];
  };

  test("types any text into notepad, and reads it back through the clipboard", async () => {
    expect(await handsight.call("type_text", { text: everything })).toMatchObject({ effect: "confirmed" });
    expect(await content()).toBe(everything);
  });

  test("types lines with Return and Tab as keys", async () => {
    await content();
    await handsight.call("type_text", { text: "one\n\ttwo\nthree" });
    expect(await content()).toBe("one\n\ttwo\nthree");
  });

  test("sees what the window shows, and reads its text", async () => {
    const { images, data } = await handsight.ask("take_screenshot", { window_id: window, include_ocr: true });
    expect(images).toHaveLength(1);
    expect(JSON.stringify(data)).toContain("Untitled - Notepad");
  });

  test("clicks where it is told to: a click ends a selection, a drag makes one", async () => {
    await content();
    const { x, y } = (await get()).bounds;
    const line = { x: x + 9, y: y + 62 };
    await handsight.call("click", line);
    await handsight.call("drag", { start_x: line.x, start_y: line.y, end_x: line.x, end_y: line.y + 40 });
    await handsight.call("press_key", { key: "ctrl+c" });
    const { text } = await handsight.call("get_clipboard");
    expect(text).toMatch(/^one\n/);
    expect(text).not.toContain("three");
  });

  test("turns the wheel over a long text", async () => {
    await handsight.call("set_clipboard", {
      text: Array.from({ length: 200 }, (_, line) => `line ${line}`).join("\n"),
    });
    await handsight.call("press_key", { key: "ctrl+a" });
    await handsight.call("press_key", { key: "ctrl+v" });
    await handsight.call("press_key", { key: "ctrl+home" });
    const { x, y } = (await get()).bounds;
    const scrolled = await handsight.call("scroll", { x: x + 200, y: y + 200, direction: "down", amount: 3 });
    expect(scrolled).toMatchObject({ effect: "confirmed" });
    expect(await handsight.call("find_text", { text: "line 9", window_id: window })).toMatchObject({
      matches: expect.arrayContaining([expect.anything()]) as unknown,
    });
  });

  test("minimises, restores, maximises, moves and resizes a window, and reads it back", async () => {
    const before = (await get()).bounds;
    await handsight.call("set_window", { window_id: window, action: "minimize" });
    expect(await handsight.ask("take_screenshot", { window_id: window })).toMatchObject({
      isError: true,
      data: { error: { code: "not_supported" } },
    });
    await handsight.call("set_window", { window_id: window, action: "restore" });
    expect((await get()).bounds).toEqual(before);
    await handsight.call("set_window", { window_id: window, action: "maximize" });
    expect((await get()).bounds.width).toBeGreaterThan(before.width);
    await handsight.call("set_window", { window_id: window, action: "restore" });
    await handsight.call("set_window", { window_id: window, action: "move", x: 60, y: 40 });
    await handsight.call("set_window", { window_id: window, action: "resize", width: 500, height: 400 });
    expect((await get()).bounds).toEqual({ x: 60, y: 40, width: 500, height: 400 });
  });

  test("quits it by force", async () => {
    await handsight.call("quit_app", { pid, force: true });
    expect(await poll(async () => ((await list()).some(({ id }) => id === window) ? undefined : true), once)).toBe(
      true,
    );
  });
});

const once = { timeoutMs: 5_000, everyMs: 50 };
