/// <reference lib="dom" />
import type { Dom } from "./dom.ts";
import type { Roles } from "./roles.ts";

export type Heard = ReturnType<typeof makeHeard>;

/** Remembers which elements have listeners for presses. Only the browser knows them. */
export function makeHeard(dom: Dom, roles: Roles) {
  /** By the browser's own number of the element. */
  const known = new Map<number, WeakRef<Element>>();
  let pressed = new Set<Element>();
  let drawings = new Set<Element>();
  /** Their listeners nobody has asked for yet. */
  let fresh: ShadowRoot[] = [];
  dom.onRoot((root) => fresh.push(root));

  return {
    freshRoots: (): number => fresh.length,
    ownDocument: (): Document => document,
    takeRoots: (most: number): ShadowRoot[] => {
      const taken = fresh.slice(0, most);
      fresh = [];
      return taken;
    },
    /**
     * `numbers` is all of them; `elements` those of the last numbers, which were not known before. Returns whether an
     * element is listed differently from now on.
     */
    hear: (numbers: number[], ...elements: Element[]): boolean => {
      for (const [index, element] of elements.entries()) {
        const number = numbers[numbers.length - elements.length + index];
        if (number !== undefined && element instanceof Element) known.set(number, new WeakRef(element));
      }
      const before = pressed;
      pressed = new Set();
      drawings = new Set();
      for (const number of numbers) {
        const element = known.get(number)?.deref();
        // A button is a button with or without listeners.
        if (!element || roles.isInteractive(roles.roleOf(element))) continue;
        pressed.add(element);
        const svg = element instanceof SVGElement ? element.ownerSVGElement : null;
        for (let each = svg; each; each = each.ownerSVGElement) drawings.add(each);
      }
      const current = new Set(numbers);
      for (const number of Array.from(known.keys())) if (!current.has(number)) known.delete(number);
      return before.size !== pressed.size || Array.from(before).some((element) => !pressed.has(element));
    },
    hears: (element: Element): boolean => pressed.has(element),
    /** A shape in this drawing can be pressed. */
    hasHeardParts: (svg: Element): boolean => drawings.has(svg),
  };
}
