import { Lock, sleep, throwIfCancelled } from "../../base/async.ts";
import { ToolError } from "../../base/errors.ts";
import type { Key } from "../../base/keys.ts";
import type { CallOptions, Keyboard, TypeOptions } from "../backend.ts";
import { needReachInFront } from "./apps/elevation.ts";
import { drain, focusedWindow } from "./input/drain.ts";
import type { Guardian } from "../guardian.ts";
import { keysFor, namedKey, type PhysicalKey } from "./input/keys.ts";
import { keyInput, sendInputs, unitInput } from "./input/send.ts";

/** Characters sent before looking whether the call was cancelled and the app keeps up. */
const chunkLength = 16;

export class Win32Keyboard implements Keyboard, AsyncDisposable {
  readonly #guardian: Guardian | undefined;
  readonly #held = new Map<Key, readonly PhysicalKey[]>();
  readonly #lock = new Lock();
  readonly #closing = new AbortController();

  constructor(guardian?: Guardian) {
    this.#guardian = guardian;
  }

  async down(name: Key, { signal }: CallOptions = {}): Promise<void> {
    throwIfCancelled(signal);
    needReachInFront();
    const keys = keysFor(name);
    if (!keys) {
      throw new ToolError("not_supported", `The keyboard layout of the window in front has no key "${name}".`, {
        hint: "Type it as text instead.",
      });
    }
    this.#held.set(name, keys);
    this.#guardian?.begin(`key ${name}`);
    sendInputs(keys.map((key) => keyInput({ ...key, isDown: true })));
  }

  /** Takes no signal: what is down must be released even if the call was cancelled. */
  async up(name: Key): Promise<void> {
    const keys = this.#held.get(name) ?? keysFor(name) ?? [];
    this.#held.delete(name);
    sendInputs(keys.toReversed().map((key) => keyInput({ ...key, isDown: false })));
    this.#guardian?.end(`key ${name}`);
  }

  async text(text: string, { delayMs = 0, signal }: TypeOptions = {}): Promise<void> {
    throwIfCancelled(signal);
    needReachInFront();
    await this.#lock.run("exclusive", signal, async () => {
      const characters = Array.from(text.replaceAll("\r\n", "\n"));
      const step = delayMs > 0 ? 1 : chunkLength;
      for (let at = 0; at < characters.length; at += step) {
        throwIfCancelled(signal);
        throwIfCancelled(this.#closing.signal);
        const inputs = characters.slice(at, at + step).flatMap(inputsFor);
        sendInputs(inputs);
        if (delayMs > 0) await sleep(delayMs, signal);
        // Also lets the rest of the process have its turn.
        else await sleep(0, signal);
        drain(focusedWindow(), inputs.length / 2);
      }
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort(new ToolError("cancelled", "The keyboard was closed."));
    for (const name of [...this.#held.keys()].toReversed()) await this.up(name).catch(() => {});
  }
}

/** Return and Tab are keys to every app; as characters some ignore them. */
function inputsFor(character: string): readonly Buffer[] {
  const key = character === "\n" ? namedKey("enter") : character === "\t" ? namedKey("tab") : undefined;
  if (key) return [keyInput({ ...key, isDown: true }), keyInput({ ...key, isDown: false })];
  // Both halves of a surrogate pair go down before the first goes up, as Windows itself sends them.
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
  return [...units.map((unit) => unitInput(unit, true)), ...units.map((unit) => unitInput(unit, false))];
}
