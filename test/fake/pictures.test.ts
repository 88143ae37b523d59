import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { answerTexts } from "../../src/tools/answers.ts";
import { openFakeSession } from "../support/fake-session.ts";

const screen = { width: 1920, height: 1080 };
const editor = { id: 7, title: "Editor", bounds: { x: 100, y: 50, width: 800, height: 600 } };
const patch = { windowId: 7, rect: { x: 200, y: 100, width: 60, height: 20 }, colour: 0xff0000 };

interface Shot {
  readonly screenshot_id: string;
  readonly screenshot_pixel_width: number;
  readonly screenshot_pixel_height: number;
  readonly screenshot_scale: number;
}

function open(flags: Record<string, string> = {}) {
  const opened = openFakeSession({ ...screen, windows: [editor] }, flags);
  const shot = async (args: object) => {
    const outcome = await opened.outcome("take_screenshot", args);
    if (outcome.kind !== "done") throw new Error(JSON.stringify(outcome));
    const text = answerTexts("take_screenshot", { ...outcome, isUntrusted: false }, "text").join("\n");
    return { ...(outcome.data as unknown as Shot), data: outcome.data, images: outcome.images, text };
  };
  return { ...opened, shot, desktop: opened.backend.desktop };
}

describe("the size of a picture", () => {
  test("follows what vision models charge, unless somebody says a size", async () => {
    const sizes = async (flags: Record<string, string>, args: object = {}) => {
      const { screenshot_pixel_width: width, screenshot_pixel_height: height } = await open(flags).shot({
        mode: "screen",
        ...args,
      });
      return `${width}x${height}`;
    };
    expect(await sizes({})).toBe("1456x819");
    expect(await sizes({}, { max_side: 1568 })).toBe("1568x882");
    expect(await sizes({ maxSide: "1568" })).toBe("1568x882");
    expect(await sizes({ maxSide: "4000" })).toBe("1920x1080");
    expect(await sizes({}, { mode: "window" })).toBe("800x600");
  });

  test("is told in few digits, and exactly in the structure", async () => {
    const { text, screenshot_scale: scale } = await open().shot({ mode: "screen", max_side: 1568 });
    expect(text).toMatch(/, 1568x882 pixels, scale 0\.8167$/m);
    expect(scale).toBe(1568 / 1920);
  });
});

describe("take_screenshot {since}", () => {
  test("shows only what changed, and its pixels can be clicked", async () => {
    const { shot, desktop, call } = open();
    const first = await shot({ window_id: 7 });
    desktop.paint(patch);
    const part = await shot({ since: first.screenshot_id });
    expect(part.images).toHaveLength(1);
    expect(part.data).toMatchObject({ since: first.screenshot_id, bounds: { x: 176, y: 76, width: 108, height: 68 } });
    expect(part.text).toMatch(/^picture \w+, what changed since \w+, 176,76 108x68$/);
    await call("click", { screenshot_id: part.screenshot_id, screenshot_x: 54, screenshot_y: 34 });
    expect(desktop.events).toContain("move 230,110");
  });

  test("sends no picture when nothing has changed", async () => {
    const { shot } = open();
    const first = await shot({ mode: "screen" });
    const again = await shot({ since: first.screenshot_id });
    expect(again.images).toEqual([]);
    expect(again.text).toBe(`nothing has changed since ${first.screenshot_id}`);
    expect(again.data).toMatchObject({ unchanged: true });
  });

  test("shows a window whole that has another size now, and says so", async () => {
    const { shot, desktop } = open();
    const first = await shot({ window_id: 7 });
    desktop.update(7, { bounds: { ...editor.bounds, width: 700 } });
    const { data, images } = await shot({ since: first.screenshot_id });
    expect(images).toHaveLength(1);
    expect(data).toMatchObject({
      bounds: { width: 700, height: 600 },
      warning: expect.stringContaining("another size") as string,
    });
  });

  test.each([
    [{ since: "f1", window_id: 7 }, "invalid_argument"],
    [{ since: "f1", mode: "screen" }, "invalid_argument"],
    [{ since: "f404" }, "not_found"],
  ])("%j is %s", async (args, code) => {
    expect(await open().outcome("take_screenshot", args)).toMatchObject({ envelope: { error: { code } } });
  });

  test("obeys a rule about the window that the earlier picture showed", async () => {
    const file = join(mkdtempSync(join(tmpdir(), "handsight-since-")), "rules.json");
    const rules = [{ tool: "take_screenshot", window: "Editor", verdict: "deny" }];
    writeFileSync(file, JSON.stringify({ rules }));
    const { call, outcome, desktop } = open({ rules: file });
    for (const [tool, args] of [
      ["take_window_screenshot", { window_id: 7 }],
      ["mark_regions", { mode: "screen" }],
    ] as const) {
      const { screenshot_id: since } = await call(tool, args);
      // Another window is in front, so only the earlier picture leads to the one that is denied.
      desktop.open({
        id: 8 + desktop.windows.length,
        title: "Other",
        bounds: { x: 1000, y: 50, width: 300, height: 300 },
      });
      expect(await outcome("take_screenshot", { since })).toMatchObject({ envelope: { error: { code: "denied" } } });
    }
  });
});

test("acting tools send no picture: their lines say what happened", async () => {
  const { outcome } = open();
  for (const [tool, args] of [
    ["click", { x: 300, y: 300 }],
    ["move_mouse", { x: 310, y: 300 }],
    ["scroll", { x: 300, y: 300, delta_y: 100 }],
    ["drag", { start_x: 300, start_y: 300, end_x: 320, end_y: 320 }],
    ["type_text", { text: "a" }],
    ["press_key", { key: "tab" }],
    ["set_window", { action: "front", window_id: 7 }],
  ] as const) {
    expect(await outcome(tool, args), tool).toMatchObject({ kind: "done", images: [] });
  }
});
