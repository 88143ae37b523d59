import { screenPoint } from "../../../base/geometry.ts";
import type { Chord, Key } from "../../../base/keys.ts";
import type { Button, HeardEvent } from "../../backend.ts";
import type { RawInput } from "../messages/protocol.ts";
import { win32 } from "../win32.ts";
import { currentLayout, nameOf } from "./keys.ts";

type Mouse =
  | { readonly kind: "move" }
  | { readonly kind: "down" | "up"; readonly button: Button }
  | { readonly kind: "wheel"; readonly notches: { readonly x: number; readonly y: number } };

const notch = 120;
const buttons: Readonly<Record<number, readonly ["down" | "up", Button]>> = {
  0x201: ["down", "left"],
  0x202: ["up", "left"],
  0x204: ["down", "right"],
  0x205: ["up", "right"],
  0x207: ["down", "middle"],
  0x208: ["up", "middle"],
};

export function toMouse(raw: RawInput): Mouse | undefined {
  if (raw.kind !== "mouse") return undefined;
  const { message, data } = raw;
  const turned = (data >> 16) / notch;
  if (message === 0x200) return { kind: "move" };
  if (message === 0x20a) return { kind: "wheel", notches: { x: 0, y: -turned } };
  if (message === 0x20e) return { kind: "wheel", notches: { x: turned, y: 0 } };
  if (message === 0x20b || message === 0x20c) {
    return { kind: message === 0x20b ? "down" : "up", button: data >> 16 === 1 ? "back" : "forward" };
  }
  const [kind, button] = buttons[message] ?? [];
  return kind === undefined || button === undefined ? undefined : { kind, button };
}

/** winuser.h: the keys of modifiers, left and right. */
const modifierKeys: Readonly<Record<number, Key>> = {
  0x10: "shift",
  0xa0: "shift",
  0xa1: "shift",
  0x11: "ctrl",
  0xa2: "ctrl",
  0xa3: "ctrl",
  0x12: "alt",
  0xa4: "alt",
  0xa5: "altgr",
  0x5b: "meta",
  0x5c: "meta",
};
const order: readonly Key[] = ["ctrl", "shift", "alt", "meta", "altgr"];
/** A character that was sent without a key. */
const packet = 0xe7;
const capsLock = 0x14;
const keepState = 4;

/** Windows reports a left Ctrl of its own before every AltGr; it would turn the character into a shortcut. */
const [leftControl, altGrScan] = [0xa2, 0x21d];

/** Turns what the hooks report into the keys and the text that the layout makes of them. */
export class HeardInput {
  readonly #down = new Set<number>();

  hear(raw: RawInput): HeardEvent | undefined {
    if (raw.kind === "key") return this.#hearKey(raw);
    const mouse = toMouse(raw);
    const at = screenPoint(raw.x, raw.y);
    if (mouse?.kind === "wheel") return { kind: "wheel", at, notches: mouse.notches, ms: raw.ms };
    if (!mouse || mouse.kind === "move") return undefined;
    return { kind: mouse.kind, at, button: mouse.button, held: this.#held, ms: raw.ms };
  }

  get #held(): Chord {
    const names = new Set([...this.#down].map((key) => modifierKeys[key]));
    return order.filter((name) => names.has(name));
  }

  #hearKey({ key, scan, isDown, ms }: Extract<RawInput, { kind: "key" }>): HeardEvent | undefined {
    if (key === leftControl && scan === altGrScan) return undefined;
    if (modifierKeys[key] !== undefined) {
      if (isDown) this.#down.add(key);
      else this.#down.delete(key);
      return undefined;
    }
    if (!isDown) return undefined;
    const held = this.#held;
    const isShortcut = held.some((name) => name === "ctrl" || name === "alt" || name === "meta");
    const text = isShortcut ? undefined : key === packet ? String.fromCharCode(scan) : this.#written(key, scan);
    const name = nameOf(key) ?? (isShortcut ? this.#plain(key) : text);
    if (name === undefined) return undefined;
    // Shift and AltGr are in the character itself.
    const isCharacter = [...name].length === 1 && !isShortcut;
    const before = isCharacter || name === "space" ? held.filter((each) => each !== "shift" && each !== "altgr") : held;
    return { kind: "key", chord: [...before, name], ...(text === undefined ? {} : { text }), ms };
  }

  /** The character on the key alone. */
  #plain(key: number): Key | undefined {
    const code = win32().mapKey(key, 2, currentLayout()) & 0xffff;
    return code === 0 ? undefined : String.fromCharCode(code).toLowerCase();
  }

  #written(key: number, scan: number): string | undefined {
    const state = Buffer.alloc(256);
    for (const down of this.#down) state[down] = 0x80;
    const held = this.#held;
    if (held.includes("shift")) state[0x10] = 0x80;
    if (held.includes("ctrl") || held.includes("altgr")) state[0x11] = 0x80;
    if (held.includes("alt") || held.includes("altgr")) state[0x12] = 0x80;
    state[capsLock] = win32().toggled(capsLock) & 1;
    const out = Buffer.alloc(16);
    const count = win32().toUnicode(key, scan, state, out, out.length / 2, keepState, currentLayout());
    const text = out.toString("utf16le", 0, Math.max(0, count) * 2);
    return text === "" || text < " " ? undefined : text;
  }
}
