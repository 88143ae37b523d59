import type { Chord, Key } from "../../../base/keys.ts";
import type { KeyRow } from "./keymap.ts";
import { keyOf, writtenBy, type Keysym } from "./keysyms.ts";
import { modifierBits } from "./xkb.ts";

/** What the server says besides which keys go down. */
export interface Locked {
  /** Caps Lock, Num Lock. */
  readonly modifiers: number;
  /** The layout in use. */
  readonly group: number;
}

export interface HeardKey {
  readonly chord: Chord;
  readonly text?: string | undefined;
}

const [level3, modeSwitch] = [0xfe03, 0xff7e];
const isDead = (keysym: Keysym): boolean => keysym >= 0xfe50 && keysym <= 0xfe93;

/** The combining character that each dead key adds to the letter after it. */
const combining: ReadonlyMap<Keysym, string> = new Map([
  [0xfe50, "\u0300"],
  [0xfe51, "\u0301"],
  [0xfe52, "\u0302"],
  [0xfe53, "\u0303"],
  [0xfe54, "\u0304"],
  [0xfe55, "\u0306"],
  [0xfe56, "\u0307"],
  [0xfe57, "\u0308"],
  [0xfe58, "\u030a"],
  [0xfe59, "\u030b"],
  [0xfe5a, "\u030c"],
  [0xfe5b, "\u0327"],
  [0xfe5c, "\u0328"],
  [0xfe60, "\u0323"],
  [0xfe61, "\u0309"],
  [0xfe62, "\u031b"],
]);

/** What a dead key writes when it is followed by itself or by a space. */
const alone: ReadonlyMap<Keysym, string> = new Map([
  [0xfe50, "`"],
  [0xfe51, "´"],
  [0xfe52, "^"],
  [0xfe53, "~"],
  [0xfe54, "¯"],
  [0xfe57, "¨"],
  [0xfe58, "°"],
  [0xfe5b, "¸"],
]);

/** Turns keycodes that go down and up into the keys and the text that the layout makes of them. */
export class HeardKeys {
  readonly #rows: ReadonlyMap<number, KeyRow>;
  readonly #modifiers: ReadonlyMap<number, number>;
  readonly #down: Set<number>;
  #dead: Keysym | undefined;

  /** `down` are the keys that are held already. */
  constructor(rows: readonly KeyRow[], modifiers: ReadonlyMap<number, number>, down: Iterable<number> = []) {
    this.#rows = new Map(rows.map((row) => [row.keycode, row]));
    this.#modifiers = modifiers;
    this.#down = new Set(down);
  }

  /** The keys that are held now. */
  get down(): ReadonlySet<number> {
    return this.#down;
  }

  /** Modifiers that are held now. */
  get held(): Chord {
    const keys = [...this.#down].filter((code) => this.#modifiers.has(code)).map((code) => this.#keyAlone(code));
    const names = new Set(keys.filter((key) => key !== undefined));
    return ["ctrl", "shift", "alt", "meta", "altgr"].filter((name) => names.has(name));
  }

  isModifier(keycode: number): boolean {
    return this.#modifiers.has(keycode);
  }

  /** Undefined for a modifier: it is part of the key that follows. */
  press(keycode: number, locked: Locked): HeardKey | undefined {
    this.#down.add(keycode);
    if (this.isModifier(keycode)) return undefined;
    const keysym = this.#keysym(keycode, locked);
    const { held } = this;
    const isShortcut = held.some((key) => key === "ctrl" || key === "alt" || key === "meta");
    const written = isShortcut ? undefined : this.#write(keysym);
    const key = (isShortcut ? this.#keyAlone(keycode) : undefined) ?? keyOf(keysym);
    if (key === undefined) return written === undefined ? undefined : { chord: [], text: written };
    // Shift and AltGr are in the character itself.
    const isCharacter = [...key].length === 1 && !isShortcut;
    const before = isCharacter || key === "space" ? held.filter((each) => each !== "shift" && each !== "altgr") : held;
    return { chord: [...before, key], ...(written === undefined ? {} : { text: written }) };
  }

  release(keycode: number): void {
    this.#down.delete(keycode);
  }

  #keyAlone(keycode: number): Key | undefined {
    return keyOf(this.#rows.get(keycode)?.levels[0] ?? 0);
  }

  #write(keysym: Keysym): string | undefined {
    const dead = this.#dead;
    this.#dead = undefined;
    if (isDead(keysym) && dead !== keysym) {
      this.#dead = keysym;
      return undefined;
    }
    const text = isDead(keysym) ? (alone.get(keysym) ?? "") : writtenBy(keysym);
    if (dead === undefined || dead === keysym || text === undefined) return text;
    if (text === " ") return alone.get(dead) ?? "";
    return `${text}${combining.get(dead) ?? ""}`.normalize("NFC");
  }

  #keysym(keycode: number, { modifiers, group }: Locked): Keysym {
    const row = this.#rows.get(keycode);
    if (!row) return 0;
    const { otherGroups = [], isShiftable } = row;
    const levels = (group === 0 ? undefined : otherGroups[(group - 1) % Math.max(1, otherGroups.length)]) ?? row.levels;
    const { held } = this;
    const hasShift = held.includes("shift");
    const [plain = 0, shifted = 0] = levels;
    const hasCase = (writtenBy(plain) ?? "").toUpperCase() === writtenBy(shifted) && plain !== shifted;
    const isLocked = isShiftable
      ? hasCase && (modifiers & modifierBits.lock) !== 0
      : (modifiers & modifierBits.mod2) !== 0;
    const shift = hasShift !== isLocked ? 1 : 0;
    const third = this.#hasLevel3 ? 2 : 0;
    return levels[third + shift] || levels[third] || levels[shift] || plain;
  }

  get #hasLevel3(): boolean {
    return [...this.#down].some((code) => {
      const keysym = this.#rows.get(code)?.levels[0];
      return keysym === level3 || keysym === modeSwitch;
    });
  }
}
