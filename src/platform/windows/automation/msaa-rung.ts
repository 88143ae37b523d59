import type { NodeAction, UiNode } from "../../../base/node.ts";
import type { Branch } from "./gather.ts";
import { KnownObjects } from "./known-objects.ts";
import { isProtected, toAccessibleNode } from "./msaa-describe.ts";
import { performAccessible } from "./msaa-perform.ts";
import type { Accessible, AccessibleFacts, Msaa } from "./msaa.ts";
import { gone } from "./refusals.ts";
import type { Rung, RungContext, RungText } from "./rung.ts";
import type { WindowFacts } from "./window.ts";

/** Elements over Microsoft Active Accessibility. It has no ids: an object is the same while it is held. */
export class MsaaRung implements Rung {
  readonly name = "MSAA";
  readonly prefix = "m";
  readonly #msaa: Msaa;
  readonly #facts: Pick<WindowFacts, "pidOf" | "exists">;
  readonly #known = new KnownObjects<Accessible>();
  readonly #numbers = new Map<string, number>();
  #count = 0;
  /** Ids of an earlier thread must not name an element of this one. */
  readonly #mark = process.hrtime.bigint().toString(36);

  constructor(msaa: Msaa, facts: Pick<WindowFacts, "pidOf" | "exists">) {
    this.#msaa = msaa;
    this.#facts = facts;
  }

  open(hwnd: number, context: RungContext): Branch | undefined {
    this.#known.begin(hwnd);
    this.#known.drop((each) => !this.#facts.exists(each));
    const root = this.#msaa.client(hwnd);
    const branch = root && this.#branch(hwnd, root, undefined, context);
    // The stand-in for a window without an implementation of its own has children that answer nothing.
    return branch && branch.children().branches.length > 0 ? branch : undefined;
  }

  finish(hwnd: number): void {
    this.#known.finish(hwnd);
  }

  windowOf(id: string): number | undefined {
    const match = /^m(\d+)\//.exec(id);
    return match ? Number(match[1]) : undefined;
  }

  branch(id: string, context: RungContext): Branch | undefined {
    const hwnd = this.windowOf(id) ?? 0;
    const known = this.#known.get(hwnd, id);
    const facts = known && this.#msaa.read(known);
    return known && facts && this.#toBranch(hwnd, id, known, facts, context);
  }

  read(id: string, context: RungContext): UiNode | undefined {
    const hwnd = this.windowOf(id);
    if (hwnd === undefined || !this.#facts.exists(hwnd)) return undefined;
    const known = this.#known.get(hwnd, id);
    const facts = known && this.#msaa.read(known);
    return facts && this.#node(hwnd, id, facts, context);
  }

  perform(id: string, action: NodeAction, context: RungContext, begin: (via: string) => void): string {
    const node = this.read(id, context);
    const known = this.#known.get(this.windowOf(id) ?? 0, id);
    if (!node || !known) throw gone();
    begin(`MSAA ${action.name}`);
    return performAccessible(this.#msaa, known, node, action);
  }

  text(id: string, maxChars: number): RungText | undefined {
    const known = this.#known.get(this.windowOf(id) ?? 0, id);
    const facts = known && this.#msaa.read(known);
    if (!facts || isProtected(facts)) return undefined;
    const text = facts.value ?? facts.name;
    return { text: text.slice(0, maxChars), length: text.length };
  }

  release(): void {
    this.#known.drop();
  }

  #branch(hwnd: number, element: Accessible, parent: string | undefined, context: RungContext): Branch | undefined {
    const facts = this.#msaa.read(element);
    if (!facts) {
      element.object.release();
      return undefined;
    }
    const id = this.#idOf(hwnd, element);
    this.#known.put(hwnd, id, element, parent);
    return this.#toBranch(hwnd, id, element, facts, context);
  }

  #toBranch(hwnd: number, id: string, element: Accessible, facts: AccessibleFacts, context: RungContext): Branch {
    let read: readonly Branch[] | undefined;
    return {
      node: this.#node(hwnd, id, facts, context),
      children: () => {
        read ??= this.#msaa.children(element).flatMap((child) => this.#branch(hwnd, child, id, context) ?? []);
        return { branches: read };
      },
    };
  }

  #idOf(hwnd: number, element: Accessible): string {
    const key = `${this.#msaa.identity(element)}/${element.childId}`;
    const named = (number: number): string => `m${hwnd}/${this.#mark}.${number}`;
    const before = this.#numbers.get(key);
    // An object that was given back may have a successor at its address.
    if (before !== undefined && this.#known.get(hwnd, named(before))) return named(before);
    this.#numbers.set(key, ++this.#count);
    return named(this.#count);
  }

  #node(hwnd: number, id: string, facts: AccessibleFacts, { clip }: RungContext): UiNode {
    const parent = this.#known.parentOf(hwnd, id);
    return toAccessibleNode(facts, { id, parent, windowId: hwnd, pid: this.#facts.pidOf(hwnd), clip });
  }
}
