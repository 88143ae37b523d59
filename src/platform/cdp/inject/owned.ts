/// <reference lib="dom" />
import type { Dom } from "./dom.ts";

export type Owned = ReturnType<typeof makeOwned>;

/** References by id, and the elements that `aria-owns` moves to another parent. */
export function makeOwned(dom: Dom) {
  const byIds = (element: Element, attribute: string): Element[] => {
    const ids = element.getAttribute(attribute);
    if (!ids) return [];
    const root = element.getRootNode() as Document | ShadowRoot;
    const found: Element[] = [];
    for (const id of ids.split(/\s+/)) {
      const target = id === "" ? null : root.getElementById(id);
      if (target) found.push(target);
    }
    return found;
  };

  type Owners = Map<Element, Element>;
  let known: Map<Node, Owners | undefined> | undefined;
  const ownersIn = (root: Document | ShadowRoot): Owners | undefined => {
    if (known && known.has(root)) return known.get(root);
    const owners = readOwners(root);
    if (known) known.set(root, owners);
    return owners;
  };

  const readOwners = (root: Document | ShadowRoot): Owners | undefined => {
    if (!root.querySelector("[aria-owns]")) return undefined;
    const owners: Owners = new Map();
    for (const owner of Array.from(root.querySelectorAll("[aria-owns]"))) {
      if (!dom.isLaidOut(owner) || owner.closest("[aria-hidden=true]")) continue;
      for (const target of byIds(owner, "aria-owns")) {
        const isFree = !owners.has(target) && !target.contains(owner);
        if (isFree && dom.isLaidOut(target)) owners.set(target, owner);
      }
    }
    return owners;
  };

  return {
    byIds,
    startBulk: (): void => {
      known = new Map();
    },
    endBulk: (): void => {
      known = undefined;
    },
    /** The elements it owns in addition to its children. */
    of: (element: Element): readonly Element[] => {
      if (!element.hasAttribute("aria-owns")) return [];
      const owners = ownersIn(dom.rootOf(element));
      return owners ? byIds(element, "aria-owns").filter((target) => owners.get(target) === element) : [];
    },
    /** Whether it belongs to an element other than its parent. */
    isElsewhere: (element: Element): boolean => {
      if (!element.hasAttribute("id")) return false;
      const owners = ownersIn(dom.rootOf(element));
      return owners !== undefined && owners.has(element);
    },
  };
}
