import { describe, expect, test } from "vitest";
import { HeardKeys } from "./heard-keys.ts";
import type { KeyRow } from "./keymap.ts";
import { toKeysym } from "./keysyms.ts";

const code = {
  shift: 50,
  ctrl: 37,
  altgr: 108,
  q: 24,
  two: 11,
  acute: 21,
  e: 26,
  space: 65,
  enter: 36,
  kp7: 79,
  f: 41,
};
const symbols = (text: string): number[] => [...text].map((each) => toKeysym(each) ?? 0);
const rows: readonly KeyRow[] = [
  { keycode: code.shift, levels: [0xffe1], isShiftable: true, isModifier: true },
  { keycode: code.ctrl, levels: [0xffe3], isShiftable: true, isModifier: true },
  { keycode: code.altgr, levels: [0xfe03], isShiftable: true, isModifier: true },
  // A German keyboard, with a Russian one to switch to.
  { keycode: code.q, levels: symbols("qQ@Ω"), otherGroups: [[0x6ca, 0x6ea]], isShiftable: true, isModifier: false },
  { keycode: code.two, levels: symbols('2"²'), isShiftable: true, isModifier: false },
  { keycode: code.acute, levels: [0xfe51, 0xfe50], isShiftable: true, isModifier: false },
  { keycode: code.e, levels: symbols("eE€"), isShiftable: true, isModifier: false },
  { keycode: code.space, levels: [0x20], isShiftable: true, isModifier: false },
  { keycode: code.enter, levels: [0xff0d], isShiftable: true, isModifier: false },
  { keycode: code.kp7, levels: [0xff95, 0xffb7], isShiftable: false, isModifier: false },
];
const modifiers = new Map([
  [code.shift, 1],
  [code.ctrl, 4],
  [code.altgr, 128],
]);
const open = () => new HeardKeys(rows, modifiers);
const plain = { modifiers: 0, group: 0 };

/** What these keys write, each pressed with the modifiers before it. */
function writes(strokes: readonly (readonly number[])[], locked = plain): string {
  const keys = open();
  return strokes
    .map((stroke) => {
      const heard = stroke.map((each) => keys.press(each, locked)).at(-1);
      for (const each of stroke) keys.release(each);
      return heard?.text ?? "";
    })
    .join("");
}

describe("keys that are heard", () => {
  test("write what the layout says, with Shift, AltGr and dead keys", () => {
    expect(writes([[code.q], [code.shift, code.q], [code.altgr, code.q], [code.shift, code.two]])).toBe('qQ@"');
    expect(writes([[code.acute], [code.e], [code.acute], [code.shift, code.e], [code.altgr, code.e]])).toBe("éÉ€");
    expect(writes([[code.acute], [code.space], [code.acute], [code.acute]])).toBe("´´");
    expect(writes([[code.q], [code.shift, code.q]], { modifiers: 0, group: 1 })).toBe("йЙ");
  });

  test("obey Caps Lock for letters alone, and Num Lock on the keypad", () => {
    expect(writes([[code.q], [code.shift, code.q], [code.two]], { modifiers: 2, group: 0 })).toBe("Qq2");
    expect(writes([[code.kp7]], { modifiers: 16, group: 0 })).toBe("7");
    expect(writes([[code.kp7]])).toBe("");
  });

  test("are named as press_key takes them", () => {
    const keys = open();
    expect(keys.press(code.enter, plain)).toEqual({ chord: ["enter"] });
    keys.press(code.ctrl, plain);
    keys.press(code.shift, plain);
    expect(keys.press(code.q, plain)).toEqual({ chord: ["ctrl", "shift", "q"] });
    expect(keys.held).toEqual(["ctrl", "shift"]);
    keys.release(code.ctrl);
    expect(keys.press(code.q, plain)).toEqual({ chord: ["Q"], text: "Q" });
  });
});
