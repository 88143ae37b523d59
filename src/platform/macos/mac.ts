import type { Native, Pointer } from "./bindings/native.ts";
import { newString } from "./cf.ts";

/** Keeps a result that the caller has to release until the burst ends. */
export type Own = (pointer: Pointer) => Pointer;

/** The frameworks, and what is kept between calls. Lives in the host process, on its main thread. */
export class Mac implements Disposable {
  readonly native: Native;
  /** Stands for whatever has the focus, and sets how long every app may take. */
  readonly everything: bigint;
  readonly #strings = new Map<string, bigint>();

  constructor(native: Native) {
    this.native = native;
    // A window filter aborts a process without an app unless CoreGraphics was used before.
    native.CGMainDisplayID();
    this.everything = native.AXUIElementCreateSystemWide() ?? 0n;
  }

  /** How long an app may take to answer from now on. Set on one element it would hold for that element alone. */
  setPatience(ms: number): void {
    this.native.AXUIElementSetMessagingTimeout(this.everything, ms / 1000);
  }

  /**
   * Runs native calls in one go: what they own is released at the end, and so is what they were lent until the pool is
   * drained. Never across an await: pools are a stack.
   */
  readonly burst = <T>(work: (own: Own) => T): T => {
    const { native } = this;
    const pool = native.objc_autoreleasePoolPush();
    const owned: bigint[] = [];
    const own: Own = (pointer) => {
      if (pointer !== null) owned.push(pointer);
      return pointer;
    };
    try {
      return work(own);
    } finally {
      for (const pointer of owned.toReversed()) native.CFRelease(pointer);
      native.objc_autoreleasePoolPop(pool);
    }
  };

  /** A string that stays: names of attributes, actions and notifications are macros, not symbols. */
  readonly name = (text: string): bigint => {
    const known = this.#strings.get(text);
    if (known !== undefined) return known;
    const made = newString(this.native, text);
    this.#strings.set(text, made);
    return made;
  };

  [Symbol.dispose](): void {
    for (const string of this.#strings.values()) this.native.CFRelease(string);
    this.#strings.clear();
    this.native.CFRelease(this.everything);
  }
}
