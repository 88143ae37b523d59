import type { UiNode } from "../../base/node.ts";
import { saysTheSame, type TreeDelta } from "./tree-delta.ts";

/** Something that happened to an element of the watched tree. */
export type ElementHappening =
  | { readonly kind: "element_added"; readonly node: UiNode; readonly after: string | undefined }
  | { readonly kind: "element_removed"; readonly node: UiNode }
  | { readonly kind: "element_changed"; readonly node: UiNode; readonly before: UiNode };

/** The whole tree, from which what follows can be understood. */
interface Base {
  readonly kind: "snapshot";
  readonly nodes: readonly UiNode[];
}

/** What is read from a stream: numbered without gaps, except where something was left out. */
export interface Numbered<Other> {
  readonly seq: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly what: ElementHappening | Base | Other;
}

export interface Drained<Other> {
  readonly events: readonly Numbered<Other>[];
  /** Left for the next call. */
  readonly more: number;
  /** Left out since the last call, because nobody read them in time; then a snapshot follows. */
  readonly missed: number;
}

type Pending<Other> =
  | { readonly at: number; readonly element: ElementHappening }
  | { readonly at: number; readonly base: true }
  | { readonly at: number; readonly other: Other; readonly key: string | undefined };

/** Changes of a tree, one line each; nothing for what has only moved on the screen. */
export function happeningsOf({ removed, added, changed }: TreeDelta): readonly ElementHappening[] {
  return [
    ...removed.map((node) => ({ kind: "element_removed", node }) as const),
    ...added.map(({ node, after }) => ({ kind: "element_added", node, after }) as const),
    ...changed.map(({ node, before }) => ({ kind: "element_changed", node, before }) as const),
  ];
}

/**
 * Keeps what happens until somebody reads it. Applied to the snapshots in it, it always leads to the tree as it is: changes
 * of one element that nobody has read become one, and when there are too many, a new snapshot takes the place of all.
 */
export class EventStream<Other> {
  readonly #most: number;
  readonly #now: () => readonly UiNode[];
  #pending: Pending<Other>[] = [];
  /** Elements whose last pending event can be changed in place, and where that is. */
  #open = new Map<string, number>();
  #missed = 0;
  #seq = 0;
  /** A snapshot is due, and nothing about elements matters until then. */
  #isStale = false;

  /** `most` events are kept about elements and as many others; `now` is the tree as it is. */
  constructor(most: number, now: () => readonly UiNode[]) {
    this.#most = most;
    this.#now = now;
  }

  get size(): number {
    return this.#pending.length + Number(this.#isStale);
  }

  /** The tree is another one, or nobody knows how it came to be. */
  restart(at: number): void {
    this.#dropElements(0);
    this.#isStale = false;
    this.#pending.push({ at, base: true });
  }

  tell(happenings: readonly ElementHappening[], at: number): void {
    if (this.#isStale) {
      this.#missed += happenings.length;
      return;
    }
    // A snapshot that is still to be read shows all of it.
    if (this.#pending.some((each) => "base" in each)) return;
    for (const each of happenings) this.#add(each, at);
    const count = this.#pending.reduce((sum, each) => sum + Number("element" in each), 0);
    if (count > this.#most) this.#dropElements(count, true);
  }

  /** One with the same key that nobody has read is left out. */
  note(other: Other, at: number, key?: string): void {
    const known = key === undefined ? -1 : this.#pending.findIndex((each) => "other" in each && each.key === key);
    if (known >= 0) this.#pending.splice(known, 1);
    if (known >= 0) this.#reindex();
    this.#pending.push({ at, other, key });
    if (this.#pending.length <= 2 * this.#most) return;
    const oldest = this.#pending.findIndex((each) => "other" in each);
    this.#pending.splice(oldest, 1);
    this.#missed++;
    this.#reindex();
  }

  drain(most: number): Drained<Other> {
    const missed = this.#missed;
    this.#missed = 0;
    // So a gap in the numbers is a gap in what was told.
    this.#seq += missed;
    if (this.#isStale) {
      this.#isStale = false;
      this.#pending.push({ at: Date.now(), base: true });
    }
    const events = this.#pending
      .splice(0, most)
      .map((each) => ({ seq: ++this.#seq, at: each.at, what: this.#read(each) }));
    this.#reindex();
    return { events, more: this.#pending.length, missed };
  }

  #read(pending: Pending<Other>): ElementHappening | Base | Other {
    if ("element" in pending) return pending.element;
    return "base" in pending ? { kind: "snapshot", nodes: this.#now() } : pending.other;
  }

  #add(happening: ElementHappening, at: number): void {
    const id = happening.node.runtimeId;
    const place = this.#open.get(id);
    const known = place === undefined ? undefined : this.#pending[place];
    if (happening.kind !== "element_changed" || !known || !("element" in known) || place === undefined) {
      this.#open.set(id, this.#pending.length);
      this.#pending.push({ at, element: happening });
      return;
    }
    const { element } = known;
    if (element.kind === "element_added") this.#pending[place] = { at, element: { ...element, node: happening.node } };
    else if (element.kind === "element_changed") this.#merge(place, { ...happening, before: element.before }, at);
    else this.#pending.push({ at, element: happening });
  }

  /** What is back as it was does not count. */
  #merge(place: number, happening: ElementHappening & { readonly kind: "element_changed" }, at: number): void {
    if (!saysTheSame(happening.before, happening.node)) {
      this.#pending[place] = { at, element: happening };
      return;
    }
    this.#pending.splice(place, 1);
    this.#reindex();
  }

  #dropElements(missed: number, isStale = false): void {
    this.#pending = this.#pending.filter((each) => "other" in each);
    this.#missed += missed;
    this.#isStale = isStale;
    this.#reindex();
  }

  #reindex(): void {
    this.#open = new Map();
    this.#pending.forEach((each, place) => {
      if ("element" in each) this.#open.set(each.element.node.runtimeId, place);
    });
  }
}
