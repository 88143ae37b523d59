/// <reference lib="dom" />
import type { ClosedRoots } from "./closed-roots.ts";
import type { Describe } from "./describe.ts";
import type { Dom } from "./dom.ts";
import type { Names } from "./names.ts";
import type { Roles } from "./roles.ts";

/** An element that may be listed. */
export interface Item {
  readonly element: Element;
  parent: Item | undefined;
  readonly role: string;
  /** Set for text that is not the name of an element. */
  text: string | undefined;
  /** The element itself is already listed, so this text has no number of its own. */
  readonly isRest: boolean;
  index: number;
  dropped: boolean;
}

export type Walking = ReturnType<typeof makeWalking>;

/** Walks a document and keeps what a reader would name: controls, structure, and loose text. */
export function makeWalking(dom: Dom, roles: Roles, names: Names, describe: Describe, { suspect }: ClosedRoots) {
  const words = (text: string): Set<string> => new Set(text.split(" "));
  const structural = words(
    "alert alertdialog article banner blockquote canvas caption cell columnheader complementary contentinfo definition dialog " +
      "feed figure form grid group heading iframe image list listitem log main math menu menubar meter navigation note paragraph " +
      "progressbar radiogroup region row rowheader search separator status tabpanel table tablist term timer toolbar tooltip tree " +
      "treegrid video audio embed object marquee",
  );
  /** These become one line if they contain only text. */
  const folding = words(
    "alert blockquote caption cell columnheader definition figure gridcell group listitem log note paragraph region row rowheader status tabpanel " +
      "term timer tooltip",
  );
  const wrapping = words("listitem cell gridcell columnheader rowheader definition term");
  const needsName = words("group figure image region form list row separator paragraph");
  const skipped = words("script style template noscript head meta link title base param source track datalist");
  const inline = words(
    "a abbr b bdi bdo cite code data dfn em font i kbd label mark q s samp small span strong sub sup time tt u var wbr ins del slot",
  );
  const isClickable = (element: Element): boolean =>
    element.hasAttribute("onclick") ||
    element.hasAttribute("tabindex") ||
    (element.childElementCount < 2 && getComputedStyle(element).cursor === "pointer");

  // With hundreds of thousands of elements nobody reads them all, and the page must keep working.
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
      const hasAttributes = element.hasAttributes();
      if (hasAttributes && element.getAttribute("aria-hidden") === "true" && !roles.isFocusable(element)) return;
      if (tag === "br") {
        buffer += " ";
        return;
      }
      const role = roles.roleOf(element);
      // Most rows contain one element and are dropped; visibility is only checked for rows that stay.
      const isUnsure = wrapping.has(role) && buffer === "" && element.firstElementChild !== null;
      if (!isUnsure && !dom.isLaidOut(element)) {
        if (tag !== "option" && tag !== "optgroup" && tag !== "area") return;
      }
      suspect(element);
      const isEditing = describe.isEditingHost(element);
      const isPlain = role === "generic" || role === "none" || !(structural.has(role) || roles.isInteractive(role));
      // The text of a label is the name of its field.
      const field = tag === "label" ? (element as HTMLLabelElement).control : null;
      let shown: string | undefined;
      if (isEditing && isPlain) shown = "textbox";
      else if (!isPlain) shown = role;
      else if (
        !isNamed &&
        !field &&
        role === "generic" &&
        tag !== "body" &&
        element.childNodes.length < 4 &&
        isClickable(element)
      ) {
        shown = "clickable";
      }
      if (shown !== undefined && tag !== "option" && tag !== "optgroup" && !isUnsure && !dom.isShown(element))
        shown = undefined;
      if (shown === undefined) {
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
      fold(item, items, at, isUnsure);
    };
    const fold = (item: Item, all: Item[], at: number, isUnsure: boolean): void => {
      if (!folding.has(item.role) && item.role !== "clickable") return;
      const only = all[at];
      if (isUnsure && !(all.length === at + 1 && only && only.text === undefined) && !dom.isShown(item.element)) {
        item.dropped = true;
        return;
      }
      if (all.length === at + 1 && only && only.text !== undefined && only.parent === item) {
        item.text = only.text;
        all.length = at;
        return;
      }
      // A row that contains a single element is not needed.
      if (wrapping.has(item.role)) {
        let inner = 0;
        let first: Item | undefined;
        for (let index = at; index < all.length && inner < 2; index++) {
          if (all[index]?.parent !== item) continue;
          first = first || all[index];
          inner++;
        }
        if (inner === 1 && first?.role !== "text") item.dropped = true;
        return;
      }
      // A group without a name that only wraps others adds nothing.
      if (item.role === "clickable" && all.slice(at).some(({ role }) => role !== "text")) item.dropped = true;
    };
    if (start === document.body || start === document.documentElement) visitChildren(start, undefined, false, 0);
    else visit(start, undefined, false, 0);
    flush();
    return clean(items);
  };

  /** Drops the groups that add nothing; their content moves up one level. */
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

  return {
    walk,
    /** Whether the last walk stopped before the end. */
    wasCutShort: (): boolean => isPartial,
    /** Becomes one line if it contains only text. */
    folds: (role: string): boolean => folding.has(role),
  };
}
