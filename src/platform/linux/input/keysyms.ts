import { ToolError } from "../../../base/errors.ts";
import { isCharacter, isModifier, type Key } from "../../../base/keys.ts";

/** X11 keysyms, from keysymdef.h and XF86keysym.h of the X protocol headers. */
export type Keysym = number;

export const shiftKeysyms: readonly Keysym[] = [0xffe1, 0xffe2];
const returnKey = 0xff0d;
const tabKey = 0xff09;

/** The first keysym that the layout has is used. */
const named: Readonly<Record<string, readonly Keysym[]>> = {
  ctrl: [0xffe3, 0xffe4],
  shift: shiftKeysyms,
  alt: [0xffe9, 0xffea, 0xffe7],
  meta: [0xffeb, 0xffec, 0xffe7, 0xffe8],
  // ISO_Level3_Shift, Mode_switch, then a right Alt that is only an Alt.
  altgr: [0xfe03, 0xff7e, 0xffea],
  enter: [returnKey],
  escape: [0xff1b],
  tab: [tabKey],
  space: [0x20],
  backspace: [0xff08],
  delete: [0xffff],
  insert: [0xff63],
  home: [0xff50],
  end: [0xff57],
  pageup: [0xff55],
  pagedown: [0xff56],
  up: [0xff52],
  down: [0xff54],
  left: [0xff51],
  right: [0xff53],
  capslock: [0xffe5],
  numlock: [0xff7f],
  scrolllock: [0xff14],
  printscreen: [0xff61],
  pause: [0xff13],
  menu: [0xff67],
  volumeup: [0x1008ff13],
  volumedown: [0x1008ff11],
  volumemute: [0x1008ff12],
  mediaplay: [0x1008ff14],
  mediastop: [0x1008ff15],
  medianext: [0x1008ff17],
  mediaprevious: [0x1008ff16],
  ...Object.fromEntries(Array.from({ length: 24 }, (_, index) => [`f${index + 1}`, [0xffbe + index]])),
  ...Object.fromEntries(Array.from({ length: 10 }, (_, digit) => [`numpad${digit}`, [0xffb0 + digit]])),
  numpadadd: [0xffab],
  numpadsubtract: [0xffad],
  numpadmultiply: [0xffaa],
  numpaddivide: [0xffaf],
  numpaddecimal: [0xffae],
  numpadenter: [0xff8d],
};

export interface WantedKey {
  /** Any of these will do; the first is the best. */
  readonly keysyms: readonly Keysym[];
  readonly kind: "modifier" | "named" | "character";
}

export function wantedKey(key: Key): WantedKey {
  if (!isCharacter(key)) {
    const keysyms = named[key];
    if (keysyms) return { keysyms, kind: isModifier(key) ? "modifier" : "named" };
  }
  const [character, ...rest] = [...key];
  const keysym = character === undefined || rest.length > 0 ? undefined : toKeysym(character);
  if (keysym !== undefined) return { keysyms: [keysym], kind: "character" };
  throw new ToolError("invalid_argument", `No key gives ${show(key)}.`, {
    hint: 'Use one character or a key name such as "enter", "escape" or "f5".',
  });
}

/** The keysym for one character; undefined for control characters and half surrogate pairs. */
export function toKeysym(character: string): Keysym | undefined {
  if (character === "\n" || character === "\r") return returnKey;
  if (character === "\t") return tabKey;
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x20 || (code >= 0x7f && code < 0xa0) || (code >= 0xd800 && code < 0xe000)) return undefined;
  return code < 0x100 ? code : 0x0100_0000 | code;
}

/** Older keysyms count in the national character sets of their time: the high byte names the set. */
const characterSets: ReadonlyMap<number, string> = new Map([
  [0x01, "iso-8859-2"],
  [0x02, "iso-8859-3"],
  [0x03, "iso-8859-4"],
  [0x05, "iso-8859-6"],
  [0x06, "koi8-u"],
  [0x07, "iso-8859-7"],
  [0x0c, "iso-8859-8"],
  [0x0d, "windows-874"],
]);

/** The character a keysym writes; undefined for one that writes none. */
export function writtenBy(keysym: Keysym): string | undefined {
  if (keysym >= 0x0100_0100 && keysym <= 0x0110_ffff) return String.fromCodePoint(keysym & 0xff_ffff);
  if ((keysym >= 0x20 && keysym < 0x7f) || (keysym >= 0xa0 && keysym < 0x100)) return String.fromCodePoint(keysym);
  if (keysym === 0x20ac) return "€";
  if (keysym >= 0xffaa && keysym <= 0xffb9) return String.fromCodePoint(keysym - 0xff80);
  const set = characterSets.get(keysym >> 8);
  const [character] = set === undefined ? [] : new TextDecoder(set).decode(Uint8Array.of(keysym & 0xff));
  return character === "\ufffd" ? undefined : character;
}

const byKeysym: ReadonlyMap<Keysym, Key> = new Map(
  Object.entries(named)
    .toReversed()
    .flatMap(([key, keysyms]) => keysyms.map((keysym) => [keysym, key] as const)),
);

/** The key as callers name it; undefined for one without a name, such as a dead key. */
export const keyOf = (keysym: Keysym): Key | undefined => byKeysym.get(keysym) ?? writtenBy(keysym);

/**
 * The keysyms to type for a text, in order; throws `invalid_argument` naming every character that no key can type.
 */
export function textToKeysyms(text: string): Keysym[] {
  const keysyms: Keysym[] = [];
  const refused = new Set<string>();
  for (const character of text.replaceAll("\r\n", "\n")) {
    const keysym = toKeysym(character);
    if (keysym === undefined) refused.add(show(character));
    else keysyms.push(keysym);
  }
  if (refused.size === 0) return keysyms;
  throw new ToolError("invalid_argument", `No key types ${[...refused].join(", ")}; nothing was typed.`, {
    hint: "Take these characters out of the text; for keys such as Escape or Backspace use press_key.",
  });
}

function show(text: string): string {
  const codes = Array.from(
    text.slice(0, 20),
    (one) => `U+${(one.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`,
  );
  return codes.length === 0 ? "an empty text" : codes.join(" ");
}
