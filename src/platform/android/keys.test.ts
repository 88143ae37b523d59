import { expect, test } from "vitest";
import { keyNames } from "../../base/keys.ts";
import { keyCodeOf, readKeyCode } from "./keys.ts";

test("keys of a keyboard have their Android name", () => {
  expect(["a", "7", "enter", "backspace", "f5", "numpad3", "ctrl"].map(keyCodeOf)).toEqual([
    "KEYCODE_A",
    "KEYCODE_7",
    "KEYCODE_ENTER",
    "KEYCODE_DEL",
    "KEYCODE_F5",
    "KEYCODE_NUMPAD_3",
    "KEYCODE_CTRL_LEFT",
  ]);
  expect(["é", "A", "f20"].map(keyCodeOf)).toEqual([undefined, undefined, undefined]);
});

test("every named key that Android has is one of its key codes [S2-133]", () => {
  const named = keyNames.map(keyCodeOf).filter((code) => code !== undefined);
  expect(named.length).toBeGreaterThan(50);
  expect(named.map(readKeyCode)).toEqual(named);
});

test.each([
  ["KEYCODE_HOME", "KEYCODE_HOME"],
  ["home", "KEYCODE_HOME"],
  ["app switch", "KEYCODE_APP_SWITCH"],
  ["3", "3"],
  ["KEYCODE_3", "KEYCODE_3"],
])("%s is understood [S2-133]", (text, code) => {
  expect(readKeyCode(text)).toBe(code);
});

test.each(["KEYCODE_BAK", "bak", "KEYCODE_HOME; reboot", "0", "$(id)", ""])(
  "%j is refused instead of sent as the key UNKNOWN",
  (text) => {
    expect(() => readKeyCode(text)).toThrow(/is not a key code/);
  },
);

test.each([
  ["KEYCODE_BAK", "Did you mean KEYCODE_BACK?"],
  ["0", "For example KEYCODE_HOME, KEYCODE_BACK, KEYCODE_ENTER, or a number."],
])("for %s the next step is: %s", (text, hint) => {
  expect(() => readKeyCode(text)).toThrow(expect.objectContaining({ details: expect.objectContaining({ hint }) }));
});
