import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { keyNames, modifiers, parseChord } from "./keys.ts";

describe("key chords, one parser for every spelling", () => {
  test.each([
    ["ctrl+s", undefined, ["ctrl", "s"]],
    [["ctrl", "s"], undefined, ["ctrl", "s"]],
    ["s", ["ctrl"], ["ctrl", "s"]],
    ["Control+A", undefined, ["ctrl", "a"]],
    ["CTRL + Shift + T", undefined, ["ctrl", "shift", "t"]],
    ["return", ["cmd", "shift"], ["meta", "shift", "enter"]],
    ["alt+F4", undefined, ["alt", "f4"]],
    ["ctrl++", undefined, ["ctrl", "+"]],
    ["+", undefined, ["+"]],
    ["A", undefined, ["A"]],
    ["é", undefined, ["é"]],
    ["🎉", undefined, ["🎉"]],
    [" ", undefined, ["space"]],
    ["PageDown", undefined, ["pagedown"]],
    ["ArrowLeft", undefined, ["left"]],
    ["shift", undefined, ["shift"]],
    [["ctrl", "ctrl", "c"], undefined, ["ctrl", "c"]],
  ])("%j with modifiers %j is %j", (key, extra, chord) => {
    expect(parseChord({ key, modifiers: extra })).toEqual(chord);
  });

  test.each([
    ["", /empty/],
    ["ctrl+", /empty/],
    ["hyper+x", /Unknown key "hyper"/],
    [[], /No key/],
  ])("%j is refused", (key, message) => {
    expect(() => parseChord({ key })).toThrow(message);
  });

  test("a key that is not a modifier is refused among the modifiers", () => {
    expect(() => parseChord({ key: "a", modifiers: ["enter"] })).toThrow(/not a modifier/);
  });

  test("the string, the array and key + modifiers always agree", () => {
    const named = keyNames.filter((name) => !(modifiers as readonly string[]).includes(name) && name !== "altgr");
    fc.assert(
      fc.property(fc.subarray([...modifiers]), fc.constantFrom(...named), (held, key) => {
        const expected = [...held, key];
        expect(parseChord({ key: expected.join("+") })).toEqual(expected);
        expect(parseChord({ key: expected })).toEqual(expected);
        expect(parseChord({ key, modifiers: held })).toEqual(expected);
      }),
    );
  });

  test("never fails with anything but a ToolError", () => {
    fc.assert(
      fc.property(fc.string(), (key) => {
        try {
          expect(parseChord({ key }).length).toBeGreaterThan(0);
        } catch (error) {
          expect((error as Error).name).toBe("ToolError");
        }
      }),
    );
  });
});
