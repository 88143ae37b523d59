/// <reference lib="dom" />
import type { Describe } from "./describe.ts";
import type { Dom } from "./dom.ts";
import type { Names } from "./names.ts";
import type { Roles } from "./roles.ts";

/** One element on its way out of the page: an array, because thousands of objects repeat their keys. */
export type Row = [
  id: number,
  /** Index of the parent among the rows; -1 for none. */
  parent: number,
  role: string,
  name: string,
  bounds: [x: number, y: number, width: number, height: number],
  states: string,
  value: string | number | null,
  more: {
    description?: string;
    range?: { min: number; max: number };
    tag?: string;
    id?: string;
    level?: number;
  } | null,
];

export interface Collected {
  readonly rows: Row[];
  /** Elements there are; more than rows when the budget was too small. */
  readonly total: number;
  readonly inventory: Record<string, number>;
  /** Elements that may have a closed shadow root nobody has looked into yet. */
  readonly suspects: number;
  /** The page is so large that only its beginning was looked at. */
  readonly isPartial: boolean;
  readonly url: string;
  readonly title: string;
}

export interface CollectOptions {
  readonly maxNodes: number;
  /** Only below this element. */
  readonly root?: number | undefined;
  /** Leave out places, descriptions and ranges: measuring takes a third of the time. */
  readonly isBrief?: boolean | undefined;
}

export interface SearchOptions {
  readonly query: string;
  readonly role: string;
  readonly max: number;
}

export type Collector = ReturnType<typeof makeCollector>;

export function makeCollector(dom: Dom, roles: Roles, names: Names, describe: Describe) {
  interface Item {
    readonly element: Element;
    parent: Item | undefined;
    readonly role: string;
    /** Set for text that is no element's name. */
    text: string | undefined;
    /** The element is listed by itself already, so this text has no number of its own. */
    readonly isRest: boolean;
    index: number;
    dropped: boolean;
  }

  const words = (text: string): Set<string> => new Set(text.split(" "));
  const structural = words(
    "alert alertdialog article banner blockquote canvas caption cell columnheader complementary contentinfo definition dialog " +
      "feed figure form grid group heading iframe image list listitem log main math menu menubar meter navigation note paragraph " +
      "progressbar radiogroup region row rowheader search separator status tabpanel table tablist term timer toolbar tooltip tree " +
      "treegrid video audio embed object marquee",
  );
  /** With nothing but text in them they are one line. */
  const folding = words(
    "alert blockquote caption cell columnheader definition figure gridcell group listitem log note paragraph region row rowheader status tabpanel " +
      "term timer tooltip",
  );
  const wrapping = words("listitem cell gridcell columnheader rowheader definition term");
  const needsName = words("group figure image region form list row separator paragraph");
  const skipped = words("script style template noscript head meta link title base param source track datalist");
  const hosts = words("article aside blockquote body div footer h1 h2 h3 h4 h5 h6 header main nav p section span");
  const inline = words(
    "a abbr b bdi bdo cite code data dfn em font i kbd label mark q s samp small span strong sub sup time tt u var wbr ins del slot",
  );
  const probed = new WeakSet<Element>();
  let suspects: Element[] = [];

  const suspect = (element: Element): void => {
    if (probed.has(element) || dom.shadowOf(element)) return;
    const isCustom = element.localName.indexOf("-") > 0;
    if (isCustom ? !element.matches(":defined") : !hosts.has(element.localName)) return;
    if (!isCustom) {
      // A plain element with a closed root shows none of its own children; only an empty one that is drawn is worth asking.
      if (element.firstChild || (element as HTMLElement).offsetHeight < 8 || (element as HTMLElement).offsetWidth < 8)
        return;
    }
    suspects.push(element);
  };

  const isClickable = (element: Element): boolean =>
    element.hasAttribute("onclick") ||
    element.hasAttribute("tabindex") ||
    (element.childElementCount < 2 && getComputedStyle(element).cursor === "pointer");

  // Hundreds of thousands of elements: nobody reads them all, and the page must go on working.
  const longestWalkMs = 2_000;
  let isPartial = false;

  const walk = (start: Element): Item[] => {
    const until = performance.now() + longestWalkMs;
    let visits = 0;
    isPartial = false;
    const items: Item[] = [];
    let buffer = "";
    let owner: Element | undefined;
    let ownerItem: Item | undefined;
    const given = new Set<Element>();
    const push = (element: Element, parent: Item | undefined, role: string, text?: string, isRest = false): Item => {
      const item: Item = { element, parent, role, text, isRest, index: -1, dropped: false };
      items.push(item);
      if (!isRest) given.add(element);
      return item;
    };
    const flush = (): void => {
      const text = names.squash(buffer);
      if (text !== "" && owner) push(owner, ownerItem, "text", names.cut(text), given.has(owner));
      buffer = "";
      owner = undefined;
    };
    const visitChildren = (element: Element, parent: Item | undefined, isNamed: boolean, depth: number): void => {
      dom.eachChild(element, (child) => {
        if (child.nodeType === Node.ELEMENT_NODE) visit(child as Element, parent, isNamed, depth);
        else if (child.nodeType === Node.TEXT_NODE) visitText(child.nodeValue || "", element, parent, isNamed);
      });
    };
    const visitText = (text: string, element: Element, parent: Item | undefined, isNamed: boolean): void => {
      if (isNamed || !/\S/.test(text)) {
        if (buffer !== "") buffer += " ";
        return;
      }
      if (!owner) {
        if (!dom.isShown(element)) return;
        owner = element;
        ownerItem = parent;
      }
      buffer += text;
    };
    const visit = (element: Element, parent: Item | undefined, isNamed: boolean, depth: number): void => {
      const tag = element.localName;
      if (skipped.has(tag) || depth > 400 || isPartial) return;
      if (++visits % 256 === 0 && performance.now() > until) {
        isPartial = true;
        return;
      }
      if (element.getAttribute("aria-hidden") === "true" && !roles.isFocusable(element)) return;
      if (tag === "br") {
        buffer += " ";
        return;
      }
      if (!dom.isLaidOut(element)) {
        if (tag !== "option" && tag !== "optgroup" && tag !== "area") return;
      }
      suspect(element);
      const role = roles.roleOf(element);
      const isEditing = describe.isEditingHost(element);
      const isPlain = role === "generic" || role === "none" || !(structural.has(role) || roles.isInteractive(role));
      let shown: string | undefined;
      if (isEditing && isPlain) shown = "textbox";
      else if (!isPlain) shown = role;
      else if (
        !isNamed &&
        role === "generic" &&
        tag !== "body" &&
        element.childNodes.length < 4 &&
        isClickable(element)
      ) {
        shown = "clickable";
      }
      if (shown !== undefined && tag !== "option" && tag !== "optgroup" && !dom.isShown(element)) shown = undefined;
      if (shown === undefined) {
        const field = tag === "label" ? (element as HTMLLabelElement).control : null;
        // The text of a label is its field's name.
        if (field && dom.isShown(field)) {
          flush();
          visitChildren(element, parent, true, depth + 1);
          return;
        }
        const breaks = !inline.has(tag);
        if (breaks) flush();
        if (tag === "svg") return;
        visitChildren(element, parent, isNamed, depth + 1);
        if (breaks) flush();
        return;
      }
      flush();
      const item = push(element, parent, shown);
      const at = items.length;
      if (tag === "select" && !(element as HTMLSelectElement).multiple && (element as HTMLSelectElement).size <= 1)
        return;
      if (tag === "svg" || tag === "iframe" || tag === "textarea" || shown === "canvas" || shown === "image") return;
      const takes = isEditing || (names.takesContent(shown) && !folding.has(shown));
      visitChildren(element, item, takes, depth + 1);
      flush();
      fold(item, items, at);
    };
    const fold = (item: Item, all: Item[], at: number): void => {
      if (!folding.has(item.role) && item.role !== "clickable") return;
      const only = all[at];
      if (all.length === at + 1 && only && only.text !== undefined && only.parent === item) {
        item.text = only.text;
        all.length = at;
        return;
      }
      // One thing in a row of its own needs no row around it.
      const inner = all.slice(at).filter(({ parent }) => parent === item);
      if (wrapping.has(item.role) && inner.length === 1 && inner[0]?.role !== "text") {
        item.dropped = true;
        return;
      }
      // A group without a name that only wraps others says nothing.
      if (item.role === "clickable" && all.length > at && all.slice(at).some(({ role }) => role !== "text"))
        item.dropped = true;
    };
    if (start === document.body || start === document.documentElement) visitChildren(start, undefined, false, 0);
    else visit(start, undefined, false, 0);
    flush();
    return clean(items);
  };

  /** Without the groups that say nothing; what was in them hangs one higher. */
  const clean = (items: Item[]): Item[] => {
    const kept: Item[] = [];
    for (const item of items) {
      while (item.parent && item.parent.dropped) item.parent = item.parent.parent;
      if (!item.dropped && item.text === undefined && needsName.has(item.role)) {
        const isLabelled =
          item.element.hasAttribute("aria-label") ||
          item.element.hasAttribute("aria-labelledby") ||
          (item.role !== "list" && names.nameOf(item.element) !== "");
        if (!isLabelled) item.dropped = true;
      }
      if (!item.dropped) {
        item.index = kept.length;
        kept.push(item);
      }
    }
    return kept;
  };

  const boundsOf = (item: Item): [number, number, number, number] => {
    const { x, y, width, height } = item.element.getBoundingClientRect();
    return [round(x), round(y), round(width), round(height)];
  };
  const round = (value: number): number => Math.round(value * 10) / 10;

  const nameOf = (item: Item): string =>
    (item.role === "text" ? "" : names.nameOf(item.element, item.role)) || item.text || "";

  const levelOf = (element: Element): number =>
    Number(/^h[1-6]$/.test(element.localName) ? element.localName[1] : element.getAttribute("aria-level") || 0);

  const rowOf = (item: Item, parent: number, active: Element | undefined, isBrief = false): Row => {
    const { element, role } = item;
    const bounds: [number, number, number, number] = isBrief ? [0, 0, 0, 0] : boundsOf(item);
    if (role === "text")
      return [item.isRest ? 0 : dom.idOf(element), parent, role, item.text || "", bounds, "enabled", null, null];
    const name = nameOf(item);
    const description = isBrief ? "" : names.descriptionOf(element, name);
    const range = isBrief ? undefined : describe.rangeOf(element, role);
    const level = role === "heading" ? levelOf(element) : 0;
    const more = {
      ...(description === "" ? {} : { description }),
      ...(range ? { range } : {}),
      ...(element.id && !isBrief ? { id: element.id } : {}),
      ...(level > 0 ? { level } : {}),
    };
    const value = describe.valueOf(element, role);
    const states = describe.statesOf(element, role, active).join(" ");
    return [
      dom.idOf(element),
      parent,
      role,
      name,
      bounds,
      states,
      value === undefined ? null : value,
      Object.keys(more).length > 0 ? more : null,
    ];
  };

  const startOf = (root: number | undefined): Element => {
    const found = root === undefined ? undefined : dom.element(root);
    return found || document.body || document.documentElement;
  };

  const countRoles = (items: readonly Item[]): Record<string, number> => {
    const counts: Record<string, number> = {};
    for (const { role } of items) counts[role] = (counts[role] || 0) + 1;
    return counts;
  };

  /** What can be seen without scrolling comes first, with everything it hangs from. */
  const choose = (items: readonly Item[], most: number): readonly Item[] => {
    if (items.length <= most) return items;
    const chosen = new Set<Item>();
    const take = (item: Item): void => {
      const chain: Item[] = [];
      for (let each: Item | undefined = item; each && !chosen.has(each); each = each.parent) chain.push(each);
      if (chosen.size + chain.length <= most) for (const each of chain) chosen.add(each);
    };
    for (const item of items) {
      if (chosen.size >= most) break;
      const { x, y, right, bottom } = item.element.getBoundingClientRect();
      if (bottom > 0 && right > 0 && y < innerHeight && x < innerWidth) take(item);
    }
    for (const item of items) {
      if (chosen.size >= most) break;
      take(item);
    }
    return items.filter((item) => chosen.has(item));
  };

  const toRows = (items: readonly Item[], isBrief: boolean): Row[] => {
    const active = dom.deepActive();
    const indexes = new Map<Item, number>();
    return items.map((item, index) => {
      indexes.set(item, index);
      const parent = item.parent ? indexes.get(item.parent) : undefined;
      return rowOf(item, parent === undefined ? -1 : parent, active, isBrief);
    });
  };

  const inBulk = <T>(work: () => T): T => {
    suspects = [];
    names.startBulk();
    try {
      return work();
    } finally {
      names.endBulk();
    }
  };

  const collect = ({ maxNodes, root, isBrief = false }: CollectOptions): Collected => {
    const { items, rows } = inBulk(() => {
      const found = walk(startOf(root));
      return { items: found, rows: toRows(choose(found, maxNodes), isBrief) };
    });
    return {
      rows,
      total: items.length,
      inventory: countRoles(items),
      suspects: suspects.length,
      isPartial,
      url: location.href,
      title: document.title,
    };
  };

  const score = (text: string, query: string): number => {
    const own = text.toLowerCase();
    if (own === "") return 0;
    if (own === query) return 100;
    if (own.startsWith(query)) return 80;
    if (new RegExp(`\\b${query.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}`).test(own)) return 65;
    if (own.indexOf(query) >= 0) return 50;
    const parts = query.split(/\s+/).filter((part) => part !== "");
    const hits = parts.filter((part) => own.indexOf(part) >= 0).length;
    return parts.length > 1 && hits > 0 ? Math.round((40 * hits) / parts.length) : 0;
  };

  const search = (options: SearchOptions): Collected & { readonly scores: number[] } =>
    inBulk(() => searchNow(options));

  const searchNow = ({ query, role, max }: SearchOptions): Collected & { readonly scores: number[] } => {
    const items = walk(startOf(undefined));
    const wanted = names.squash(query).toLowerCase();
    const active = dom.deepActive();
    const rated: { item: Item; rate: number }[] = [];
    for (const item of items) {
      if (role !== "" && item.role !== role) continue;
      const { element } = item;
      const name = nameOf(item);
      let rate = wanted === "" ? 1 : score(name, wanted);
      if (rate < 50 && wanted !== "" && item.role !== "text") {
        const value = describe.valueOf(element, item.role);
        const others = [
          value === undefined ? "" : String(value),
          element.getAttribute("placeholder") || "",
          element.id,
          element.getAttribute("name") || "",
          element.getAttribute("title") || "",
          element.getAttribute("data-testid") || "",
        ];
        for (const other of others) rate = Math.max(rate, score(other, wanted) * 0.6);
        if (item.role === wanted) rate = Math.max(rate, 20);
      }
      if (rate === 0) continue;
      const isPart = item.role === "text";
      rated.push({ item, rate: rate + (roles.isInteractive(item.role) ? 10 : 0) - (isPart ? 5 : 0) });
    }
    rated.sort((a, b) => b.rate - a.rate || a.item.index - b.item.index);
    const best = rated.slice(0, max);
    return {
      rows: best.map(({ item }) => rowOf(item, -1, active)),
      scores: best.map(({ rate }) => rate),
      total: rated.length,
      inventory: countRoles(items),
      suspects: suspects.length,
      isPartial,
      url: location.href,
      title: document.title,
    };
  };

  /** One element as it is now; undefined when it has gone. */
  const read = (id: number): Row | undefined => {
    const element = dom.element(id);
    if (!element) return undefined;
    const own = roles.roleOf(element);
    const isText = own === "generic" || own === "none";
    const role = describe.isEditingHost(element) && isText ? "textbox" : isText ? "text" : own;
    const text =
      isText || folding.has(role)
        ? names.cut(names.squash((element as HTMLElement).innerText || element.textContent || ""))
        : undefined;
    return rowOf(
      { element, parent: undefined, role, text, isRest: false, index: 0, dropped: false },
      -1,
      dom.deepActive(),
    );
  };

  return {
    collect,
    search,
    read,
    takeSuspects: (): Element[] => {
      const taken = suspects.slice(0, 300);
      for (const each of taken) probed.add(each);
      return taken;
    },
    adopt: (host: Element, root: ShadowRoot): void => dom.adopt(host, root),
    /** Where the fields are that hide what is typed into them, in shadow roots too. */
    secretBoxes: (): { boxes: [number, number, number, number][]; suspects: number } => {
      suspects = [];
      const boxes: [number, number, number, number][] = [];
      const visit = (root: Document | ShadowRoot): void => {
        for (const element of Array.from(root.querySelectorAll("*"))) {
          if (element instanceof HTMLInputElement && element.type === "password") {
            const { x, y, width, height } = element.getBoundingClientRect();
            if (width > 0 && height > 0) boxes.push([x, y, width, height]);
          }
          const inner = dom.shadowOf(element);
          if (inner) visit(inner);
          else suspect(element);
        }
      };
      visit(document);
      return { boxes, suspects: suspects.length };
    },
    elementOf: (id: number): Element | undefined => dom.element(id),
    numberOf: (element: Element): number => dom.idOf(element),
    /** The number the element has been given, without giving it one. */
    knownNumber: (element: Element): number => dom.peekId(element) || 0,
    knownParent: (node: Node): number => {
      const parent = dom.parentOf(node);
      return parent ? dom.peekId(parent) || 0 : 0;
    },
    activeId: (): number => {
      const active = dom.deepActive();
      return active ? dom.idOf(active) : 0;
    },
    at: (x: number, y: number): number[] => {
      const ids: number[] = [];
      for (let element = dom.deepFromPoint(x, y); element && ids.length < 64; element = dom.parentOf(element)) {
        if (element !== document.documentElement) ids.push(dom.idOf(element));
      }
      return ids;
    },
    textOf: (id: number): string | undefined => {
      const element = dom.element(id);
      if (!element) return undefined;
      if (element instanceof HTMLInputElement) return element.type === "password" ? undefined : element.value;
      if (element instanceof HTMLTextAreaElement) return element.value;
      return (element as HTMLElement).innerText || element.textContent || "";
    },
    /** Where the content of a frame's element begins. */
    contentBox: (id: number): [number, number, number, number] | undefined => {
      const element = dom.element(id) as HTMLElement | undefined;
      if (!element) return undefined;
      const rect = element.getBoundingClientRect();
      const style = getComputedStyle(element);
      const x = rect.x + element.clientLeft + Number.parseFloat(style.paddingLeft);
      const y = rect.y + element.clientTop + Number.parseFloat(style.paddingTop);
      return [x, y, element.clientWidth, element.clientHeight];
    },
  };
}
