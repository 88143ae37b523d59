import { ToolError } from "../../../base/errors.ts";
import { BorrowedCodes, type Layout, type Stroke } from "./keymap.ts";
import type { Keysym, WantedKey } from "./keysyms.ts";
import { assignCodes, readKeyboard, reserveCodes, type KeyboardReading } from "./borrowed-keycodes.ts";
import type { Connection } from "../x11/connection.ts";
import { isMappingChange, useXkb } from "./xkb.ts";

interface PrepareOptions {
  readonly kind: WantedKey["kind"];
  /** Keycodes that are held down. */
  readonly pinned: ReadonlySet<number>;
  readonly drain: () => Promise<void>;
}

/** The keys of one connection's display: the layout, and the keycodes we borrowed. */
export class Keys {
  readonly #c: Connection;
  #layout: Layout;
  #borrowed: BorrowedCodes;
  #modifiers: ReadonlyMap<number, number>;
  #isStale = false;

  private constructor(c: Connection, reading: KeyboardReading) {
    this.#c = c;
    this.#layout = reading.layout;
    this.#borrowed = new BorrowedCodes(reading.own);
    this.#modifiers = reading.map.modifiers;
  }

  static open(c: Connection): Promise<Keys> {
    return c.memo("keys", async () => {
      const xkb = await useXkb(c);
      const keys = new Keys(c, await readKeyboard(c));
      c.on((event) => {
        if (isMappingChange(event, xkb)) keys.#isStale = true;
      });
      return keys;
    });
  }

  /** Somebody, perhaps we ourselves, changed the keymap since it was last read. */
  get isStale(): boolean {
    return this.#isStale;
  }

  /** Keycodes that set modifier bits. */
  get modifiers(): ReadonlyMap<number, number> {
    return this.#modifiers;
  }

  async refresh(): Promise<void> {
    if (!this.#isStale) return;
    this.#isStale = false;
    const { layout, own, map } = await readKeyboard(this.#c);
    this.#layout = layout;
    this.#modifiers = map.modifiers;
    // Keeps the order of use.
    const inOrder = [...this.#borrowed.codes.keys()].filter((code) => own.has(code));
    this.#borrowed = new BorrowedCodes(new Map([...inOrder, ...own.keys()].map((code) => [code, own.get(code) ?? 0])));
  }

  get shiftKeycode(): number | undefined {
    return this.#layout.shiftKeycode;
  }

  /** Undefined when no key types it now. */
  stroke(keysym: Keysym): Stroke | undefined {
    return this.#layout.find(keysym) ?? this.#borrowedStroke(keysym);
  }

  /** A named key counts only if it needs no Shift: the numpad's digits would depend on Num Lock. */
  find({ keysyms, kind }: WantedKey): Stroke | undefined {
    for (const keysym of keysyms) {
      const stroke = kind === "character" ? this.#layout.find(keysym) : this.#plainStroke(keysym);
      if (stroke) return stroke;
    }
    return this.#borrowedStroke(keysyms[0] ?? 0);
  }

  #plainStroke(keysym: Keysym): Stroke | undefined {
    const stroke = this.#layout.find(keysym);
    return stroke?.shift ? undefined : stroke;
  }

  #borrowedStroke(keysym: Keysym): Stroke | undefined {
    const keycode = this.#borrowed.use(keysym);
    return keycode === undefined ? undefined : { keycode, shift: false };
  }

  /**
   * Makes as many of the keysyms from `from` on typeable as fit, and returns where it stopped. `drain` runs before
   * and after a keycode changes its meaning: an app that reads a key late would apply the new meaning to it.
   */
  async prepare(keysyms: readonly Keysym[], from: number, { kind, pinned, drain }: PrepareOptions): Promise<number> {
    const find =
      kind === "character"
        ? (keysym: Keysym) => this.#layout.find(keysym)
        : (keysym: Keysym) => this.#plainStroke(keysym);
    const plan = () =>
      this.#borrowed.plan(keysyms, from, { isOnLayout: (keysym) => find(keysym) !== undefined, pinned });
    for (let attempt = 0; attempt < 5; attempt++) {
      await this.refresh();
      let segment = plan();
      if (segment.until === from && this.#borrowed.codes.size === 0) {
        this.#borrowed = new BorrowedCodes(await reserveCodes(this.#c));
        segment = plan();
      }
      if (segment.until === from) throw noSpareCode(this.#c);
      if (segment.assign.size === 0) return segment.until;
      const changesMeaning = [...segment.assign.keys()].some((code) => this.#borrowed.codes.get(code) !== 0);
      if (changesMeaning) await drain();
      const isDone = await assignCodes(this.#c, segment.assign);
      if (isDone) this.#borrowed.assign(segment.assign);
      else this.#isStale = true;
      await this.refresh();
      if (!isDone) continue;
      await drain();
      return segment.until;
    }
    throw new ToolError("timeout", "The keyboard layout keeps changing while the text is being typed.", {
      hint: "Look for another program that changes the layout, then try again.",
    });
  }
}

function noSpareCode(c: Connection): ToolError {
  return new ToolError(
    "not_supported",
    `Display ${c.displayName} has no spare keycode for a character the layout lacks.`,
    {
      hint: "Other handsight processes on this display hold them all: end one, or paste the text from the clipboard.",
    },
  );
}
