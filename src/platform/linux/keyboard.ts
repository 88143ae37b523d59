import { Lock, sleep, throwIfCancelled } from "../../base/async.ts";
import { ToolError } from "../../base/errors.ts";
import type { Key } from "../../base/keys.ts";
import type { CallOptions, Keyboard, TypeOptions } from "../backend.ts";
import type { XDisplay } from "./display.ts";
import { drainFocused } from "./input/drain.ts";
import type { Stroke } from "./input/keymap.ts";
import type { Guardian } from "../guardian.ts";
import { Keys } from "./input/keys.ts";
import { textToKeysyms, wantedKey, type Keysym } from "./input/keysyms.ts";
import { repairLoans, returnCodes } from "./input/borrowed-keycodes.ts";
import { resetModifiers } from "./input/reset-modifiers.ts";
import { needX11Screen } from "./wayland.ts";
import { findActive } from "./windows/list.ts";
import type { Connection } from "./x11/connection.ts";
import { fakeInput, type FakeInput } from "./x11/extensions.ts";

/** Characters sent before checking that the app keeps up; a cancelled text stops after at most this many. */
const chunkLength = 100;

export class XKeyboard implements Keyboard, AsyncDisposable {
  readonly #display: XDisplay;
  readonly #lock = new Lock();
  /** Keys that are down, with the keycodes pressed for them, in order. */
  readonly #held = new Map<Key, readonly number[]>();
  readonly #running = new Set<AbortController>();
  readonly #guardian: Guardian | undefined;

  constructor(display: XDisplay, guardian?: Guardian) {
    this.#display = display;
    this.#guardian = guardian;
    display.onConnect(async (c) => {
      // After a lost connection nobody holds these keys any more, so they must be up.
      await this.#release(c);
      // A process that was killed while it had borrowed keycodes leaves them to the next one; failing to return them
      // must not block access to the display.
      await repairLoans(c).catch(() => {});
    });
  }

  async down(key: Key, { signal }: CallOptions = {}): Promise<void> {
    const wanted = wantedKey(key);
    await this.#exclusively(signal, async (signal) => {
      if (this.#held.has(key)) return;
      const c = await this.#display.connect({ signal });
      await this.#needReceiver(c, signal);
      const keys = await Keys.open(c);
      await keys.refresh();
      if (!keys.find(wanted) && wanted.kind !== "modifier") {
        await keys.prepare(wanted.keysyms.slice(0, 1), 0, {
          kind: wanted.kind,
          pinned: this.#heldCodes(),
          drain: () => drainFocused(c, { signal }),
        });
      }
      const stroke = keys.find(wanted);
      if (!stroke) throw new ToolError("not_supported", `No key of the keyboard layout is "${key}".`);
      const shift = stroke.shift && !this.#heldCodes().has(keys.shiftKeycode ?? 0) ? keys.shiftKeycode : undefined;
      const keycodes = shift === undefined ? [stroke.keycode] : [shift, stroke.keycode];
      this.#held.set(key, keycodes);
      this.#guardian?.begin(`key ${key}`);
      await fakeInput(c, keycodes.map(pressed));
    });
  }

  /** Takes no signal: what is down must be released even if the call was cancelled. */
  async up(key: Key): Promise<void> {
    const wanted = wantedKey(key);
    await this.#exclusively(undefined, async () => {
      const c = await this.#display.connect();
      const keys = await Keys.open(c);
      const keycodes = this.#held.get(key) ?? [keys.find(wanted)?.keycode].filter((code) => code !== undefined);
      this.#held.delete(key);
      // The Shift pressed for this key may also serve another key that is still down.
      const needed = this.#heldCodes();
      await fakeInput(
        c,
        keycodes
          .filter((code) => !needed.has(code))
          .toReversed()
          .map(released),
      );
      this.#guardian?.end(`key ${key}`);
    });
  }

  async text(text: string, { delayMs = 0, signal }: TypeOptions = {}): Promise<void> {
    const keysyms = textToKeysyms(text);
    await this.#exclusively(signal, async (signal) => {
      if (keysyms.length === 0) return;
      const c = await this.#display.connect({ signal });
      await this.#needReceiver(c, signal);
      const keys = await Keys.open(c);
      await keys.refresh();
      const restore = await resetModifiers(c, keys.modifiers);
      this.#guardian?.begin("text");
      try {
        await this.#type(c, keys, keysyms, { delayMs, signal });
      } finally {
        await restore();
        this.#guardian?.end("text");
      }
    });
  }

  /** Under Wayland, keys reach nobody while a program that is not an X11 one has the keyboard. */
  async #needReceiver(c: Connection, signal: AbortSignal): Promise<void> {
    if (!(await this.#display.isPartial({ signal })) || (await findActive(c, { signal })) !== undefined) return;
    needX11Screen(true, "No X11 window has the keyboard.");
  }

  async #type(c: Connection, keys: Keys, keysyms: readonly Keysym[], options: TypeOptions): Promise<void> {
    const { delayMs = 0, signal } = options;
    const drain = () => drainFocused(c, { signal });
    for (let at = 0; at < keysyms.length;) {
      throwIfCancelled(signal);
      const until = await keys.prepare(keysyms, at, { kind: "character", pinned: this.#heldCodes(), drain });
      while (at < until && !keys.isStale) {
        throwIfCancelled(signal);
        const chunk = keysyms.slice(at, Math.min(until, at + (delayMs > 0 ? 1 : chunkLength)));
        const strokes = chunk.map((keysym) => keys.stroke(keysym));
        if (!strokes.every((stroke) => stroke !== undefined)) break;
        // Without the signal: half a chunk would leave a key down.
        await fakeInput(c, toInputs(strokes, keys.shiftKeycode));
        at += chunk.length;
        if (delayMs > 0) await sleep(delayMs, signal);
        else await drain();
      }
    }
    if (delayMs > 0) await drain();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const call of this.#running) call.abort(new ToolError("cancelled", "The keyboard was closed."));
    await this.#lock.run("exclusive", undefined, async () => {
      const c = this.#display.current;
      if (!c) return;
      try {
        await this.#release(c);
        await returnCodes(c);
      } catch (error) {
        // If the display is gone, there is nothing to restore.
        if (!c.isClosed) throw error;
      }
    });
  }

  async #release(c: Connection): Promise<void> {
    const keycodes = [...this.#heldCodes()].toReversed();
    this.#held.clear();
    if (keycodes.length > 0) await fakeInput(c, keycodes.map(released));
  }

  #heldCodes(): ReadonlySet<number> {
    return new Set([...this.#held.values()].flat());
  }

  /** One call at a time; `work` is cancelled by its caller or by closing the keyboard. */
  async #exclusively(caller: AbortSignal | undefined, work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    throwIfCancelled(caller);
    const call = new AbortController();
    const onAbort = () => call.abort(caller?.reason);
    caller?.addEventListener("abort", onAbort, { once: true });
    this.#running.add(call);
    try {
      await this.#lock.run("exclusive", call.signal, () => work(call.signal));
    } finally {
      this.#running.delete(call);
      caller?.removeEventListener("abort", onAbort);
    }
  }
}

const pressed = (keycode: number): FakeInput => ({ kind: "key", keycode, isDown: true });
const released = (keycode: number): FakeInput => ({ kind: "key", keycode, isDown: false });

/** Presses Shift once for a run of capitals, and always releases it at the end. */
function toInputs(strokes: readonly Stroke[], shiftKeycode: number | undefined): FakeInput[] {
  const inputs: FakeInput[] = [];
  let isShifted = false;
  const shiftTo = (wanted: boolean) => {
    if (wanted === isShifted || shiftKeycode === undefined) return;
    inputs.push(wanted ? pressed(shiftKeycode) : released(shiftKeycode));
    isShifted = wanted;
  };
  for (const { keycode, shift } of strokes) {
    shiftTo(shift);
    inputs.push(pressed(keycode), released(keycode));
  }
  shiftTo(false);
  return inputs;
}
