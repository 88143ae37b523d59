import { describe, expect, test } from "vitest";
import { allTools } from "../../src/tools/registry.ts";
import { compatSets } from "../../src/tools/tool.ts";
import { openFakeSession } from "../support/fake-session.ts";

const asking = openFakeSession({}, { policy: "ask", tools: "all" });
const allowing = openFakeSession({}, { policy: "allow", tools: "all" });

async function codeOf({ outcome }: typeof asking, tool: string, args: unknown): Promise<string> {
  const done = await outcome(tool, args, { canAsk: true });
  return done.kind === "failed" ? done.envelope.error.code : done.kind;
}

describe("a bad argument is refused before anyone is asked", () => {
  const point = { x: 1, y: 2 };
  const bad: readonly (readonly [string, Readonly<Record<string, unknown>>])[] = [
    ["click", { x: 1 }],
    ["click", { ...point, uid: "a1g1" }],
    ["click", { text: "OK", region: 3 }],
    ["click", { selector: "Button:[" }],
    ["click", { window_x: 1, window_y: 1 }],
    ["move_mouse", { screenshot_x: 1, screenshot_y: 1 }],
    ["scroll", point],
    ["scroll", { direction: "up", uid: "a1g1", text: "OK" }],
    ["drag", { start_x: 1, start_y: 1 }],
    ["drag", { start_x: 1, start_y: 1, uid: "a1g1", to_uid: "a2g1" }],
    ["type_text", { text: "a", uid: "a1g1", region: 1 }],
    ["press_key", { key: "nonsense" }],
    ["act", { action: "click" }],
    ["act", { action: "type", uid: "a1g1" }],
    ["act", { action: "key" }],
    ["act", { action: "drag", uid: "a1g1" }],
    ["ax_set_value", { uid: "a1g1" }],
    ["ax_set_value", { text: "a" }],
    ["ax_click", { uid: "a1g1", region: 1 }],
    ["set_window", { action: "close" }],
    ["set_window", { action: "move", window_id: 1 }],
    ["quit_app", { app_name: "a", pid: 2 }],
    ["wait_for", { condition: "element" }],
    ["wait_for", { condition: "window", text: "OK" }],
    ["take_screenshot", { mode: "region" }],
    ["take_screenshot", { mode: "screen", window_id: 1 }],
    ["ocr", { mode: "display" }],
    ["find_elements", { role: "nonsense" }],
    ["find_image", { template_id: "a", screenshot_id: "b", window_id: 1 }],
    ["cdp_navigate", { type: "back", url: "https://example.org" }],
    ["cdp_find_elements", { query: " " }],
    ["android_click", { x: 1 }],
    ["android_swipe", { start_x: 1, start_y: 1, end_x: 2, end_y: 2, screenshot_id: "a", display: 1 }],
  ];

  test.each(bad)("%s %j", async (tool, args) => {
    expect(await codeOf(asking, tool, args)).toBe("invalid_argument");
  });

  // The compatibility sets answer in their own format. These two need no argument: one waits for a person, the other would start a
  // browser.
  const willing = ["pick_element", "cdp_launch"];
  const own = allTools.filter(({ set, name }) => !compatSets.includes(set) && !willing.includes(name));

  test.each(own.map(({ name }) => name))("%s without arguments, when running it would refuse them", async (tool) => {
    if ((await codeOf(allowing, tool, {})) !== "invalid_argument") return;
    expect(await codeOf(asking, tool, {})).toBe("invalid_argument");
  });
});

test("what can be done is asked about", async () => {
  expect(await codeOf(asking, "click", { x: 1, y: 2 })).toBe("ask");
});
