import { ToolError } from "../../base/errors.ts";
import { nearest } from "../../base/nearest.ts";
import type { Key } from "../../base/keys.ts";

/** Android's name for a key of a keyboard (android.view.KeyEvent), without KEYCODE_. */
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

/** Android's key code; undefined for a character that has no key of its own. */
export function keyCodeOf(key: Key): string | undefined {
  const own = named.get(key);
  if (own !== undefined) return `KEYCODE_${own}`;
  if (/^[a-z0-9]$/.test(key)) return `KEYCODE_${key.toUpperCase()}`;
  const [, pad] = /^numpad(\d)$/.exec(key) ?? [];
  if (pad !== undefined) return `KEYCODE_NUMPAD_${pad}`;
  return /^f([1-9]|1[0-2])$/.test(key) ? `KEYCODE_${key.toUpperCase()}` : undefined;
}

const digits = Array.from({ length: 10 }, (_, digit) => String(digit));
const letters = Array.from({ length: 26 }, (_, index) => String.fromCharCode(65 + index));

/**
 * The key codes of android.view.KeyEvent, without KEYCODE_. Android treats any other word as the key UNKNOWN and does
 * nothing, so words are checked here; other keys can be given by number.
 */
const codes: ReadonlySet<string> = new Set([
  ...`SOFT_LEFT SOFT_RIGHT HOME BACK CALL ENDCALL STAR POUND DPAD_UP DPAD_DOWN DPAD_LEFT DPAD_RIGHT DPAD_CENTER VOLUME_UP
    VOLUME_DOWN POWER CAMERA CLEAR COMMA PERIOD ALT_LEFT ALT_RIGHT SHIFT_LEFT SHIFT_RIGHT TAB SPACE SYM EXPLORER ENVELOPE
    ENTER DEL GRAVE MINUS EQUALS LEFT_BRACKET RIGHT_BRACKET BACKSLASH SEMICOLON APOSTROPHE SLASH AT NUM HEADSETHOOK FOCUS
    PLUS MENU NOTIFICATION SEARCH MEDIA_PLAY_PAUSE MEDIA_STOP MEDIA_NEXT MEDIA_PREVIOUS MEDIA_REWIND MEDIA_FAST_FORWARD
    MUTE PAGE_UP PAGE_DOWN PICTSYMBOLS SWITCH_CHARSET BUTTON_A BUTTON_B BUTTON_C BUTTON_X BUTTON_Y BUTTON_Z BUTTON_L1
    BUTTON_R1 BUTTON_L2 BUTTON_R2 BUTTON_THUMBL BUTTON_THUMBR BUTTON_START BUTTON_SELECT BUTTON_MODE ESCAPE FORWARD_DEL
    CTRL_LEFT CTRL_RIGHT CAPS_LOCK SCROLL_LOCK META_LEFT META_RIGHT FUNCTION SYSRQ BREAK MOVE_HOME MOVE_END INSERT FORWARD
    MEDIA_PLAY MEDIA_PAUSE MEDIA_CLOSE MEDIA_EJECT MEDIA_RECORD NUM_LOCK NUMPAD_DIVIDE NUMPAD_MULTIPLY NUMPAD_SUBTRACT
    NUMPAD_ADD NUMPAD_DOT NUMPAD_COMMA NUMPAD_ENTER NUMPAD_EQUALS NUMPAD_LEFT_PAREN NUMPAD_RIGHT_PAREN VOLUME_MUTE INFO
    CHANNEL_UP CHANNEL_DOWN ZOOM_IN ZOOM_OUT TV WINDOW GUIDE DVR BOOKMARK CAPTIONS SETTINGS TV_POWER TV_INPUT STB_POWER
    STB_INPUT AVR_POWER AVR_INPUT PROG_RED PROG_GREEN PROG_YELLOW PROG_BLUE APP_SWITCH LANGUAGE_SWITCH MANNER_MODE 3D_MODE
    CONTACTS CALENDAR MUSIC CALCULATOR ZENKAKU_HANKAKU EISU MUHENKAN HENKAN KATAKANA_HIRAGANA YEN RO KANA ASSIST
    BRIGHTNESS_DOWN BRIGHTNESS_UP MEDIA_AUDIO_TRACK SLEEP WAKEUP PAIRING MEDIA_TOP_MENU LAST_CHANNEL TV_DATA_SERVICE
    VOICE_ASSIST HELP NAVIGATE_PREVIOUS NAVIGATE_NEXT NAVIGATE_IN NAVIGATE_OUT STEM_PRIMARY STEM_1 STEM_2 STEM_3
    DPAD_UP_LEFT DPAD_DOWN_LEFT DPAD_UP_RIGHT DPAD_DOWN_RIGHT MEDIA_SKIP_FORWARD MEDIA_SKIP_BACKWARD MEDIA_STEP_FORWARD
    MEDIA_STEP_BACKWARD SOFT_SLEEP CUT COPY PASTE SYSTEM_NAVIGATION_UP SYSTEM_NAVIGATION_DOWN SYSTEM_NAVIGATION_LEFT
    SYSTEM_NAVIGATION_RIGHT ALL_APPS REFRESH THUMBS_UP THUMBS_DOWN PROFILE_SWITCH`.split(/\s+/),
  ...digits,
  ...letters,
  ...digits.map((digit) => `NUMPAD_${digit}`),
  ...Array.from({ length: 12 }, (_, index) => `F${index + 1}`),
]);

// Anything shorter is too close to every other short name for a suggestion.
const shortestMeant = 3;

/** Converts `KEYCODE_HOME`, `home` or `3` to Android's spelling. */
export function readKeyCode(text: string): string {
  const word = text
    .trim()
    .toUpperCase()
    .replaceAll(/[\s-]+/g, "_");
  const name = word.replace(/^KEYCODE_/, "");
  if (codes.has(name) && (word !== name || !/^\d$/.test(name))) return `KEYCODE_${name}`;
  if (/^\d{1,3}$/.test(word) && word !== "0") return word;
  const words = [...codes].filter((each) => each.length >= shortestMeant);
  const near = name.length < shortestMeant ? undefined : nearest(name, words);
  throw new ToolError("invalid_argument", `"${text.slice(0, 60)}" is not a key code.`, {
    hint: near
      ? `Did you mean KEYCODE_${near}?`
      : "For example KEYCODE_HOME, KEYCODE_BACK, KEYCODE_ENTER, or a number.",
  });
}
