import { isCharacter, type Key } from "../../base/keys.ts";
import type { Button } from "../backend.ts";
import { defineKey, modifierBits } from "./keys.ts";
import type { AttachedPage } from "./attached-page.ts";
import { DialogOpened } from "./interrupt.ts";
import type { SendOptions } from "./wire.ts";

const buttonBits: Readonly<Record<Button, number>> = { left: 1, right: 2, middle: 4, back: 8, forward: 16 };

/** Raw input events of one page, and what is held down. None reaches a blocked frame, except to let go. */
export class PageInput {
  readonly #page: AttachedPage;
  readonly #held = new Set<Key>();
  readonly #buttons = new Set<Button>();
  #at = { x: 0, y: 0 };
  #lastPress = { at: 0, x: 0, y: 0, button: "left" as Button, count: 0 };

  constructor(page: AttachedPage) {
    this.#page = page;
  }

  get at(): { readonly x: number; readonly y: number } {
    return this.#at;
  }

  async move(to: { readonly x: number; readonly y: number }, options: SendOptions = {}): Promise<void> {
    await this.#page.blocked.needOpenAt(to, options);
    await this.#move(to, options);
  }

  async down(button: Button, options: SendOptions = {}): Promise<void> {
    await this.#page.blocked.needOpenAt(this.#at, options);
    await this.#press(button, this.#countPress(button), options);
  }

  async up(button: Button, options: SendOptions = {}): Promise<void> {
    await this.#release(button, Math.max(1, this.#lastPress.count), options);
  }

  /**
   * Sends everything at once: a press that opens a dialog is never answered, and the release must not wait for it.
   */
  async click(at: { readonly x: number; readonly y: number }, clicks: number, options: SendOptions): Promise<void> {
    await this.#page.blocked.needOpenAt(at, options);
    const sent = [this.#move(at, options)];
    for (let count = 1; count <= clicks; count++) {
      sent.push(this.#press("left", count, options), this.#release("left", count, options));
    }
    for (const each of sent) each.catch(() => {});
    await Promise.all(sent);
  }

  async wheel({ x, y }: { readonly x: number; readonly y: number }, options: SendOptions = {}): Promise<void> {
    await this.#page.blocked.needOpenAt(this.#at, options);
    await this.#mouse({ type: "mouseWheel", deltaX: x, deltaY: y, button: "none" }, options);
  }

  async keyDown(key: Key, options: SendOptions = {}): Promise<void> {
    const defined = defineKey(key);
    if (!defined) return this.insert(key, options);
    await this.#page.blocked.needOpenFocus(options);
    this.#held.add(key);
    const modifiers = modifierBits(this.#held);
    // With Ctrl, Alt or Meta held, a key is a command and types nothing.
    const isCommand = (modifiers & ~8) !== 0;
    const shown = (modifiers & 8) !== 0 && isCharacter(key) && key.length === 1 ? key.toUpperCase() : defined.key;
    const text = isCommand
      ? undefined
      : defined.text && defined.text.length === 1 && isCharacter(key)
        ? shown
        : defined.text;
    const commands = isCommand
      ? editingCommands[`${[...this.#held].filter((each) => each !== key).join("+")}+${key.toLowerCase()}`]
      : undefined;
    await this.#page.interrupts.race(
      this.#page.session.send(
        "Input.dispatchKeyEvent",
        {
          type: text === undefined ? "rawKeyDown" : "keyDown",
          modifiers,
          key: shown,
          code: defined.code,
          windowsVirtualKeyCode: defined.windowsVirtualKeyCode,
          ...(text === undefined ? {} : { text, unmodifiedText: text }),
          ...(defined.location === undefined ? {} : { location: defined.location }),
          ...(defined.isKeypad ? { isKeypad: true } : {}),
          ...(commands ? { commands: [...commands] } : {}),
        },
        options,
      ),
    );
  }

  async keyUp(key: Key, options: SendOptions = {}): Promise<void> {
    const defined = defineKey(key);
    this.#held.delete(key);
    if (!defined) return;
    await this.#page.interrupts.race(
      this.#page.session.send(
        "Input.dispatchKeyEvent",
        {
          type: "keyUp",
          modifiers: modifierBits(this.#held),
          key: defined.key,
          code: defined.code,
          windowsVirtualKeyCode: defined.windowsVirtualKeyCode,
        },
        options,
      ),
    );
  }

  /** The open list of a field takes the key, and the page hears nothing. A key that is released would reach it. */
  async closeList(options: SendOptions = {}): Promise<void> {
    await this.#page.blocked.needOpenFocus(options);
    const escape = { type: "rawKeyDown", ...defineKey("escape") } as const;
    await this.#page.interrupts.race(this.#page.session.send("Input.dispatchKeyEvent", escape, options));
  }

  async chord(keys: readonly Key[], options: SendOptions = {}): Promise<void> {
    const pressed: Key[] = [];
    try {
      for (const key of keys) {
        pressed.push(key);
        await this.keyDown(key, options);
      }
    } finally {
      // Releasing takes no signal: it must also happen after a cancel.
      for (const key of pressed.toReversed()) await this.keyUp(key).catch(() => undefined);
    }
  }

  /** Types character by character, as keys if a US keyboard has them. */
  async type(
    text: string,
    options: SendOptions & { readonly delayMs?: number | undefined; readonly onEach?: () => void } = {},
  ): Promise<void> {
    for (const character of text) {
      options.onEach?.();
      if (character === "\n") await this.chord(["enter"], options);
      else if (character === "\r") continue;
      else if (character === "\t") await this.chord(["tab"], options);
      else if (character !== " " && !defineKey(character)) await this.insert(character, options);
      else await this.chord([character === " " ? "space" : character], options);
      if (options.delayMs) await new Promise((resolve) => setTimeout(resolve, options.delayMs));
    }
  }

  async insert(text: string, options: SendOptions = {}): Promise<void> {
    await this.#page.blocked.needOpenFocus(options);
    await this.#page.interrupts.race(this.#page.session.send("Input.insertText", { text }, options));
  }

  async #move(to: { readonly x: number; readonly y: number }, options: SendOptions): Promise<void> {
    this.#at = { x: to.x, y: to.y };
    const [held] = this.#buttons;
    await this.#mouse({ type: "mouseMoved", button: held ?? "none" }, options);
  }

  #countPress(button: Button): number {
    const now = performance.now();
    const last = this.#lastPress;
    const isNear = Math.abs(last.x - this.#at.x) < 5 && Math.abs(last.y - this.#at.y) < 5;
    const count = button === last.button && isNear && now - last.at < 500 ? last.count + 1 : 1;
    this.#lastPress = { at: now, ...this.#at, button, count };
    return count;
  }

  async #press(button: Button, clickCount: number, options: SendOptions): Promise<void> {
    this.#buttons.add(button);
    await this.#mouse({ type: "mousePressed", button, clickCount }, options);
  }

  async #release(button: Button, clickCount: number, options: SendOptions): Promise<void> {
    this.#buttons.delete(button);
    await this.#mouse({ type: "mouseReleased", button, clickCount }, options);
  }

  async #mouse(
    event: {
      readonly type: "mouseMoved" | "mousePressed" | "mouseReleased" | "mouseWheel";
      readonly button: Button | "none";
      readonly clickCount?: number;
      readonly deltaX?: number;
      readonly deltaY?: number;
    },
    options: SendOptions,
  ): Promise<void> {
    const buttons = [...this.#buttons].reduce((sum, button) => sum | buttonBits[button], 0);
    await this.#page.interrupts.race(
      this.#page.session.send(
        "Input.dispatchMouseEvent",
        { ...event, ...this.#at, buttons, modifiers: modifierBits(this.#held), pointerType: "mouse" },
        options,
      ),
    );
  }
}

// Shortcuts that the browser's own window would handle; a page needs their command by name.
const editingCommands: Readonly<Record<string, readonly string[]>> = {
  "ctrl+a": ["selectAll"],
  "ctrl+c": ["copy"],
  "ctrl+v": ["paste"],
  "ctrl+x": ["cut"],
  "ctrl+z": ["undo"],
  "ctrl+y": ["redo"],
  "meta+a": ["selectAll"],
  "meta+c": ["copy"],
  "meta+v": ["paste"],
  "meta+x": ["cut"],
  "meta+z": ["undo"],
};

/** An event that opens a dialog has arrived, although the page does not confirm it until the dialog is closed. */
export async function arrived(sent: Promise<void>): Promise<void> {
  try {
    await sent;
  } catch (error) {
    if (!(error instanceof DialogOpened)) throw error;
  }
}
