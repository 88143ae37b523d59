import { describe, expect, test } from "vitest";
import type { AgentAction } from "../action.ts";
import { toComputerActions } from "./anthropic-computer.ts";
import { toGeminiActions } from "./gemini-computer.ts";
import { computerCall, toOpenAiActions } from "./openai-computer.ts";
import { withoutNeedlessLooks, lookAgain } from "./wire.ts";

const usage = { inputTokens: 0, outputTokens: 0, cachedTokens: 0 };
type Case = readonly [string, Record<string, unknown>, readonly AgentAction[]];

describe("Anthropic's computer tool", () => {
  test.each<Case>([
    ["left_click", { coordinate: [3, 4] }, [{ action: "click", x: 3, y: 4 }]],
    ["right_click", { coordinate: [3, 4] }, [{ action: "click", x: 3, y: 4, button: "right" }]],
    ["middle_click", { coordinate: [3, 4] }, [{ action: "click", x: 3, y: 4, button: "middle" }]],
    ["double_click", { coordinate: [3, 4] }, [{ action: "click", x: 3, y: 4, count: 2 }]],
    ["triple_click", { coordinate: [3, 4] }, [{ action: "click", x: 3, y: 4, count: 3 }]],
    ["type", { text: "hello" }, [{ action: "type", text: "hello" }]],
    ["key", { text: "ctrl+s" }, [{ action: "key", key: "ctrl+s" }]],
    [
      "key",
      { text: "Tab", repeat: 2 },
      [
        { action: "key", key: "Tab" },
        { action: "key", key: "Tab" },
      ],
    ],
    ["wait", { duration: 2 }, [{ action: "wait", ms: 2_000 }]],
    ["screenshot", {}, [lookAgain]],
    [
      "scroll",
      { coordinate: [3, 4], scroll_direction: "down", scroll_amount: 5 },
      [{ action: "scroll", x: 3, y: 4, direction: "down", amount: 5 }],
    ],
    [
      "left_click_drag",
      { start_coordinate: [1, 2], coordinate: [3, 4] },
      [{ action: "drag", x: 1, y: 2, to_x: 3, to_y: 4 }],
    ],
  ])("%s %j, as a member of the toolset and as an action of the older tool", (name, input, actions) => {
    expect(toComputerActions(name, input, usage, "")).toEqual(actions);
    expect(toComputerActions("computer", { action: name, ...input }, usage, "")).toEqual(actions);
  });

  test.each<[string, unknown, RegExp]>([
    ["left_click", {}, /needs a coordinate/],
    ["left_click", { coordinate: [1] }, /coordinate/],
    ["left_click", { coordinate: [1, 2], text: "ctrl" }, /cannot be held/],
    ["zoom", { region: [0, 0, 1, 1] }, /not offered/],
    ["type", {}, /needs a text/],
  ])("%s %j goes back to the model with the reason", (name, input, why) => {
    expect(() => toComputerActions(name, input, usage, "")).toThrow(why);
  });

  test("what the model said before the call is its reason", () => {
    expect(toComputerActions("type", { text: "x" }, usage, "The field is empty.")).toEqual([
      { action: "type", text: "x", why: "The field is empty." },
    ]);
  });
});

describe("OpenAI's computer tool", () => {
  const call = (...actions: readonly unknown[]) =>
    toOpenAiActions(
      { type: "computer_call", call_id: "c", pending_safety_checks: [], actions: [...actions] },
      usage,
      "",
    );

  test.each<[unknown, readonly AgentAction[]]>([
    [{ type: "click", button: "wheel", x: 1, y: 2 }, [{ action: "click", x: 1, y: 2, button: "middle" }]],
    [{ type: "double_click", x: 1, y: 2, keys: null }, [{ action: "click", x: 1, y: 2, count: 2 }]],
    [{ type: "keypress", keys: ["CTRL", "S"] }, [{ action: "key", key: "CTRL+S" }]],
    [
      { type: "scroll", x: 1, y: 2, scroll_x: 0, scroll_y: -150 },
      [{ action: "scroll", x: 1, y: 2, direction: "up", amount: 3 }],
    ],
    [
      {
        type: "drag",
        path: [
          { x: 1, y: 2 },
          { x: 9, y: 9 },
          { x: 3, y: 4 },
        ],
      },
      [{ action: "drag", x: 1, y: 2, to_x: 3, to_y: 4 }],
    ],
    [{ type: "type", text: "hi" }, [{ action: "type", text: "hi" }]],
    [{ type: "wait" }, [{ action: "wait", ms: 2_000 }]],
  ])("%j", (one, actions) => {
    expect(call(one)).toEqual(actions);
  });

  test("several actions come in their order; the preview tool has one", () => {
    expect(
      call({ type: "type", text: "a" }, { type: "keypress", keys: ["ENTER"] }).map(({ action }) => action),
    ).toEqual(["type", "key"]);
    const preview = computerCall.parse({ type: "computer_call", call_id: "c", action: { type: "wait" } });
    expect(toOpenAiActions(preview, usage, "")).toEqual([{ action: "wait", ms: 2_000 }]);
  });

  test.each<[unknown, RegExp]>([
    [{ type: "move", x: 1, y: 2 }, /without a click/],
    [{ type: "click", button: "back", x: 1, y: 2 }, /no button/],
    [{ type: "click", button: "left", x: 1, y: 2, keys: ["SHIFT"] }, /cannot be held/],
    [{ type: "fly" }, /type/],
  ])("%j goes back to the model with the reason", (one, why) => {
    expect(() => call(one)).toThrow(why);
  });
});

describe("Gemini's computer tool", () => {
  test.each<Case>([
    ["click", { x: 1, y: 2, intent: "open it" }, [{ action: "click", x: 1, y: 2, why: "open it" }]],
    ["right_click", { x: 1, y: 2 }, [{ action: "click", x: 1, y: 2, button: "right" }]],
    [
      "type",
      { text: "a", press_enter: true },
      [
        { action: "type", text: "a" },
        { action: "key", key: "enter" },
      ],
    ],
    ["hotkey", { keys: ["ctrl", "s"] }, [{ action: "key", key: "ctrl+s" }]],
    ["press_key", { key: "Enter" }, [{ action: "key", key: "Enter" }]],
    ["scroll", { x: 1, y: 2, direction: "down" }, [{ action: "scroll", x: 1, y: 2, direction: "down", amount: 6 }]],
    [
      "drag_and_drop",
      { start_x: 1, start_y: 2, end_x: 3, end_y: 4 },
      [{ action: "drag", x: 1, y: 2, to_x: 3, to_y: 4 }],
    ],
    ["wait", { seconds: 3 }, [{ action: "wait", ms: 3_000 }]],
    ["take_screenshot", {}, [lookAgain]],
    ["click_at", { x: 1, y: 2 }, [{ action: "click", x: 1, y: 2 }]],
    [
      "type_text_at",
      { x: 1, y: 2, text: "a", press_enter: false },
      [
        { action: "click", x: 1, y: 2 },
        { action: "key", key: "ctrl+a" },
        { action: "type", text: "a" },
      ],
    ],
    ["key_combination", { keys: "Control+A" }, [{ action: "key", key: "Control+A" }]],
    [
      "drag_and_drop",
      { x: 1, y: 2, destination_x: 3, destination_y: 4 },
      [{ action: "drag", x: 1, y: 2, to_x: 3, to_y: 4 }],
    ],
    ["wait_5_seconds", {}, [{ action: "wait", ms: 5_000 }]],
  ])("%s %j", (name, args, actions) => {
    expect(toGeminiActions(name, args, usage)).toEqual(actions);
  });

  test.each<[string, unknown, RegExp]>([
    ["click", { x: 1 }, /needs x and y/],
    ["mouse_down", { x: 1, y: 2 }, /not offered/],
    ["scroll", { x: 1, y: 2, direction: "sideways" }, /direction/],
  ])("%s %j goes back to the model with the reason", (name, args, why) => {
    expect(() => toGeminiActions(name, args, usage)).toThrow(why);
  });
});

test("a picture requested beside an action comes anyway", () => {
  const key: AgentAction = { action: "key", key: "a" };
  expect(withoutNeedlessLooks([lookAgain, key, lookAgain])).toEqual([key]);
  expect(withoutNeedlessLooks([lookAgain, lookAgain])).toEqual([lookAgain]);
});
