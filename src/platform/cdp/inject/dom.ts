/// <reference lib="dom" />

/*
 * The functions in this folder run inside pages: `source.ts` takes their text. They may use nothing but their
 * parameters and the DOM, and no language feature younger than Chromium 87, which embedded engines still ship.
 */

export type Dom = ReturnType<typeof makeDom>;

/** The tree as it is rendered (shadow roots and slots in place), and numbers that last as long as their elements. */
export function makeDom() {
  const closedRoots = new WeakMap<Element, ShadowRoot>();
  let hasClosedRoots = false;
  const ids = new WeakMap<Element, number>();
  const elements = new Map<number, WeakRef<Element>>();
  const rootListeners: ((root: ShadowRoot) => void)[] = [];
  const seenRoots = new WeakSet<ShadowRoot>();
  let hasRoots = false;
  const gone = new FinalizationRegistry<number>((id) => elements.delete(id));
  let last = 0;

  const shadowOf = (element: Element): ShadowRoot | undefined => {
    const root = element.shadowRoot || (hasClosedRoots ? closedRoots.get(element) : undefined);
    if (!root) return undefined;
    if (!seenRoots.has(root)) {
      seenRoots.add(root);
      hasRoots = true;
      for (const listener of rootListeners) listener(root);
    }
    return root;
  };

  /** Visits its children as rendered, until the visitor returns true. Building lists of children would be slow. */
  const eachChild = (element: Element, visit: (child: Node) => boolean | void): void => {
    if (hasRoots && element.localName === "slot" && element.getRootNode() instanceof ShadowRoot) {
      const assigned = (element as HTMLSlotElement).assignedNodes();
      for (let index = 0; index < assigned.length; index++) if (visit(assigned[index] as Node) === true) return;
      if (assigned.length > 0) return;
    }
    const first = (shadowOf(element) || element).firstChild;
    for (let child = first; child; child = child.nextSibling) if (visit(child) === true) return;
  };

  /** Only elements reached through a shadow root can be in one; asking thousands of elements takes long. */
  const rootOf = (element: Element): Document | ShadowRoot =>
    hasRoots ? (element.getRootNode() as Document | ShadowRoot) : document;

  /** For elements that were found in another way. */
  const noteRoot = (element: Element): void => {
    if (element.getRootNode() instanceof ShadowRoot) hasRoots = true;
  };

  const parentOf = (node: Node): Element | undefined => {
    const slot = (node as Element).assignedSlot;
    if (slot) return slot;
    const parent = node.parentNode;
    if (parent instanceof ShadowRoot) return parent.host;
    return parent instanceof Element ? parent : undefined;
  };

  const idOf = (element: Element): number => {
    const known = ids.get(element);
    if (known !== undefined) return known;
    const id = ++last;
    ids.set(element, id);
    elements.set(id, new WeakRef(element));
    gone.register(element, id);
    return id;
  };

  const isInside = (inner: Node | undefined, outer: Element): boolean => {
    for (let node = inner; node; node = parentOf(node)) if (node === outer) return true;
    return false;
  };

  const canCheck = typeof Element.prototype.checkVisibility === "function";
  const visibly = { checkVisibilityCSS: true, visibilityProperty: true };
  // When many elements are read at once, the same one is often checked twice in a row.
  let isInBulk = false;
  let asked: Element | undefined;
  let answer = false;
  const isShown = (element: Element): boolean => {
    if (isInBulk && asked === element) return answer;
    const shows = isVisible(element);
    asked = isInBulk ? element : undefined;
    answer = shows;
    return shows;
  };
  const isVisible = (element: Element): boolean => {
    if (canCheck && element.checkVisibility(visibly)) return true;
    if (canCheck) {
      // It has no box itself, but its content has.
      const isThrough = element.localName === "slot" || getComputedStyle(element).display === "contents";
      const parent = isThrough ? parentOf(element) : undefined;
      return parent !== undefined && isShown(parent);
    }
    if (element.getClientRects().length === 0 && getComputedStyle(element).display !== "contents") return false;
    return getComputedStyle(element).visibility === "visible";
  };
  /** Whether it takes part in layout at all; its children may be visible even when it is not. */
  const isLaidOut = (element: Element): boolean => {
    if (isShown(element)) return true;
    if (canCheck) return element.checkVisibility() || getComputedStyle(element).display === "contents";
    return element.getClientRects().length > 0 || getComputedStyle(element).display === "contents";
  };

  const deepActive = (): Element | undefined => {
    let active: Element | null = document.activeElement;
    for (let root = active && shadowOf(active); active && root && root.activeElement; root = shadowOf(active)) {
      active = root.activeElement;
    }
    return active && active !== document.body ? active : undefined;
  };

  const deepFromPoint = (x: number, y: number): Element | undefined => {
    let hit: Element | null = document.elementFromPoint(x, y);
    for (let depth = 0; hit && depth < 32; depth++) {
      const inner: Element | null | undefined = shadowOf(hit)?.elementFromPoint(x, y);
      if (!inner || inner === hit) break;
      hit = inner;
    }
    return hit || undefined;
  };

  // As in checks.ts: what a transform moves farther away is treated as being at the limit.
  const farthest = 1e9;
  const near = (value: number): number => Math.min(farthest, Math.max(-farthest, value)) || 0;
  const boxOf = ({ x, y, width, height }: DOMRect): [number, number, number, number] => [
    near(x),
    near(y),
    near(width),
    near(height),
  ];

  // Form fields and named forms can hide properties of the same name: <input name=id>, <form name=title>.
  const title = Object.getOwnPropertyDescriptor(Document.prototype, "title");
  const titleNow = (): string => (title?.get ? String(title.get.call(document)) : document.title);
  const idAttribute = (element: Element): string =>
    hiddenFrames.has(element)
      ? ""
      : typeof element.id === "string"
        ? element.id
        : Element.prototype.getAttribute.call(element, "id") || "";

  // Elements that show a frame which nobody may see: they have no name either.
  const hiddenFrames = new Set<Element>();

  // A password field that reveals its content on request is still a password field.
  const secrets = new WeakSet<Element>();
  const styled = new WeakSet<Element>();
  /** Whether it hides what is typed into it, did so when checked before, or declares that it is for a password. */
  const isSecret = (element: Element): boolean => {
    if (element.localName !== "input" && element.localName !== "textarea") return false;
    if (secrets.has(element)) return true;
    const is =
      (element as HTMLInputElement).type === "password" ||
      /\b(current|new)-password\b/i.test(element.getAttribute("autocomplete") || "") ||
      isDotted(element);
    if (is) secrets.add(element);
    return is;
  };
  /** Styled to show dots. Checked once: reading the style of thousands of fields takes long. */
  const isDotted = (element: Element): boolean => {
    if (styled.has(element)) return false;
    styled.add(element);
    return /^(disc|circle|square)$/.test(getComputedStyle(element).getPropertyValue("-webkit-text-security"));
  };

  return {
    shadowOf,
    rootOf,
    noteRoot,
    isSecret,
    eachChild,
    parentOf,
    idOf,
    isInside,
    isShown,
    isLaidOut,
    deepActive,
    deepFromPoint,
    boxOf,
    titleNow,
    idAttribute,
    peekId: (element: Element): number | undefined => ids.get(element),
    /** The element, if it is still part of the document. */
    element: (id: number): Element | undefined => {
      const element = elements.get(id)?.deref();
      return element && element.isConnected ? element : undefined;
    },
    wasGiven: (id: number): boolean => id <= last,
    startBulk: (): void => {
      isInBulk = true;
      asked = undefined;
    },
    endBulk: (): void => {
      isInBulk = false;
      asked = undefined;
    },
    adopt: (host: Element, root: ShadowRoot): void => {
      closedRoots.set(host, root);
      hasClosedRoots = true;
      hasRoots = true;
    },
    hideFrames: (ids: readonly number[]): void => {
      hiddenFrames.clear();
      for (const id of ids) {
        const element = elements.get(id)?.deref();
        if (element) hiddenFrames.add(element);
      }
    },
    isHiddenFrame: (element: Element): boolean => hiddenFrames.has(element),
    hiddenFrames: (): Element[] => Array.from(hiddenFrames).filter((element) => element.isConnected),
    onRoot: (listener: (root: ShadowRoot) => void): void => {
      rootListeners.push(listener);
    },
  };
}
