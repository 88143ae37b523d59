import type { Key } from "../../../base/keys.ts";
import { win32 } from "../win32.ts";

/** winuser.h */
const named: Readonly<Record<Key, number>> = {
  ctrl: 0x11,
  shift: 0x10,
  alt: 0x12,
  meta: 0x5b,
  altgr: 0xa5,
  enter: 0x0d,
  escape: 0x1b,
  tab: 0x09,
  space: 0x20,
  backspace: 0x08,
  delete: 0x2e,
  insert: 0x2d,
  home: 0x24,
  end: 0x23,
  pageup: 0x21,
  pagedown: 0x22,
  up: 0x26,
  down: 0x28,
  left: 0x25,
  right: 0x27,
  capslock: 0x14,
  numlock: 0x90,
  scrolllock: 0x91,
  printscreen: 0x2c,
  pause: 0x13,
  menu: 0x5d,
  volumeup: 0xaf,
  volumedown: 0xae,
  volumemute: 0xad,
  mediaplay: 0xb3,
  mediastop: 0xb2,
  medianext: 0xb0,
  mediaprevious: 0xb1,
  numpadadd: 0x6b,
  numpadsubtract: 0x6d,
  numpadmultiply: 0x6a,
  numpaddivide: 0x6f,
  numpaddecimal: 0x6e,
  numpadenter: 0x0d,
  ...Object.fromEntries(Array.from({ length: 24 }, (_, index) => [`f${index + 1}`, 0x70 + index])),
  ...Object.fromEntries(Array.from({ length: 10 }, (_, digit) => [`numpad${digit}`, 0x60 + digit])),
};

const names: ReadonlyMap<number, Key> = new Map(
  Object.entries(named)
    .map(([name, key]) => [key, name])
    .toReversed() as [number, Key][],
);

/** The name of a key that writes nothing, or of the space bar. */
export const nameOf = (key: number): Key | undefined => names.get(key);

/** Keys that came later than the first keyboards; without the mark they are their twins on the number pad. */
const extended: ReadonlySet<Key> = new Set(
  "altgr meta menu insert delete home end pageup pagedown up down left right printscreen numlock numpaddivide numpadenter volumeup volumedown volumemute mediaplay mediastop medianext mediaprevious".split(
    " ",
  ),
);

export interface PhysicalKey {
  readonly key: number;
  readonly scan: number;
  readonly isExtended: boolean;
}

const toScanCode = 0;
/** The high byte of VkKeyScan: which modifiers the layout wants with the key. */
const wanted = [
  { bit: 1, name: "shift" },
  { bit: 2, name: "ctrl" },
  { bit: 4, name: "alt" },
] as const;

export function namedKey(name: Key): PhysicalKey | undefined {
  const key = named[name];
  return key === undefined ? undefined : physical(key, extended.has(name), 0);
}

/**
 * The keys to press for a key by name or character, on the layout of the window in front; undefined when the layout does not have
 * the character.
 */
export function keysFor(name: Key): readonly PhysicalKey[] | undefined {
  const known = namedKey(name);
  if (known) return [known];
  const api = win32();
  const layout = currentLayout();
  const found = name.length === 1 ? api.keyOf(name.charCodeAt(0), layout) : -1;
  if (found === -1) return undefined;
  const modifiers = wanted.flatMap(({ bit, name: modifier }) => ((found >> 8) & bit ? [namedKey(modifier)] : []));
  return [...modifiers.filter((key) => key !== undefined), physical(found & 0xff, false, layout)];
}

export const currentLayout = (): number => win32().layoutOf(win32().threadOf(win32().foreground(), null));

function physical(key: number, isExtended: boolean, layout: number): PhysicalKey {
  return { key, scan: win32().mapKey(key, toScanCode, layout), isExtended };
}
