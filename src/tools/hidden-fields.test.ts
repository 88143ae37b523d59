import { expect, test } from "vitest";
import { Secrets } from "../journal/secrets.ts";
import { allTools } from "./registry.ts";
import { hiddenFields, rememberEntered } from "./hidden-fields.ts";
import type { AnyTool } from "./tool.ts";

function tool(name: string): AnyTool {
  const found = allTools.find((each) => each.name === name);
  if (!found) throw new Error(`there is no tool ${name}`);
  return found;
}

test.each([
  ["press_key", { key: "h" }, true],
  ["press_key", { key: ["shift", "h"] }, true],
  ["press_key", { key: "7", modifiers: ["shift"] }, true],
  ["press_key", { key: "numpad4" }, true],
  ["press_key", { key: "hunter2" }, true],
  ["press_key", { key: "enter" }, false],
  ["press_key", { key: "ctrl+c" }, false],
  ["press_key", { key: "c", modifiers: ["ctrl"] }, false],
  ["cdp_press_key", { key: "h" }, true],
  ["act", { action: "key", key: "h" }, true],
  ["ui_type", { keys: ["h"] }, true],
  ["ui_type", { keys: ["ctrl", "s"] }, false],
  ["debug_ui_action", { action: "key", key: "h" }, true],
])("%s %j hides the key from records: %j", (name, given, isHidden) => {
  const hidden = hiddenFields(tool(name), given);
  expect(hidden.includes("key") && hidden.includes("keys")).toBe(isHidden);
});

test("letters pressed one by one are one text to the secrets, corrections included", () => {
  const secrets = new Secrets();
  const press = (key: string) => rememberEntered(tool("press_key"), { key }, secrets);
  for (const key of ["tab", "h", "u", "n", "t", "x", "backspace", "e", "shift+r", "2"]) press(key);
  expect(secrets.forRecord("the field says hunteR2 now")).toBe("the field says [REDACTED] now");
  expect(secrets.forRecord("hunt")).toBe("hunt");
  for (const key of ["enter", "o", "t", "h", "e", "r"]) press(key);
  expect(secrets.forRecord("hunteR2 and other")).toBe("[REDACTED] and [REDACTED]");
});
