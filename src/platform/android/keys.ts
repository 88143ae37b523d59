import { ToolError } from "../../base/errors.ts";
import { nearest } from "../../base/nearest.ts";
import type { Key } from "../../base/keys.ts";

/** Android's name of a key on a keyboard (android.view.KeyEvent), without KEYCODE_. */
const named: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ctrl: "CTRL_LEFT",
    shift: "SHIFT_LEFT",
    alt: "ALT_LEFT",
    meta: "META_LEFT",
    altgr: "ALT_RIGHT",
    enter: "ENTER",
    escape: "ESCAPE",
    tab: "TAB",
    space: "SPACE",
    backspace: "DEL",
    delete: "FORWARD_DEL",
    insert: "INSERT",
    home: "MOVE_HOME",
    end: "MOVE_END",
    pageup: "PAGE_UP",
    pagedown: "PAGE_DOWN",
    up: "DPAD_UP",
    down: "DPAD_DOWN",
    left: "DPAD_LEFT",
    right: "DPAD_RIGHT",
    capslock: "CAPS_LOCK",
    numlock: "NUM_LOCK",
    scrolllock: "SCROLL_LOCK",
    printscreen: "SYSRQ",
    pause: "BREAK",
    menu: "MENU",
    volumeup: "VOLUME_UP",
    volumedown: "VOLUME_DOWN",
    volumemute: "VOLUME_MUTE",
    mediaplay: "MEDIA_PLAY_PAUSE",
    mediastop: "MEDIA_STOP",
    medianext: "MEDIA_NEXT",
    mediaprevious: "MEDIA_PREVIOUS",
    numpadadd: "NUMPAD_ADD",
    numpadsubtract: "NUMPAD_SUBTRACT",
    numpadmultiply: "NUMPAD_MULTIPLY",
    numpaddivide: "NUMPAD_DIVIDE",
    numpaddecimal: "NUMPAD_DOT",
    numpadenter: "NUMPAD_ENTER",
    " ": "SPACE",
    ",": "COMMA",
    ".": "PERIOD",
    "-": "MINUS",
    "=": "EQUALS",
    "[": "LEFT_BRACKET",
    "]": "RIGHT_BRACKET",
    "\\": "BACKSLASH",
    ";": "SEMICOLON",
    "'": "APOSTROPHE",
    "/": "SLASH",
    "`": "GRAVE",
    "@": "AT",
    "#": "POUND",
    "*": "STAR",
    "+": "PLUS",
  }),
);

/** The key of a keyboard; undefined for a character that no key of its own stands for. */
export function keyCodeOf(key: Key): string | undefined {
  const own = named.get(key);
  if (own !== undefined) return `KEYCODE_${own}`;
  if (/^[a-z0-9]$/.test(key)) return `KEYCODE_${key.toUpperCase()}`;
  const [, pad] = /^numpad(\d)$/.exec(key) ?? [];
  if (pad !== undefined) return `KEYCODE_NUMPAD_${pad}`;
  return /^f([1-9]|1[0-2])$/.test(key) ? `KEYCODE_${key.toUpperCase()}` : undefined;
}

/** What people press on a device itself. */
const buttons = [
  "HOME",
  "BACK",
  "APP_SWITCH",
  "POWER",
  "WAKEUP",
  "SLEEP",
  "MENU",
  "SEARCH",
  "ENTER",
  "DEL",
  "TAB",
  "SPACE",
  "ESCAPE",
  "VOLUME_UP",
  "VOLUME_DOWN",
  "VOLUME_MUTE",
  "CAMERA",
  "CALL",
  "ENDCALL",
  "NOTIFICATION",
  "SETTINGS",
  "PASTE",
  "COPY",
  "CUT",
  "DPAD_UP",
  "DPAD_DOWN",
  "DPAD_LEFT",
  "DPAD_RIGHT",
  "DPAD_CENTER",
  "MOVE_HOME",
  "MOVE_END",
  "PAGE_UP",
  "PAGE_DOWN",
  "FORWARD_DEL",
  "MEDIA_PLAY_PAUSE",
  "MEDIA_NEXT",
  "MEDIA_PREVIOUS",
] as const;

/** `KEYCODE_HOME`, `home`, `3`: as Android names it. What Android does not know is refused by Android. */
export function readKeyCode(text: string): string {
  const word = text
    .trim()
    .toUpperCase()
    .replaceAll(/[\s-]+/g, "_");
  if (/^\d{1,3}$/.test(word)) return word;
  const name = word.replace(/^KEYCODE_/, "");
  if (/^[A-Z0-9_]{1,40}$/.test(name) && (word !== name || isKnown(name))) return `KEYCODE_${name}`;
  const near = nearest(name, [...buttons]);
  throw new ToolError("invalid_argument", `"${text.slice(0, 60)}" is no key code.`, {
    hint: near ? `Did you mean KEYCODE_${near}?` : "For example KEYCODE_HOME, KEYCODE_BACK, KEYCODE_ENTER.",
  });
}

function isKnown(name: string): boolean {
  return (
    (buttons as readonly string[]).includes(name) ||
    [...named.values()].includes(name) ||
    keyCodeOf(name.toLowerCase()) === `KEYCODE_${name}`
  );
}
