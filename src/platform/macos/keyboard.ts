import { sleep, throwIfCancelled } from "../../base/async.ts";
import { ToolError } from "../../base/errors.ts";
import { isModifier, type Key } from "../../base/keys.ts";
import type { CallOptions, Keyboard, TypeOptions } from "../backend.ts";
import { constants } from "./bindings/constants.ts";
import { codeOfKey, flagOfKey, keyCodes, ownFlags } from "./key-codes.ts";
import { readLayout, type Stroke } from "./layout.ts";
import type { Mac } from "./mac.ts";
import { needPermission, needUnlocked } from "./permissions.ts";

/** One event carries no more UTF-16 units (reported, unverified). */
const mostUnits = 20;

export class MacKeyboard implements Keyboard, AsyncDisposable {
  readonly #mac: Mac;
  /** Resolves once the focused app has handled earlier input, as far as it can be asked. */
  readonly #drained: () => void;
  readonly #held = new Map<Key, Stroke>();

  constructor(mac: Mac, drained: () => void) {
    this.#mac = mac;
    this.#drained = drained;
  }

  async down(key: Key, { signal }: CallOptions = {}): Promise<void> {
    this.#check(signal);
    const stroke = this.#strokeOf(key);
    this.#held.set(key, stroke);
    this.#post(stroke.code, true, this.#flags() | stroke.flags);
  }

  /** Takes no signal: what is down must be released even if the call was cancelled. */
  async up(key: Key): Promise<void> {
    this.#release(key);
  }

  async text(text: string, { delayMs = 0, signal }: TypeOptions = {}): Promise<void> {
    this.#check(signal);
    const held = [...this.#held.keys()].filter(isModifier);
    if (held.length > 0 || this.#flagsOfPerson() !== 0) {
      throw new ToolError(
        "not_supported",
        "A modifier key is held, so text would turn into shortcuts; nothing was typed.",
        {
          hint: "Release it first.",
        },
      );
    }
    const strokes = readLayout(this.#mac);
    for (const piece of piecesOf(text, (character) => strokes.has(character), delayMs > 0)) {
      throwIfCancelled(signal);
      const stroke = strokeOf(piece, strokes);
      for (const isDown of [true, false]) this.#post(stroke.code, isDown, stroke.flags, stroke.text);
      if (delayMs > 0) await sleep(delayMs, signal);
    }
    this.#drained();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const key of this.#held.keys()) this.#release(key);
  }

  #check(signal: AbortSignal | undefined): void {
    throwIfCancelled(signal);
    needPermission(this.#mac, "Accessibility");
    needUnlocked(this.#mac);
  }

  #release(key: Key): void {
    const { code, flags } = this.#held.get(key) ?? this.#strokeOf(key);
    this.#held.delete(key);
    this.#post(code, false, this.#flags() | (isModifier(key) ? 0 : flags));
  }

  #flags(): number {
    return [...this.#held.keys()].reduce((flags, key) => flags | flagOfKey(key), 0);
  }

  #flagsOfPerson(): number {
    const { kCGEventFlagMaskControl, kCGEventFlagMaskAlternate, kCGEventFlagMaskCommand } = constants;
    const mask = kCGEventFlagMaskControl | kCGEventFlagMaskAlternate | kCGEventFlagMaskCommand;
    return this.#mac.native.CGEventSourceFlagsState(constants.kCGEventSourceStateHIDSystemState) & mask;
  }

  #strokeOf(key: Key): Stroke {
    const code = codeOfKey(key);
    if (code !== undefined) return { code, flags: ownFlags(key) };
    const stroke = readLayout(this.#mac).get(key);
    if (stroke) return stroke;
    throw new ToolError("not_supported", `The keyboard layout has no key for "${key}".`, {
      hint: "type_text types any character.",
    });
  }

  #post(code: number, isDown: boolean, flags: number, text?: string): void {
    const { native, burst } = this.#mac;
    burst((own) => {
      const source = own(native.CGEventSourceCreate(constants.kCGEventSourceStateHIDSystemState));
      const event = own(native.CGEventCreateKeyboardEvent(source, code, isDown));
      if (event === null) throw new ToolError("ax_error", "macOS made no key event.");
      // Set even when there are none: a new event takes over whatever the person holds.
      native.CGEventSetFlags(event, flags);
      if (text !== undefined) {
        const units = Uint16Array.from({ length: text.length }, (_, index) => text.charCodeAt(index));
        native.CGEventKeyboardSetUnicodeString(event, units.length, units);
      }
      native.CGEventPost(constants.kCGHIDEventTap, event);
    });
  }
}

/** Apps read these by their key, not by their character. */
const keysInText: ReadonlyMap<string, number> = new Map([
  ["\n", keyCodes.Return],
  ["\r", keyCodes.Return],
  ["\t", keyCodes.Tab],
]);

function strokeOf(piece: string, strokes: ReadonlyMap<string, Stroke>): Stroke & { readonly text?: string } {
  const code = keysInText.get(piece);
  if (code !== undefined) return { code, flags: 0 };
  return { ...(strokes.get(piece) ?? { code: 0, flags: 0 }), text: piece };
}

/** What goes into one event each: a character that has a key, or up to 20 units of those that have none. */
export function piecesOf(text: string, hasKey: (character: string) => boolean, isOneByOne = false): readonly string[] {
  const pieces: string[] = [];
  let run = "";
  const end = (): void => {
    if (run !== "") pieces.push(run);
    run = "";
  };
  for (const character of text.replaceAll("\r\n", "\n")) {
    if (isOneByOne || hasKey(character) || keysInText.has(character)) {
      end();
      pieces.push(character);
      continue;
    }
    if (run.length + character.length > mostUnits) end();
    run += character;
  }
  end();
  return pieces;
}
