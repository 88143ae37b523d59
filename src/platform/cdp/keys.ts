import { ToolError } from "../../base/errors.ts";
import { isCharacter, type Key } from "../../base/keys.ts";

export interface KeyDefinition {
  readonly key: string;
  readonly code: string;
  readonly windowsVirtualKeyCode: number;
  readonly text?: string;
  readonly location?: number;
  readonly isKeypad?: boolean;
}

const named: Readonly<Record<string, KeyDefinition>> = {
  ctrl: { key: "Control", code: "ControlLeft", windowsVirtualKeyCode: 17, location: 1 },
  shift: { key: "Shift", code: "ShiftLeft", windowsVirtualKeyCode: 16, location: 1 },
  alt: { key: "Alt", code: "AltLeft", windowsVirtualKeyCode: 18, location: 1 },
  altgr: { key: "AltGraph", code: "AltRight", windowsVirtualKeyCode: 18, location: 2 },
  meta: { key: "Meta", code: "MetaLeft", windowsVirtualKeyCode: 91, location: 1 },
  enter: { key: "Enter", code: "Enter", windowsVirtualKeyCode: 13, text: "\r" },
  escape: { key: "Escape", code: "Escape", windowsVirtualKeyCode: 27 },
  tab: { key: "Tab", code: "Tab", windowsVirtualKeyCode: 9 },
  space: { key: " ", code: "Space", windowsVirtualKeyCode: 32, text: " " },
  backspace: { key: "Backspace", code: "Backspace", windowsVirtualKeyCode: 8 },
  delete: { key: "Delete", code: "Delete", windowsVirtualKeyCode: 46 },
  insert: { key: "Insert", code: "Insert", windowsVirtualKeyCode: 45 },
  home: { key: "Home", code: "Home", windowsVirtualKeyCode: 36 },
  end: { key: "End", code: "End", windowsVirtualKeyCode: 35 },
  pageup: { key: "PageUp", code: "PageUp", windowsVirtualKeyCode: 33 },
  pagedown: { key: "PageDown", code: "PageDown", windowsVirtualKeyCode: 34 },
  up: { key: "ArrowUp", code: "ArrowUp", windowsVirtualKeyCode: 38 },
  down: { key: "ArrowDown", code: "ArrowDown", windowsVirtualKeyCode: 40 },
  left: { key: "ArrowLeft", code: "ArrowLeft", windowsVirtualKeyCode: 37 },
  right: { key: "ArrowRight", code: "ArrowRight", windowsVirtualKeyCode: 39 },
  capslock: { key: "CapsLock", code: "CapsLock", windowsVirtualKeyCode: 20 },
  numlock: { key: "NumLock", code: "NumLock", windowsVirtualKeyCode: 144 },
  scrolllock: { key: "ScrollLock", code: "ScrollLock", windowsVirtualKeyCode: 145 },
  printscreen: { key: "PrintScreen", code: "PrintScreen", windowsVirtualKeyCode: 44 },
  pause: { key: "Pause", code: "Pause", windowsVirtualKeyCode: 19 },
  menu: { key: "ContextMenu", code: "ContextMenu", windowsVirtualKeyCode: 93 },
  volumeup: { key: "AudioVolumeUp", code: "AudioVolumeUp", windowsVirtualKeyCode: 175 },
  volumedown: { key: "AudioVolumeDown", code: "AudioVolumeDown", windowsVirtualKeyCode: 174 },
  volumemute: { key: "AudioVolumeMute", code: "AudioVolumeMute", windowsVirtualKeyCode: 173 },
  mediaplay: { key: "MediaPlayPause", code: "MediaPlayPause", windowsVirtualKeyCode: 179 },
  mediastop: { key: "MediaStop", code: "MediaStop", windowsVirtualKeyCode: 178 },
  medianext: { key: "MediaTrackNext", code: "MediaTrackNext", windowsVirtualKeyCode: 176 },
  mediaprevious: { key: "MediaTrackPrevious", code: "MediaTrackPrevious", windowsVirtualKeyCode: 177 },
  numpadadd: { key: "+", code: "NumpadAdd", windowsVirtualKeyCode: 107, text: "+", isKeypad: true },
  numpadsubtract: { key: "-", code: "NumpadSubtract", windowsVirtualKeyCode: 109, text: "-", isKeypad: true },
  numpadmultiply: { key: "*", code: "NumpadMultiply", windowsVirtualKeyCode: 106, text: "*", isKeypad: true },
  numpaddivide: { key: "/", code: "NumpadDivide", windowsVirtualKeyCode: 111, text: "/", isKeypad: true },
  numpaddecimal: { key: ".", code: "NumpadDecimal", windowsVirtualKeyCode: 110, text: ".", isKeypad: true },
  numpadenter: { key: "Enter", code: "NumpadEnter", windowsVirtualKeyCode: 13, text: "\r", isKeypad: true },
};

// Code and virtual key code of the punctuation on a US keyboard, with and without Shift.
const punctuation: readonly (readonly [string, string, number])[] = [
  ["`~", "Backquote", 192],
  ["-_", "Minus", 189],
  ["=+", "Equal", 187],
  ["[{", "BracketLeft", 219],
  ["]}", "BracketRight", 221],
  ["\\|", "Backslash", 220],
  [";:", "Semicolon", 186],
  ["'\"", "Quote", 222],
  [",<", "Comma", 188],
  [".>", "Period", 190],
  ["/?", "Slash", 191],
];
const shiftedDigits = ")!@#$%^&*(";

/** What a browser needs to know about a key; undefined for a character that no US keyboard has. */
export function defineKey(key: Key): KeyDefinition | undefined {
  const known = named[key];
  if (known) return known;
  const [, functionKey] = /^f(\d{1,2})$/.exec(key) ?? [];
  if (functionKey !== undefined)
    return { key: key.toUpperCase(), code: key.toUpperCase(), windowsVirtualKeyCode: 111 + Number(functionKey) };
  const [, keypad] = /^numpad(\d)$/.exec(key) ?? [];
  if (keypad !== undefined) {
    return {
      key: keypad,
      code: `Numpad${keypad}`,
      windowsVirtualKeyCode: 96 + Number(keypad),
      text: keypad,
      isKeypad: true,
    };
  }
  if (!isCharacter(key)) {
    throw new ToolError("not_supported", `Pages have no key "${key}".`);
  }
  return defineCharacter(key);
}

function defineCharacter(key: string): KeyDefinition | undefined {
  if (/^[a-z]$/i.test(key)) {
    const upper = key.toUpperCase();
    return { key, code: `Key${upper}`, windowsVirtualKeyCode: upper.charCodeAt(0), text: key };
  }
  const digit = /^\d$/.test(key) ? Number(key) : shiftedDigits.indexOf(key);
  if (digit >= 0) return { key, code: `Digit${digit}`, windowsVirtualKeyCode: 48 + digit, text: key };
  const mark = punctuation.find(([characters]) => characters.includes(key));
  return mark && { key, code: mark[1], windowsVirtualKeyCode: mark[2], text: key };
}

const bits: Readonly<Record<string, number>> = { alt: 1, altgr: 1, ctrl: 2, meta: 4, shift: 8 };
export const modifierBits = (held: Iterable<Key>): number => [...held].reduce((sum, key) => sum | (bits[key] ?? 0), 0);
