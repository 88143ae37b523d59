// android.view.KeyEvent: the names from 0 on, and later ones that a test may press.
const first = [
  ..."UNKNOWN SOFT_LEFT SOFT_RIGHT HOME BACK CALL ENDCALL 0 1 2 3 4 5 6 7 8 9 STAR POUND DPAD_UP DPAD_DOWN".split(" "),
  ..."DPAD_LEFT DPAD_RIGHT DPAD_CENTER VOLUME_UP VOLUME_DOWN POWER CAMERA CLEAR".split(" "),
  ..."ABCDEFGHIJKLMNOPQRSTUVWXYZ",
  ..."COMMA PERIOD ALT_LEFT ALT_RIGHT SHIFT_LEFT SHIFT_RIGHT TAB SPACE SYM EXPLORER ENVELOPE ENTER DEL".split(" "),
  ..."GRAVE MINUS EQUALS LEFT_BRACKET RIGHT_BRACKET BACKSLASH SEMICOLON APOSTROPHE SLASH AT NUM".split(" "),
  ..."HEADSETHOOK FOCUS PLUS MENU NOTIFICATION SEARCH MEDIA_PLAY_PAUSE MEDIA_STOP MEDIA_NEXT".split(" "),
  ..."MEDIA_PREVIOUS MEDIA_REWIND MEDIA_FAST_FORWARD MUTE PAGE_UP PAGE_DOWN".split(" "),
];

const later: Readonly<Record<string, number>> = {
  ESCAPE: 111,
  FORWARD_DEL: 112,
  CTRL_LEFT: 113,
  CTRL_RIGHT: 114,
  CAPS_LOCK: 115,
  META_LEFT: 117,
  MOVE_HOME: 122,
  MOVE_END: 123,
  F1: 131,
  VOLUME_MUTE: 164,
  SETTINGS: 176,
  APP_SWITCH: 187,
  ASSIST: 219,
  SLEEP: 223,
  WAKEUP: 224,
  CUT: 277,
  COPY: 278,
  PASTE: 279,
};

const codes = new Map([...first.map((name, code) => [name, code] as const), ...Object.entries(later)]);
const names = new Map([...codes].map(([name, code]) => [code, name]));

/**
 * As KeyEvent.keyCodeFromString: a number, or a name with or without its prefix; anything else is the unknown key.
 */
export function keyCodeOf(text: string): number {
  if (/^\d+$/.test(text)) return Number(text);
  return codes.get(text.replace(/^KEYCODE_/, "")) ?? 0;
}

export const keyName = (code: number): string => names.get(code) ?? String(code);
