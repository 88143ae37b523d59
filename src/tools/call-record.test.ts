import { describe, expect, test } from "vitest";
import type { Acted } from "../surface/engine/action.ts";
import { Entered, recordCall, type Happened } from "./call-record.ts";
import { enteredFields } from "./entered-fields.ts";
import { allTools } from "./registry.ts";
import type { AnyTool } from "./tool.ts";

function tool(name: string): AnyTool {
  const found = allTools.find((each) => each.name === name);
  if (!found) throw new Error(`there is no tool ${name}`);
  return found;
}

test.each([
  ["press_key", { key: "h" }, ["key"]],
  ["press_key", { key: ["shift", "h"] }, ["key"]],
  ["press_key", { key: "7", modifiers: ["shift"] }, ["key"]],
  ["press_key", { key: "numpad4" }, ["key"]],
  ["press_key", { key: "numpadadd" }, ["key"]],
  ["press_key", { key: "hunter2" }, ["key"]],
  ["press_key", { key: "enter" }, []],
  ["press_key", { key: "ctrl+c" }, []],
  ["press_key", { key: "c", modifiers: ["ctrl"] }, []],
  ["cdp_press_key", { key: "h" }, ["key"]],
  ["act", { action: "key", key: "h" }, ["key"]],
  ["act", { action: "set_value", value: 1234 }, ["value"]],
  ["ui_type", { keys: ["h"] }, ["keys"]],
  ["ui_type", { keys: ["ctrl", "s"] }, []],
  ["ui_type", { text: "h", keys: ["enter"] }, ["text"]],
  ["debug_ui_action", { action: "key", key: "h" }, ["key"]],
  ["cdp_handle_dialog", { action: "accept", prompt_text: "h" }, ["prompt_text"]],
  ["android_press_key", { key: "KEYCODE_7" }, ["key"]],
  ["android_press_key", { key: "numpad 7" }, ["key"]],
  ["android_press_key", { key: "14" }, ["key"]],
  ["android_press_key", { key: "s e-cret!" }, ["key"]],
  ["android_press_key", { key: "KEYCODE_HOME" }, []],
  ["android_press_key", { key: "back" }, []],
  ["android_press_key", { key: "3" }, []],
  ["click", { text: "Save" }, []],
  ["find_text", { text: "Save" }, []],
])("%s %j enters text in %j", (name, given, fields) => {
  expect(enteredFields(tool(name), given)).toEqual(fields);
});

function entered(...shown: readonly (boolean | undefined)[]): Entered {
  const all = new Entered();
  for (const showsText of shown) all.note({ showsText } as Acted);
  return all;
}

const happened = (name: string, change: Partial<Happened> = {}): Happened => ({
  tool: tool(name),
  arguments: { uid: "a1", text: "hunter2" },
  isValid: true,
  ok: true,
  result: { effect: "confirmed", changes: { tree: ["~ textbox value hunter2"] }, target: { window_title: "Log in" } },
  entered: entered(true),
  ...change,
});

const recorded = (call: Happened) => recordCall(call, (text) => text.replaceAll("n4med-s3cret", "[SECRET pin]"));

test("a secret across the place where a long text is cut leaves no part of itself", () => {
  const note = `${"x".repeat(1_990)}n4med-s3cret and ${"y".repeat(100)}`;
  const given = { uid: "a1", note, [note]: 1 };
  const record = JSON.stringify(recorded(happened("click", { arguments: given, result: { note, list: [note] } })));
  expect(record.match(/\[SECRET/g)).toHaveLength(4);
  expect(record).not.toContain("n4m");
});

describe("a record of a call that enters text", () => {
  test("is whole when the field was seen to show all of it", () => {
    const call = happened("type_text");
    expect(recorded(call)).toEqual({ arguments: call.arguments, result: call.result, typed: ["text"] });
    expect(recorded({ ...call, entered: entered(true, undefined) })).toMatchObject({ result: call.result });
  });

  test.each([
    ["the field does not show it", { entered: entered(false) }],
    ["one of two fields does not show it", { entered: entered(true, false) }],
    ["nobody knows the field", { entered: entered() }],
    ["the call failed", { ok: false }],
  ])("holds only its place, and only our own words, when %s", (_when, change) => {
    expect(recorded(happened("type_text", change))).toEqual({
      arguments: { uid: "a1", text: "[REDACTED]" },
      result: { effect: "confirmed", changes: "[REDACTED]", target: { window_title: "Log in" } },
      typed: ["text"],
    });
  });

  test("shows no message of an error: it may quote the text", () => {
    const result = { code: "invalid_argument", message: '"hunter2" is no key', hint: "hunter", retryable: false };
    const kept = { code: "invalid_argument", message: "[REDACTED]", hint: "[REDACTED]", retryable: false };
    expect(recorded(happened("press_key", { ok: false, arguments: { key: "hunter2" }, result })).result).toEqual(kept);
    const invalid = { ok: false, isValid: false, arguments: { key: "hunter2" }, result };
    expect(recorded(happened("press_key", invalid)).result).toEqual(kept);
  });
});

test.each([undefined, tool("type_text"), tool("list_windows")])(
  "of a misspelt tool or field only the names are kept",
  (known) => {
    const bad = { ok: false, isValid: false, tool: known, result: { code: "not_found" } };
    const record = (given: unknown) => recorded(happened("type_text", { ...bad, arguments: given })).arguments;
    expect(record({ txt: "hunter2", deep: { a: ["hunter2"] }, n: 1234 })).toEqual({
      txt: "[REDACTED]",
      deep: "[REDACTED]",
      n: "[REDACTED]",
    });
    expect([record("hunter2"), record(["hunter2"]), record(undefined)]).toEqual(["[REDACTED]", "[REDACTED]", {}]);
  },
);
