import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { keyNames } from "../../../base/keys.ts";
import { textToKeysyms, toKeysym, wantedKey } from "./keysyms.ts";

describe("characters", () => {
  test("Latin-1 stands for itself, everything else is marked as Unicode", () => {
    expect(toKeysym("a")).toBe(0x61);
    expect(toKeysym("ß")).toBe(0xdf);
    expect(toKeysym("—")).toBe(0x0100_2014);
    expect(toKeysym("🎉")).toBe(0x0101_f389);
  });

  test("different characters have different keysyms", () => {
    const character = fc
      .string({ unit: "binary", minLength: 1, maxLength: 1 })
      .filter((one) => toKeysym(one) !== undefined);
    fc.assert(
      fc.property(character, character, (a, b) => {
        const isSameKey = a === b || [a, b].every((one) => one === "\r" || one === "\n");
        expect(toKeysym(a) === toKeysym(b)).toBe(isSameKey);
      }),
    );
  });

  test("a text becomes one keysym per character, CRLF counting once", () => {
    expect(textToKeysyms("a\r\nb\n\r")).toEqual([0x61, 0xff0d, 0x62, 0xff0d, 0xff0d]);
    expect(textToKeysyms("")).toEqual([]);
  });

  test("characters that no key types are named, each once", () => {
    expect(() => textToKeysyms("a\u0000b\u0000c\u007f\ud83c")).toThrow(
      "No key types U+0000, U+007F, U+D83C; nothing was typed.",
    );
  });
});

describe("keys by name", () => {
  test("every name has a keysym", () => {
    expect(keyNames.filter((name) => wantedKey(name).keysyms.length === 0)).toEqual([]);
  });

  test("modifiers, named keys and characters are distinguished", () => {
    expect(wantedKey("altgr").kind).toBe("modifier");
    expect(wantedKey("f24")).toEqual({ kind: "named", keysyms: [0xffd5] });
    expect(wantedKey("numpad9")).toEqual({ kind: "named", keysyms: [0xffb9] });
    expect(wantedKey("é")).toEqual({ kind: "character", keysyms: [0xe9] });
  });

  test.each(["", "ab", "\u0000", "\ud800"])("%j is not a key", (key) => {
    expect(() => wantedKey(key)).toThrow(/^No key gives/u);
  });
});
