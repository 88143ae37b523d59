import { sleep } from "../../base/async.ts";
import { ToolError } from "../../base/errors.ts";
import { sameRect } from "../../base/geometry.ts";
import type { UiNode } from "../../base/node.ts";
import type {
  Elements,
  Events,
  FollowedFields,
  SecretField,
  SecretPlaces,
  WindowInfo,
} from "../../platform/backend.ts";
import { Paints } from "./paints.ts";
import { SecretSearch } from "./secret-search.ts";

/** What was found in the apps of some windows. */
interface Found {
  readonly fields: readonly SecretField[];
  /** Windows with fields that are not visible now. */
  readonly hidden: readonly number[];
  /** When the fields were first found where they are now. */
  readonly sinceAt: number;
  /** An app with fields reports their positions later than it shows them. */
  readonly isLate: boolean;
}

interface Placed {
  readonly fields: readonly SecretField[];
  readonly hidden: readonly number[];
  readonly isLate: boolean;
  readonly sinceAt: number;
}

// An app draws what it reports within a few frames, even on a slow machine.
const drawMs = 120;
// Browsers delay their reports while a page is scrolled.
const tellMs = 1_000;
const lookMs = 12;
const lookLateMs = 100;
const nothing: SecretPlaces = { fields: [], count: 0, isStill: true, hasScrolled: false };

/** Where password fields are on the screen while a picture is taken. */
export class SecretFields implements AsyncDisposable {
  readonly #elements: Elements;
  readonly #search: SecretSearch;
  readonly #paints: Paints;
  readonly #readsTexts: boolean;
  readonly #placed = new Map<number, Placed>();

  /** Without `holdsSecret` only password fields are looked for. */
  constructor(elements: Elements, events: Events | undefined, holdsSecret: ((text: string) => boolean) | undefined) {
    this.#elements = elements;
    this.#search = new SecretSearch(elements, events, holdsSecret);
    this.#paints = new Paints(events);
    this.#readsTexts = holdsSecret !== undefined;
  }

  /**
   * Looks before the picture, and again on `end`, as often as needed to be sure where the fields were in the picture.
   */
  async follow(windows: readonly WindowInfo[], signal: AbortSignal | undefined): Promise<FollowedFields> {
    const told = await this.#elements.followSecretFields?.({ signal });
    if (!told) return this.#followApps(windows, signal);
    if (!this.#readsTexts) return told;
    const before = await this.#find(windows, signal);
    return {
      end: async () => {
        const places = await told.end();
        const named = compare([before, await this.#find(windows, signal)]);
        return {
          fields: [...places.fields, ...named.fields],
          count: places.count + named.count,
          isStill: places.isStill && named.isStill && (named.count === 0 || !places.hasScrolled),
          hasScrolled: places.hasScrolled,
        };
      },
    };
  }

  async #followApps(windows: readonly WindowInfo[], signal: AbortSignal | undefined): Promise<FollowedFields> {
    this.#distrust(windows);
    if (this.#isFree(windows)) return { end: () => this.#stillFree(windows, signal) };
    const before = await this.#find(windows, signal);
    const at = performance.now();
    const wasPlaced = before.sinceAt <= at - drawMs;
    if (before.fields.length === 0 && wasPlaced) return { end: () => this.#stillFree(windows, signal) };
    const painted = await this.#paints.lastAt(before.fields);
    // No recent reports and no recent painting: the reported positions match the screen.
    const wasQuiet = wasPlaced && isBefore(painted, at - (before.isLate ? tellMs : drawMs));
    if (painted !== undefined && !wasQuiet && before.isLate) return this.#followLate(windows, at, signal);
    const looks = painted === undefined || wasQuiet ? [before] : await this.#look(before, windows, at + drawMs, signal);
    return {
      end: async () => {
        const isUnchanged = wasQuiet && (await this.#isToldAll(windows, signal)) && this.#isKnown(windows);
        // A field cannot have moved without a paint there.
        if (isUnchanged && (await this.#paints.lastAt(before.fields)) === painted) return compare(looks);
        const after = await this.#find(windows, signal);
        const places = compare([...looks, after]);
        return wasQuiet ? { ...places, isStill: false } : places;
      },
    };
  }

  /** A browser reports nothing new while it keeps drawing; its reports match the screen only after a pause. */
  async #followLate(
    windows: readonly WindowInfo[],
    since: number,
    signal: AbortSignal | undefined,
  ): Promise<FollowedFields> {
    for (;;) {
      await sleep(drawMs, signal);
      const before = await this.#find(windows, signal);
      const painted = await this.#paints.lastAt(before.fields);
      const isQuiet = isBefore(painted, performance.now() - tellMs) && !this.#mayCome(before, performance.now());
      if (!isQuiet && performance.now() - since < 1.5 * tellMs) continue;
      return {
        end: async () => {
          const after = await this.#find(windows, signal);
          const places = compare([before, after]);
          const isStill = places.isStill && isQuiet && (await this.#paints.lastAt(after.fields)) === painted;
          return { ...places, isStill };
        },
      };
    }
  }

  /** Keeps looking until then, unless a field has moved. */
  async #look(
    first: Found,
    windows: readonly WindowInfo[],
    until: number,
    signal: AbortSignal | undefined,
  ): Promise<readonly Found[]> {
    const looks = [first];
    while (performance.now() < until && compare(looks).isStill) {
      await sleep(first.isLate ? lookLateMs : lookMs, signal);
      looks.push(await this.#find(windows, signal));
    }
    return looks;
  }

  /**
   * After the picture: an app that has changed is searched again, and a field found now may have been in the picture.
   */
  async #stillFree(windows: readonly WindowInfo[], signal: AbortSignal | undefined): Promise<SecretPlaces> {
    const takenAt = performance.now();
    if ((await this.#isToldAll(windows, signal)) && this.#isFree(windows)) return nothing;
    const found = await this.#find(windows, signal);
    const looks = this.#mayCome(found, takenAt) ? await this.#look(found, windows, takenAt + tellMs, signal) : [found];
    const fields = looks.at(-1)?.fields ?? [];
    return fields.length === 0 ? nothing : { ...nothing, fields, count: fields.length, isStill: false };
  }

  /** A field out of view may have come into view with a large paint, and is not reported there yet. */
  #mayCome({ isLate, hidden }: Found, at: number): boolean {
    return isLate && hidden.some((id) => this.#paints.largeAt(id) > at - tellMs);
  }

  /** Whether everything the apps have reported and painted so far has been received. */
  async #isToldAll(windows: readonly WindowInfo[], signal: AbortSignal | undefined): Promise<boolean> {
    const isTold = await this.#search.isToldAll(signal);
    this.#distrust(windows);
    return isTold;
  }

  /** If an app reports only visible fields, a large paint may be a field that has come into view. */
  #distrust(windows: readonly WindowInfo[]): void {
    for (const { id, pid } of windows) {
      const known = pid === undefined ? undefined : this.#search.known(pid);
      if (pid === undefined || !known || known.isComplete) continue;
      if (this.#paints.largeAt(id) >= known.at) this.#search.forget(pid);
    }
  }

  #isKnown(windows: readonly WindowInfo[]): boolean {
    return windows.every(({ pid }) => pid === undefined || this.#search.known(pid) !== undefined);
  }

  #isFree(windows: readonly WindowInfo[]): boolean {
    return windows.every(({ pid }) => pid === undefined || this.#search.known(pid)?.ids.length === 0);
  }

  async #find(windows: readonly WindowInfo[], signal: AbortSignal | undefined): Promise<Found> {
    const pids = [...new Set(windows.map(({ pid }) => pid).filter((pid) => pid !== undefined))];
    await Promise.all(
      pids.map(async (pid) => {
        try {
          await this.#place(pid, signal);
        } catch (error) {
          if (signal?.aborted || !(error instanceof ToolError)) throw error;
          const last = this.#placed.get(pid);
          // An app without accessibility has no fields that could be found. If an app has fields and does not say
          // where, they may be anywhere in its windows.
          if (last) this.#note(pid, windows.filter((window) => window.pid === pid).map(wholeWindow), last.hidden, true);
        }
      }),
    );
    const placed = pids.map((pid) => this.#placed.get(pid)).filter((each) => each !== undefined);
    return {
      fields: placed.flatMap(({ fields }) => fields),
      hidden: placed.flatMap(({ hidden }) => hidden),
      sinceAt: Math.max(0, ...placed.map(({ sinceAt }) => sinceAt)),
      isLate: placed.some(({ isLate }) => isLate),
    };
  }

  async #place(pid: number, signal: AbortSignal | undefined): Promise<void> {
    const { ids, isLate, nodes } = await this.#search.of(pid, signal);
    if (ids.length === 0 && !this.#placed.has(pid)) return;
    const now = nodes ?? (ids.length === 0 ? [] : await this.#elements.read(ids, { signal }));
    const found = now.filter((node) => node !== undefined);
    const hidden = found.filter((node) => !isShown(node)).flatMap(({ windowId }) => windowId ?? []);
    this.#note(pid, found.filter(isShown).flatMap(toField), hidden, isLate);
  }

  #note(pid: number, fields: readonly SecretField[], hidden: readonly number[], isLate: boolean): void {
    const last = this.#placed.get(pid);
    const sinceAt = last && isSame(last.fields, fields) ? last.sinceAt : performance.now();
    this.#placed.set(pid, { fields, hidden, isLate, sinceAt });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#paints[Symbol.asyncDispose]();
    await this.#search[Symbol.asyncDispose]();
  }
}

/** Compares several looks: still if every field stayed in place. */
function compare(looks: readonly Found[]): SecretPlaces {
  const [first, ...others] = looks.map(({ fields }) => fields);
  return {
    fields: looks.flatMap(({ fields }) => fields),
    count: Math.max(...looks.map(({ fields }) => fields.length)),
    isStill: first !== undefined && others.every((fields) => isSame(first, fields)),
    hasScrolled: false,
  };
}

const isSame = (some: readonly SecretField[], others: readonly SecretField[]): boolean =>
  some.length === others.length && some.every(({ bounds }) => others.some((other) => sameRect(other.bounds, bounds)));

const isBefore = (time: number | undefined, limit: number): boolean => time !== undefined && time <= limit;

const wholeWindow = ({ bounds, id }: WindowInfo): SecretField => ({ bounds, windowId: id });

const isShown = ({ states }: UiNode): boolean => states.includes("showing");

const toField = ({ bounds, windowId }: UiNode): readonly SecretField[] => (bounds ? [{ bounds, windowId }] : []);
