import { attribute, pidOf } from "../ax.ts";
import type { Mac, Own } from "../mac.ts";

interface Known {
  readonly id: string;
  readonly element: bigint;
  readonly pid: number;
  readonly parent: string | undefined;
  children: readonly string[];
}

/** A tree deeper than this is a circle. */
const deepest = 200;

/**
 * The elements that were seen, each retained under a name of its own. Two references mean the same element when CFEqual says
 * so; only siblings are compared, because comparing all with all takes seconds in a large app.
 */
export class Registry implements Disposable {
  readonly #mac: Mac;
  readonly #known = new Map<string, Known>();
  readonly #roots = new Map<number, readonly string[]>();
  #count = 0;

  constructor(mac: Mac) {
    this.#mac = mac;
  }

  find(id: string): Known | undefined {
    return this.#known.get(id);
  }

  /** The names of an element's children as they are now; what is no longer among them is forgotten. */
  children(pid: number, parent: string | undefined, elements: readonly bigint[]): readonly string[] {
    const before = this.#siblings(pid, parent);
    const now = elements.map((element) => this.#name(pid, parent, element, before));
    const kept = new Set(now);
    for (const id of before) if (!kept.has(id)) this.#forget(id);
    this.#keep(pid, parent, now);
    return now;
  }

  /** The name of any element, found by way of its ancestors; undefined when it is in no window. */
  resolve(own: Own, element: bigint): string | undefined {
    const pid = pidOf(this.#mac, element);
    if (pid === undefined) return undefined;
    const chain = [element];
    for (let depth = 0; depth < deepest; depth++) {
      const parent = attribute(this.#mac, own, chain[0] ?? element, "AXParent");
      if (parent === null || this.#isApp(own, parent)) break;
      chain.unshift(parent);
    }
    let id: string | undefined;
    for (const each of chain) {
      const siblings = this.#siblings(pid, id);
      const found = this.#name(pid, id, each, siblings);
      if (!siblings.includes(found)) this.#keep(pid, id, [...siblings, found]);
      id = found;
    }
    return id;
  }

  [Symbol.dispose](): void {
    for (const { element } of this.#known.values()) this.#mac.native.CFRelease(element);
    this.#known.clear();
    this.#roots.clear();
  }

  #isApp(own: Own, element: bigint): boolean {
    const role = attribute(this.#mac, own, element, "AXRole");
    return role !== null && this.#mac.native.CFEqual(role, this.#mac.name("AXApplication")) !== 0;
  }

  #siblings(pid: number, parent: string | undefined): readonly string[] {
    return (parent === undefined ? this.#roots.get(pid) : this.#known.get(parent)?.children) ?? [];
  }

  #keep(pid: number, parent: string | undefined, children: readonly string[]): void {
    const known = parent === undefined ? undefined : this.#known.get(parent);
    if (known) known.children = children;
    else this.#roots.set(pid, children);
  }

  #name(pid: number, parent: string | undefined, element: bigint, among: readonly string[]): string {
    const { native } = this.#mac;
    const same = among.find((id) => {
      const known = this.#known.get(id);
      return known !== undefined && native.CFEqual(known.element, element) !== 0;
    });
    if (same !== undefined) return same;
    const id = `${pid}:${++this.#count}`;
    native.CFRetain(element);
    this.#known.set(id, { id, element, pid, parent, children: [] });
    return id;
  }

  #forget(id: string): void {
    const known = this.#known.get(id);
    if (!known) return;
    this.#known.delete(id);
    for (const child of known.children) this.#forget(child);
    this.#mac.native.CFRelease(known.element);
  }
}
