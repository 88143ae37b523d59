import { ToolError } from "./errors.ts";

/**
 * One name per key, however the caller writes it: `"ctrl+s"`, `["ctrl", "s"]`, `Control+A`, key + modifiers. A key is
 * a modifier, a named key, or one character.
 */
export type Key = string;

/** Keys pressed in this order and released in reverse. */
export type Chord = readonly Key[];

export const modifiers = ["ctrl", "shift", "alt", "meta"] as const;

const named = [
  ...modifiers,
  "altgr",
  "enter",
  "escape",
  "tab",
  "space",
  "backspace",
  "delete",
  "insert",
  "home",
  "end",
  "pageup",
  "pagedown",
  "up",
  "down",
  "left",
  "right",
  "capslock",
  "numlock",
  "scrolllock",
  "printscreen",
  "pause",
  "menu",
  "volumeup",
  "volumedown",
  "volumemute",
  "mediaplay",
  "mediastop",
  "medianext",
  "mediaprevious",
  ...Array.from({ length: 24 }, (_, index) => `f${index + 1}`),
  ...Array.from({ length: 10 }, (_, digit) => `numpad${digit}`),
  "numpadadd",
  "numpadsubtract",
  "numpadmultiply",
  "numpaddivide",
  "numpaddecimal",
  "numpadenter",
] as const;

export const keyNames: readonly string[] = named;
const known: ReadonlySet<string> = new Set(named);

const aliases: ReadonlyMap<string, string> = new Map(
  Object.entries({
    control: "ctrl",
    ctl: "ctrl",
    option: "alt",
    opt: "alt",
    altgraph: "altgr",
    cmd: "meta",
    command: "meta",
    super: "meta",
    win: "meta",
    windows: "meta",
    return: "enter",
    esc: "escape",
    spacebar: "space",
    bksp: "backspace",
    del: "delete",
    ins: "insert",
    pgup: "pageup",
    pgdn: "pagedown",
    pgdown: "pagedown",
    page_up: "pageup",
    page_down: "pagedown",
    prior: "pageup",
    next: "pagedown",
    arrowup: "up",
    arrowdown: "down",
    arrowleft: "left",
    arrowright: "right",
    print: "printscreen",
    prtsc: "printscreen",
    contextmenu: "menu",
    plus: "+",
    minus: "-",
    comma: ",",
    period: ".",
  }),
);

export interface ChordInput {
  readonly key: string | readonly string[];
  readonly modifiers?: readonly string[] | undefined;
}

/** Reads every accepted spelling; throws `invalid_argument` naming the part it does not recognise. */
export function parseChord({ key, modifiers: extra = [] }: ChordInput): Chord {
  const parts = typeof key === "string" ? splitChord(key) : key.flatMap(splitChord);
  const keys = [...extra.flatMap(splitChord).map(modifierName), ...parts.map(keyName)];
  if (keys.length === 0) throw new ToolError("invalid_argument", "No key given.", { hint: 'Name one, e.g. "enter".' });
  const unique = [...new Set(keys)];
  const held = unique.filter(isModifier);
  const struck = unique.filter((name) => !isModifier(name));
  const lone = held.every((name) => name === "shift" || name === "altgr");
  // "Control+A" means the A key: typing a capital would add Shift and change the shortcut.
  return [...held, ...(lone ? struck : struck.map((name) => (isLetter(name) ? name.toLowerCase() : name)))];
}

export function isModifier(key: Key): boolean {
  return key === "altgr" || (modifiers as readonly string[]).includes(key);
}

/** True for a key that stands for one character rather than a named key. */
export function isCharacter(key: Key): boolean {
  return !known.has(key);
}

/** What a chord types into a text field; undefined for a shortcut or a key that types nothing. */
export function writtenBy(chord: Chord): string | undefined {
  if (chord.some((key) => key === "ctrl" || key === "alt" || key === "meta")) return undefined;
  const struck = chord.filter((key) => !isModifier(key)).map(characterOf);
  if (struck.length === 0 || struck.includes(undefined)) return undefined;
  const text = struck.join("");
  return chord.includes("shift") ? text.toUpperCase() : text;
}

function characterOf(key: Key): string | undefined {
  if (key === "space") return " ";
  if (isCharacter(key)) return key;
  return /^numpad(\d)$/.exec(key)?.[1] ?? numpadSigns.get(key);
}

const numpadSigns: ReadonlyMap<Key, string> = new Map([
  ["numpadadd", "+"],
  ["numpadsubtract", "-"],
  ["numpadmultiply", "*"],
  ["numpaddivide", "/"],
  ["numpaddecimal", "."],
]);

const isLetter = (key: Key): boolean => isCharacter(key) && key.toLowerCase() !== key.toUpperCase();

function splitChord(text: string): string[] {
  if (isOneCharacter(text)) return [text];
  // "ctrl++" and "ctrl+-": the last plus is the key, not a separator.
  const plusKey = text.endsWith("++");
  const parts = (plusKey ? text.slice(0, -2) : text).split("+").map((part) => (part === " " ? part : part.trim()));
  return plusKey ? [...parts, "+"] : parts;
}

const isOneCharacter = (text: string): boolean => [...text].length === 1;

function keyName(text: string): Key {
  if (isOneCharacter(text)) return text === " " ? "space" : text;
  const name = text.toLowerCase();
  const full = aliases.get(name) ?? name;
  if (known.has(full) || isOneCharacter(full)) return full;
  throw new ToolError("invalid_argument", text === "" ? "A key name is empty." : `Unknown key "${text}".`, {
    hint: 'Use one character or a name like "enter", "escape", "pagedown", "f5"; join with "+", e.g. "ctrl+shift+t".',
  });
}

function modifierName(text: string): Key {
  const name = keyName(text);
  if (isModifier(name)) return name;
  throw new ToolError("invalid_argument", `"${text}" is not a modifier.`, {
    hint: `Modifiers are ${modifiers.join(", ")}; put other keys in "key".`,
  });
}
