import type { Key } from "../../base/keys.ts";
import { constants } from "./bindings/constants.ts";

/** Virtual key codes by their names in HIToolbox; the facts test compares each. */
export const keyCodes = {
  Return: 0x24,
  Tab: 0x30,
  Space: 0x31,
  Delete: 0x33,
  Escape: 0x35,
  Command: 0x37,
  Shift: 0x38,
  CapsLock: 0x39,
  Option: 0x3a,
  Control: 0x3b,
  RightOption: 0x3d,
  VolumeUp: 0x48,
  VolumeDown: 0x49,
  Mute: 0x4a,
  ANSI_KeypadDecimal: 0x41,
  ANSI_KeypadMultiply: 0x43,
  ANSI_KeypadPlus: 0x45,
  ANSI_KeypadDivide: 0x4b,
  ANSI_KeypadEnter: 0x4c,
  ANSI_KeypadMinus: 0x4e,
  ANSI_Keypad0: 0x52,
  ANSI_Keypad1: 0x53,
  ANSI_Keypad2: 0x54,
  ANSI_Keypad3: 0x55,
  ANSI_Keypad4: 0x56,
  ANSI_Keypad5: 0x57,
  ANSI_Keypad6: 0x58,
  ANSI_Keypad7: 0x59,
  ANSI_Keypad8: 0x5b,
  ANSI_Keypad9: 0x5c,
  F1: 0x7a,
  F2: 0x78,
  F3: 0x63,
  F4: 0x76,
  F5: 0x60,
  F6: 0x61,
  F7: 0x62,
  F8: 0x64,
  F9: 0x65,
  F10: 0x6d,
  F11: 0x67,
  F12: 0x6f,
  F13: 0x69,
  F14: 0x6b,
  F15: 0x71,
  F16: 0x6a,
  F17: 0x40,
  F18: 0x4f,
  F19: 0x50,
  F20: 0x5a,
  Help: 0x72,
  Home: 0x73,
  PageUp: 0x74,
  ForwardDelete: 0x75,
  End: 0x77,
  PageDown: 0x79,
  LeftArrow: 0x7b,
  RightArrow: 0x7c,
  DownArrow: 0x7d,
  UpArrow: 0x7e,
} as const;

/** Named keys that a Mac has. `insert` is where Help is; `menu`, `pause` and the media keys have no code of their own. */
const named: ReadonlyMap<Key, number> = new Map<Key, number>([
  ["ctrl", keyCodes.Control],
  ["shift", keyCodes.Shift],
  ["alt", keyCodes.Option],
  ["altgr", keyCodes.RightOption],
  ["meta", keyCodes.Command],
  ["enter", keyCodes.Return],
  ["escape", keyCodes.Escape],
  ["tab", keyCodes.Tab],
  ["space", keyCodes.Space],
  ["backspace", keyCodes.Delete],
  ["delete", keyCodes.ForwardDelete],
  ["insert", keyCodes.Help],
  ["home", keyCodes.Home],
  ["end", keyCodes.End],
  ["pageup", keyCodes.PageUp],
  ["pagedown", keyCodes.PageDown],
  ["up", keyCodes.UpArrow],
  ["down", keyCodes.DownArrow],
  ["left", keyCodes.LeftArrow],
  ["right", keyCodes.RightArrow],
  ["capslock", keyCodes.CapsLock],
  ["volumeup", keyCodes.VolumeUp],
  ["volumedown", keyCodes.VolumeDown],
  ["volumemute", keyCodes.Mute],
  ["numpadadd", keyCodes.ANSI_KeypadPlus],
  ["numpadsubtract", keyCodes.ANSI_KeypadMinus],
  ["numpadmultiply", keyCodes.ANSI_KeypadMultiply],
  ["numpaddivide", keyCodes.ANSI_KeypadDivide],
  ["numpaddecimal", keyCodes.ANSI_KeypadDecimal],
  ["numpadenter", keyCodes.ANSI_KeypadEnter],
  ...Object.entries(keyCodes).flatMap(([name, code]): [Key, number][] => {
    const digit = /^ANSI_Keypad(\d)$/.exec(name)?.[1];
    if (digit !== undefined) return [[`numpad${digit}`, code]];
    return /^F\d+$/.test(name) ? [[name.toLowerCase(), code]] : [];
  }),
]);

export const codeOfKey = (key: Key): number | undefined => named.get(key);

const modifierFlags: ReadonlyMap<Key, number> = new Map([
  ["shift", constants.kCGEventFlagMaskShift],
  ["ctrl", constants.kCGEventFlagMaskControl],
  ["alt", constants.kCGEventFlagMaskAlternate],
  ["altgr", constants.kCGEventFlagMaskAlternate],
  ["meta", constants.kCGEventFlagMaskCommand],
]);

export const flagOfKey = (key: Key): number => modifierFlags.get(key) ?? 0;

const arrows: ReadonlySet<Key> = new Set(["up", "down", "left", "right"]);
const functional = /^(?:f\d+|home|end|pageup|pagedown|delete|insert)$/;

/** Flags that the key itself brings along on a real keyboard; some apps tell an arrow from a digit by them. */
export function ownFlags(key: Key): number {
  if (arrows.has(key)) return constants.kCGEventFlagMaskNumericPad | constants.kCGEventFlagMaskSecondaryFn;
  if (key.startsWith("numpad")) return constants.kCGEventFlagMaskNumericPad;
  return functional.test(key) ? constants.kCGEventFlagMaskSecondaryFn : 0;
}
