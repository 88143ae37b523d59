import { sleep, throwIfCancelled } from "../base/async.ts";
import { screenPoint, type ScreenPoint } from "../base/geometry.ts";
import type { Chord, Key } from "../base/keys.ts";
import type { Button, Keyboard, Pointer } from "../platform/backend.ts";

export interface ClickOptions {
  readonly button: Button;
  readonly clicks: number;
  /** Pause between the clicks of a double click: below the desktop's limit, above an app's debounce. */
  readonly delayMs: number;
  readonly hold: readonly Key[];
  readonly signal: AbortSignal;
}

export interface DragOptions {
  readonly button: Button;
  readonly steps: number;
  readonly stepMs: number;
  readonly hold: readonly Key[];
  readonly signal: AbortSignal;
  /** Resolves when the app has taken all input so far. */
  readonly taken: () => Promise<void>;
}

// Toolkits begin a drag when the pointer is about this many units away from where it was pressed.
const beginsAfter = 12;

/**
 * Pointer and keyboard actions, written once over the raw events of any backend. Whatever happens (an error, a
 * cancelled call, a lost target), everything pressed is released before the call ends.
 */
export class Hands {
  readonly #pointer: () => Pointer;
  readonly #keyboard: () => Keyboard;
  readonly #buttonsDown = new Set<Button>();
  readonly #keysDown: Key[] = [];

  constructor(pointer: () => Pointer, keyboard: () => Keyboard) {
    this.#pointer = pointer;
    this.#keyboard = keyboard;
  }

  async click(at: ScreenPoint, { button, clicks, delayMs, hold, signal }: ClickOptions): Promise<void> {
    await this.#holding(hold, signal, async () => {
      await this.#pointer().move(at, { signal });
      for (let index = 0; index < clicks; index++) {
        if (index > 0) await sleep(delayMs, signal);
        await this.#tap(button, signal);
      }
    });
  }

  /**
   * Down, small steps with pauses, up: most toolkits do not recognise an instant jump as a drag. A busy app that gets the
   * drop before it has begun the drag, or before it has heard of the last steps, drops nothing.
   */
  async drag(from: ScreenPoint, to: ScreenPoint, options: DragOptions): Promise<void> {
    const { button, steps, stepMs, hold, signal, taken } = options;
    await this.#holding(hold, signal, async () => {
      await this.#pointer().move(from, { signal });
      await this.#pressed(button, signal, async () => {
        let hasBegun = false;
        for (const point of between(from, to, steps)) {
          await sleep(stepMs, signal);
          await this.#pointer().move(point, { signal });
          if (hasBegun || Math.hypot(point.x - from.x, point.y - from.y) < beginsAfter) continue;
          hasBegun = true;
          await taken();
        }
        await taken();
      });
    });
  }

  async scroll(
    at: ScreenPoint | undefined,
    notches: { readonly x: number; readonly y: number },
    hold: readonly Key[],
    signal: AbortSignal,
  ): Promise<void> {
    await this.#holding(hold, signal, async () => {
      if (at) await this.#pointer().move(at, { signal });
      await this.#pointer().wheel(notches, { signal });
    });
  }

  /** Presses in order, releases in reverse. */
  async press(chord: Chord, holdMs: number, signal: AbortSignal): Promise<void> {
    await this.#holding(chord, signal, async () => {
      if (holdMs > 0) await sleep(holdMs, signal);
    });
  }

  /** Releases everything, whoever pressed it. Used on cancel, on the emergency stop and at the end. */
  async releaseAll(): Promise<void> {
    const failures: unknown[] = [];
    const attempt = (work: Promise<void>) => work.catch((error: unknown) => failures.push(error));
    for (const button of this.#buttonsDown) await attempt(this.#up(button));
    for (const key of this.#keysDown.toReversed()) await attempt(this.#keyUp(key));
    if (failures.length > 0) throw failures[0];
  }

  async #tap(button: Button, signal: AbortSignal): Promise<void> {
    throwIfCancelled(signal);
    const pointer = this.#pointer();
    // Sends press and release together, which saves a round trip to the display.
    if (pointer.tap) await pointer.tap(button, { signal });
    else await this.#pressed(button, signal, async () => {});
  }

  async #pressed(button: Button, signal: AbortSignal, work: () => Promise<void>): Promise<void> {
    throwIfCancelled(signal);
    this.#buttonsDown.add(button);
    try {
      await this.#pointer().down(button, { signal });
      await work();
    } finally {
      await this.#up(button);
    }
  }

  async #holding(keys: readonly Key[], signal: AbortSignal, work: () => Promise<void>): Promise<void> {
    const held: Key[] = [];
    try {
      for (const key of keys) {
        throwIfCancelled(signal);
        held.push(key);
        this.#keysDown.push(key);
        await this.#keyboard().down(key, { signal });
      }
      await work();
    } finally {
      for (const key of held.toReversed()) await this.#keyUp(key);
    }
  }

  // Releasing takes no signal: it must also happen after a cancel.
  async #up(button: Button): Promise<void> {
    this.#buttonsDown.delete(button);
    await this.#pointer().up(button);
  }

  async #keyUp(key: Key): Promise<void> {
    const index = this.#keysDown.lastIndexOf(key);
    if (index >= 0) this.#keysDown.splice(index, 1);
    await this.#keyboard().up(key);
  }
}

/** `steps` points from just after `from` up to and including `to`. */
export function between(from: ScreenPoint, to: ScreenPoint, steps: number): readonly ScreenPoint[] {
  return Array.from({ length: steps }, (_, index) => {
    const part = (index + 1) / steps;
    return screenPoint(Math.round(from.x + (to.x - from.x) * part), Math.round(from.y + (to.y - from.y) * part));
  });
}
