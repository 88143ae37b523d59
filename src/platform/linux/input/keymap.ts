import { shiftKeysyms, type Keysym } from "./keysyms.ts";

/** What one key types, limited to what typing relies on. */
export interface KeyRow {
  readonly keycode: number;
  /** Keysyms of group 1: alone, with Shift, … Empty for a key that types nothing. */
  readonly levels: readonly Keysym[];
  /** The same for the layouts one can switch to. */
  readonly otherGroups?: readonly (readonly Keysym[])[];
  /** True when Shift, and nothing else, switches from the first level to the second. */
  readonly isShiftable: boolean;
  readonly isModifier: boolean;
}

/** A key to press, with or without Shift. */
export interface Stroke {
  readonly keycode: number;
  readonly shift: boolean;
}

/**
 * The keys of the current layout. Uses only the first two levels of group 1: what AltGr, a dead key or another group
 * types depends on state that applications interpret differently, so those characters are typed with borrowed
 * keycodes.
 */
export class Layout {
  readonly #strokes = new Map<Keysym, Stroke>();
  /** Keycodes that type nothing and can be borrowed. */
  readonly spare: readonly number[];
  readonly shiftKeycode: number | undefined;

  /** `lent` are keycodes borrowed by any handsight process; they are neither part of the layout nor spare. */
  constructor(rows: readonly KeyRow[], lent: ReadonlySet<number>) {
    const own = rows.filter((row) => !lent.has(row.keycode));
    this.shiftKeycode = own.find((row) => row.isModifier && shiftKeysyms.includes(row.levels[0] ?? 0))?.keycode;
    for (const { keycode, levels, isShiftable, isModifier } of own) {
      const [alone = 0, shifted = 0] = levels;
      // The lowest keycode wins: it is a real key, while high ones belong to media keyboards.
      if (alone !== 0 && !this.#strokes.has(alone)) this.#strokes.set(alone, { keycode, shift: false });
      const canShift = isShiftable && !isModifier && this.shiftKeycode !== undefined;
      if (shifted !== 0 && canShift && !this.#strokes.has(shifted)) {
        this.#strokes.set(shifted, { keycode, shift: true });
      }
    }
    this.spare = own
      .filter((row) => !row.isModifier && row.levels.every((keysym) => keysym === 0))
      .map((row) => row.keycode);
  }

  find(keysym: Keysym): Stroke | undefined {
    return this.#strokes.get(keysym);
  }
}

/** How many of the spare codes one process may take, so that a second one on the display can still type. */
export function fairShare(spareCount: number): number {
  return spareCount > 8 ? spareCount - 4 : Math.ceil(spareCount / 2);
}

export interface Segment {
  /** Index of the first keysym that does not belong to this segment. */
  readonly until: number;
  /** What to assign before the segment can be typed: keycode → keysym. */
  readonly assign: ReadonlyMap<number, Keysym>;
}

/**
 * The keycodes we borrowed and what they type now, kept for the session; the least recently used is reassigned first.
 */
export class BorrowedCodes {
  /** keycode → keysym (0: nothing yet), least recently used first. */
  readonly #codes: Map<number, Keysym>;

  constructor(codes: Iterable<number> | ReadonlyMap<number, Keysym>) {
    this.#codes =
      codes instanceof Map ? new Map(codes) : new Map(Array.from(codes as Iterable<number>, (code) => [code, 0]));
  }

  get codes(): ReadonlyMap<number, Keysym> {
    return this.#codes;
  }

  find(keysym: Keysym): number | undefined {
    for (const [keycode, own] of this.#codes) if (own === keysym) return keycode;
    return undefined;
  }

  /**
   * The longest run of keysyms, starting at `from`, that can be typed with one assignment; `isOnLayout` says which
   * need none. A code that this run still needs, or that is held down (`pinned`), is not reassigned. The run is empty
   * when no code is available.
   */
  plan(
    keysyms: readonly Keysym[],
    from: number,
    { isOnLayout, pinned }: { readonly isOnLayout: (keysym: Keysym) => boolean; readonly pinned: ReadonlySet<number> },
  ): Segment {
    const needed = new Set<Keysym>();
    const kept = new Set([...pinned].filter((code) => this.#codes.has(code)));
    const missing = new Set<Keysym>();
    let until = from;
    for (; until < keysyms.length; until++) {
      const keysym = keysyms[until] as Keysym;
      if (needed.has(keysym) || isOnLayout(keysym)) continue;
      const code = this.find(keysym);
      const codesInUse = kept.size + missing.size + (code !== undefined && kept.has(code) ? 0 : 1);
      if (codesInUse > this.#codes.size) break;
      needed.add(keysym);
      if (code === undefined) missing.add(keysym);
      else kept.add(code);
    }
    const free = [...this.#codes].filter(([code]) => !kept.has(code));
    const emptyFirst = [...free.filter(([, own]) => own === 0), ...free.filter(([, own]) => own !== 0)];
    return {
      until,
      assign: new Map([...missing].map((keysym, index) => [(emptyFirst[index] as [number, Keysym])[0], keysym])),
    };
  }

  /** Records an assignment that the server now has. */
  assign(assigned: ReadonlyMap<number, Keysym>): void {
    for (const [keycode, keysym] of assigned) this.#touch(keycode, keysym);
  }

  /** The code that types the keysym, marked as just used. */
  use(keysym: Keysym): number | undefined {
    const keycode = this.find(keysym);
    if (keycode !== undefined) this.#touch(keycode, keysym);
    return keycode;
  }

  #touch(keycode: number, keysym: Keysym): void {
    this.#codes.delete(keycode);
    this.#codes.set(keycode, keysym);
  }
}
