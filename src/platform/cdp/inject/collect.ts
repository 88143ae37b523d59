/// <reference lib="dom" />
import type { Matcher } from "../../../base/match-text.ts";
import type { ClosedRoots } from "./closed-roots.ts";
import type { Describe } from "./describe.ts";
import type { Dom } from "./dom.ts";
import type { Heard } from "./heard.ts";
import type { Hints } from "./hints.ts";
import type { Names } from "./names.ts";
import type { Roles } from "./roles.ts";
import type { makeRows, PackedRows, Row } from "./rows.ts";
import type { Item, Walking } from "./walk.ts";

export interface Found {
  readonly rows: Row[];
  /** The number of elements; more than rows when the budget was too small. */
  readonly total: number;
  readonly inventory: Record<string, number>;
  /** Elements that may have a closed shadow root that has not been checked yet. */
  readonly suspects: number;
  /** Elements whose names only the browser knows. */
  readonly unsure: number;
  /** Shadow roots whose listeners nobody has asked for yet. */
  readonly freshRoots: number;
  /** Only the beginning of a very large page was read. */
  readonly isPartial: boolean;
  readonly url: string;
  readonly title: string;
}

/** In the form in which it is sent. */
export type Collected = Omit<Found, "rows"> & PackedRows;

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

export function makeCollector(
  dom: Dom,
  roles: Roles,
  names: Names,
  describe: Describe,
  roots: ClosedRoots,
  { walk, wasCutShort, folds, isTextual, plainKind }: Walking,
  { hear, ownDocument, takeRoots, freshRoots, hears }: Heard,
  { hintOf }: Hints,
  matcher: Matcher,
  pack: ReturnType<typeof makeRows>,
) {
  const rectOf = ({ element, span }: Item): DOMRect => {
    // A text may begin in one element and end in the next.
    if (!span || (span[0] === element.firstChild && span[1] === element.lastChild))
      return element.getBoundingClientRect();
    const range = document.createRange();
    range.setStartBefore(span[0]);
    range.setEndAfter(span[1]);
    return range.getBoundingClientRect();
  };
  const boundsOf = (item: Item): [number, number, number, number] => {
    const [x, y, width, height] = dom.boxOf(rectOf(item));
    return [round(x), round(y), round(width), round(height)];
  };
  const nowhere: [number, number, number, number] = [0, 0, 0, 0];
  const round = (value: number): number => Math.round(value * 10) / 10;

  const nameOf = (item: Item): string =>
    (item.role === "text" ? "" : names.nameOf(item.element, item.role)) || item.text || "";

  const levelOf = (element: Element): number => {
    const level = Number(
      /^h[1-6]$/.test(element.localName) ? element.localName[1] : element.getAttribute("aria-level"),
    );
    return Number.isFinite(level) ? level : 0;
  };

  const rowOf = (item: Item, parent: number, active: Element | undefined, isBrief = false): Row => {
    const { element, role } = item;
    const bounds = isBrief ? nowhere : boundsOf(item);
    if (role === "text")
      return [
        item.isRest ? 0 : dom.idOf(element),
        parent,
        item.means || role,
        item.text || "",
        bounds,
        "enabled",
        null,
        null,
      ];
    const name = nameOf(item);
    const level = role === "heading" ? levelOf(element) : 0;
    const value = describe.valueOf(element, role);
    const isPressed = item.isPressed === true && role !== "clickable";
    const states = describe.statesOf(element, role, active).join(" ") + (isPressed ? " clickable" : "");
    const more = isBrief && name !== "" ? (level > 0 ? { level } : null) : moreOf(element, role, name, level);
    return [dom.idOf(element), parent, role, name, bounds, states, value === undefined ? null : value, more];
  };

  const moreOf = (element: Element, role: string, name: string, level: number): Row[7] => {
    const description =
      names.descriptionOf(element, name) || (name === "" && wantsHint(element, role) ? hintOf(element) : "");
    const range = describe.rangeOf(element, role);
    const id = dom.idAttribute(element);
    const placeholder =
      names.squash(element.getAttribute("placeholder") || "") || element.getAttribute("aria-placeholder") || "";
    const more = {
      ...(description === "" ? {} : { description }),
      ...(range ? { range } : {}),
      ...(id === "" ? {} : { id }),
      ...(level > 0 ? { level } : {}),
      ...(placeholder === "" ? {} : { placeholder }),
    };
    return Object.keys(more).length > 0 ? more : null;
  };

  /** A control, not a field: what a field is for is said beside it. */
  const wantsHint = (element: Element, role: string): boolean =>
    role === "button" ||
    role === "link" ||
    role === "clickable" ||
    role === "image" ||
    role === "graphics-symbol" ||
    hears(element);

  const startOf = (root: number | undefined): Element => {
    if (root === undefined) return document.body || document.documentElement;
    // If the element is gone, search nothing: the whole page would be a different place to look.
    return dom.element(root) || document.createElement("div");
  };

  const countRoles = (items: readonly Item[]): Record<string, number> => {
    const counts: Record<string, number> = {};
    for (const { role } of items) counts[role] = (counts[role] || 0) + 1;
    return counts;
  };

  /** What is visible without scrolling comes first, with all its ancestors. */
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
    roots.forget();
    names.startBulk();
    describe.startBulk();
    try {
      return work();
    } finally {
      describe.endBulk();
      names.endBulk();
    }
  };

  const collect = ({ maxNodes, root, isBrief = false }: CollectOptions): Collected => {
    const { items, rows } = inBulk(() => {
      const found = walk(startOf(root), false);
      return { items: found, rows: toRows(choose(found, maxNodes), isBrief) };
    });
    return {
      ...pack(rows, !isBrief),
      total: items.length,
      inventory: countRoles(items),
      suspects: roots.count(),
      unsure: names.unsure(),
      freshRoots: freshRoots(),
      isPartial: wasCutShort(),
      url: location.href,
      title: dom.titleNow(),
    };
  };

  const search = (options: SearchOptions): Found & { readonly scores: number[] } => inBulk(() => searchNow(options));

  const otherTexts = (item: Item): string[] => {
    const { element, role } = item;
    if (dom.isHiddenFrame(element)) return [];
    const value = describe.valueOf(element, role);
    return [
      value === undefined ? "" : String(value),
      element.getAttribute("placeholder") || "",
      dom.idAttribute(element),
      element.getAttribute("name") || "",
      element.getAttribute("title") || "",
      element.getAttribute("data-testid") || "",
      wantsHint(element, role) && nameOf(item) === "" ? hintOf(element) : "",
    ].map((text) => text.toLowerCase());
  };

  const searchNow = ({ query, role, max }: SearchOptions): Found & { readonly scores: number[] } => {
    const items = walk(startOf(undefined), true);
    const wanted = names.squash(query).toLowerCase();
    const active = dom.deepActive();
    const rated: { item: Item; rate: number }[] = [];
    for (const item of items) {
      if (role !== "" && item.role !== role && item.means !== role) continue;
      const name = nameOf(item);
      const others = (): string[] => (item.role === "text" ? [] : otherTexts(item));
      let rate = wanted === "" ? 1 : matcher.rate(name.toLowerCase(), others, wanted);
      if (rate < 20 && item.role === wanted && wanted !== "text") rate = 20;
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
      suspects: roots.count(),
      unsure: names.unsure(),
      freshRoots: freshRoots(),
      isPartial: wasCutShort(),
      url: location.href,
      title: dom.titleNow(),
    };
  };

  /** One element as it is now; undefined when it is gone. */
  const read = (id: number): Row | undefined => {
    const element = dom.element(id);
    if (!element) return undefined;
    const own = roles.roleOf(element);
    const isPlain = own === "generic" || own === "none" || isTextual(element, own);
    const isEditing = isPlain && describe.isEditingHost(element);
    const role = isEditing ? "textbox" : isPlain ? plainKind(element, own) || "text" : own;
    const text =
      isPlain || folds(role)
        ? names.cut(names.squash((element as HTMLElement).innerText || element.textContent || ""))
        : undefined;
    const means = role === "text" && own !== "generic" && own !== "none" ? own : undefined;
    return rowOf(
      {
        element,
        parent: undefined,
        role,
        text,
        means,
        isRest: false,
        isPressed: hears(element),
        index: 0,
        dropped: false,
      },
      -1,
      dom.deepActive(),
    );
  };

  return {
    collect,
    search,
    read,
    hear,
    ownDocument,
    takeRoots,
    takeSuspects: roots.take,
    takeUnsure: names.takeUnsure,
    learn: names.learn,
    adopt: (host: Element, root: ShadowRoot): void => dom.adopt(host, root),
    elementOf: (id: number): Element | undefined => dom.element(id),
    numberOf: (element: Element): number => {
      dom.noteRoot(element);
      return dom.idOf(element);
    },
    /** The element's number, without assigning one. */
    knownNumber: (element: Element): number => dom.peekId(element) || 0,
    knownParent: (node: Node): number => {
      const parent = dom.parentOf(node);
      return parent ? dom.peekId(parent) || 0 : 0;
    },
    hideFrames: (ids: number[]): void => dom.hideFrames(ids),
    /** Whether the keyboard is in this element, or in the frame that it shows. */
    isActive: (id: number): boolean => {
      const element = dom.element(id);
      const root = element && (element.getRootNode() as Document | ShadowRoot);
      return root !== undefined && root.activeElement === element;
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
      if (dom.isSecret(element)) return undefined;
      if (element instanceof HTMLInputElement) return element.value;
      if (element instanceof HTMLTextAreaElement) return element.value;
      return (element as HTMLElement).innerText || element.textContent || "";
    },
    /** Where the content of a frame element begins. */
    contentBox: (id: number): [number, number, number, number] | undefined => {
      const element = dom.element(id) as HTMLElement | undefined;
      if (!element) return undefined;
      const rect = element.getBoundingClientRect();
      const style = getComputedStyle(element);
      const x = rect.x + element.clientLeft + Number.parseFloat(style.paddingLeft);
      const y = rect.y + element.clientTop + Number.parseFloat(style.paddingTop);
      return dom.boxOf(new DOMRect(x, y, element.clientWidth, element.clientHeight));
    },
  };
}
