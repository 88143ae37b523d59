/// <reference lib="dom" />
import type { Dom } from "./dom.ts";
import type { Embedded } from "./embedded.ts";
import type { Generated } from "./generated.ts";
import type { Owned } from "./owned.ts";
import type { Roles } from "./roles.ts";

export type Names = ReturnType<typeof makeNames>;

/** Accessible names and descriptions: the algorithm of accname 1.2 with the native names of HTML-AAM. */
export function makeNames(dom: Dom, roles: Roles, generated: Generated, owned: Owned, embedded: Embedded) {
  const longest = 300;
  const words = (text: string): Set<string> => new Set(text.split(" "));
  const fromContent = words(
    "button cell checkbox columnheader disclosure gridcell heading link menuitem menuitemcheckbox menuitemradio option radio " +
      "row rowheader switch tab tooltip treeitem",
  );
  const labelable = words("input select textarea meter progress output button");
  const squash = (text: string): string =>
    /[^\S ]|\u200b| {2}|^ | $/.test(text) ? text.replace(/[\s\u200b]+/g, " ").trim() : text;

  interface Way {
    /** What has been part of the name already. */
    readonly seen: Set<Node>;
    /** Reached through aria-labelledby: no further aria-labelledby is followed. */
    readonly isReferred: boolean;
    /** Inside something hidden that was referred to: hidden content counts. */
    readonly showsHidden: boolean;
    /** Inside the content of the element that is being named. */
    readonly isContent: boolean;
    /** The element whose name is computed. */
    readonly of: Element;
  }

  /** What is in these is not part of the name of something around them. */
  const closed = words(
    "alert alertdialog application article banner blockquote combobox complementary contentinfo dialog document feed figure form grid " +
      "group image listbox log main marquee menu menubar navigation note progressbar radiogroup rowgroup search separator status " +
      "tablist tabpanel timer toolbar tree treegrid graphics-document graphics-symbol",
  );
  const isClosed = (element: Element, role: string): boolean =>
    role === "table" ? element.getAttribute("role") === "table" : closed.has(role) && element.localName !== "address";

  const inlines = words("inline contents none ruby ruby-text");
  const standsAlone = (element: Element): boolean => !inlines.has(getComputedStyle(element).display);

  const isHidden = (element: Element): boolean =>
    !dom.isShown(element) || element.closest("[aria-hidden=true]") !== null;

  // Whether the last text came from content; what comes from an attribute is a word of its own.
  let isFromContent = true;
  const fromAttribute = (text: string): string => {
    isFromContent = false;
    return text;
  };

  /** With `isSilent` only what is visible inside counts: the element itself is not. */
  const contentOf = (element: Element, way: Way, isSilent = false): string => {
    let text = isSilent ? "" : generated.before(element);
    // The browser draws its quotation marks.
    if (element.localName === "q") generated.beUnsure();
    const inside: Way = way.isContent ? way : { ...way, isContent: true };
    const add = (child: Element): void => {
      const part = compute(child, inside);
      if (part !== "") text += !isFromContent || standsAlone(child) ? ` ${part} ` : part;
    };
    if (element.hasAttribute("aria-actions"))
      for (const target of owned.byIds(element, "aria-actions")) way.seen.add(target);
    dom.eachChild(element, (child) => {
      if (child.nodeType === Node.TEXT_NODE) {
        if (!isSilent) text += generated.shownAs(child.nodeValue || "", element);
      } else if (child instanceof Element) {
        if (child.localName === "br") text += " ";
        else if (!without.has(child.localName) && !owned.isElsewhere(child)) add(child);
      }
      return text.length > longest * 4;
    });
    for (const child of owned.of(element)) add(child);
    const all = isSilent ? text : text + generated.after(element);
    isFromContent = true;
    return all;
  };
  const fieldTags = words("input textarea select iframe video audio object");
  const without = words("script style template noscript title desc metadata datalist rt rp");

  // Asking a field for its labels searches the whole document; asking all labels for their fields searches it once.
  let labelsByRoot: Map<Node, Map<Element, HTMLLabelElement[]>> | undefined;
  const labelsOf = (element: Element): readonly HTMLLabelElement[] => {
    if (!labelsByRoot) return Array.from((element as HTMLInputElement).labels || []);
    const root = dom.rootOf(element);
    let known = labelsByRoot.get(root);
    if (!known) {
      known = new Map();
      labelsByRoot.set(root, known);
      for (const label of Array.from(root.querySelectorAll("label"))) {
        const field = label.control;
        if (!field) continue;
        const own = known.get(field);
        if (own) own.push(label);
        else known.set(field, [label]);
      }
    }
    return known.get(element) || [];
  };

  /** The text of a label that contains only text, and perhaps its field; undefined when the full rules are needed. */
  const simpleLabel = (label: Element, field: Element): string | undefined => {
    if (
      generated.mayChange(label) ||
      (label.hasAttributes() && hasAny(label, /^(role|aria-.*)$/)) ||
      !dom.isShown(label)
    )
      return undefined;
    let text = "";
    for (let child = label.firstChild; child; child = child.nextSibling) {
      if (child.nodeType === Node.TEXT_NODE) text += child.nodeValue || "";
      else if (child !== field && child.nodeType === Node.ELEMENT_NODE) return undefined;
    }
    return squash(text);
  };
  const hasAny = (element: Element, pattern: RegExp): boolean =>
    element.getAttributeNames().some((name) => pattern.test(name));

  const labelText = (element: Element, way: Way): string => {
    const labels = labelsOf(element);
    if (labels.length === 0) return "";
    return Array.from(labels, (label) =>
      way.seen.has(label) ? "" : squash(compute(label, { ...way, isContent: true })),
    )
      .filter((text) => text !== "")
      .join(" ");
  };

  const childText = (element: Element, selector: string, way: Way): string => {
    const child = element.querySelector(`:scope > ${selector}`);
    return child ? squash(contentOf(child, { ...way, isContent: true })) : "";
  };

  const native = (element: Element, way: Way): string => {
    const tag = element.localName;
    const attribute = (name: string): string => squash(element.getAttribute(name) || "");
    if (tag === "input") {
      const { type } = element as HTMLInputElement;
      if (type === "image")
        return labelText(element, way) || attribute("alt") || attribute("value") || attribute("title") || "Submit";
      if (type === "submit" || type === "button" || type === "reset") {
        const own = labelText(element, way) || squash((element as HTMLInputElement).value);
        return own || (type === "submit" ? "Submit" : type === "reset" ? "Reset" : "");
      }
    }
    if (labelable.has(tag)) {
      const label = labelText(element, way);
      if (label !== "") return label;
      if (tag === "input" || tag === "textarea")
        return attribute("title") || attribute("placeholder") || attribute("aria-placeholder");
      return "";
    }
    if (tag === "img" || tag === "area") return attribute("alt");
    if (element instanceof SVGElement)
      return (
        squash((element.querySelector(":scope > title") || { textContent: "" }).textContent || "") ||
        squash(element.getAttributeNS(xlink, "title") || attribute("xlink:title"))
      );
    if (tag === "optgroup") return attribute("label");
    if (tag === "option") return squash((element as HTMLOptionElement).label);
    if (tag === "fieldset") return childText(element, "legend", way);
    if (tag === "table") return childText(element, "caption", way);
    return "";
  };

  const xlink = "http://www.w3.org/1999/xlink";

  const referredText = (element: Element, way: Way): string => {
    if (way.isReferred || !element.hasAttribute("aria-labelledby")) return "";
    const texts = owned.byIds(element, "aria-labelledby").map((target) => {
      // What was referred to counts once, but may refer to itself.
      const seen = new Set(way.seen);
      seen.delete(target);
      way.seen.add(target);
      const showsHidden = way.showsHidden || isHidden(target);
      return squash(compute(target, { ...way, seen, isReferred: true, showsHidden, isContent: true }, true));
    });
    return squash(texts.join(" "));
  };

  /** `isTarget`: aria-labelledby refers to it. */
  const compute = (element: Element, way: Way, isTarget = false): string => {
    isFromContent = true;
    if (way.seen.has(element)) return "";
    way.seen.add(element);
    const isInner = way.isContent && element !== way.of;
    if (isInner && !way.showsHidden && !dom.isShown(element)) {
      // What is in it may be visible although it is not.
      return dom.isLaidOut(element) && element.getAttribute("aria-hidden") !== "true"
        ? contentOf(element, way, true)
        : "";
    }
    if (isInner && !way.showsHidden && element.getAttribute("aria-hidden") === "true") return "";
    if (element.localName === "slot") return contentOf(element, way);
    const role = roles.roleOf(element);
    const value = isInner ? embedded(element, role) : undefined;
    if (value !== undefined) return fromAttribute(value);
    const referred = referredText(element, way);
    if (referred !== "") return fromAttribute(referred);
    const label = squash(element.getAttribute("aria-label") || "");
    if (label !== "") return fromAttribute(label);
    const own = role === "none" ? "" : native(element, way);
    if (own !== "") return fromAttribute(own);
    let text = "";
    if (isTarget || (way.isContent ? !isClosed(element, role) : fromContent.has(role))) {
      if (!fieldTags.has(element.localName)) text = contentOf(element, way);
      if (squash(text) !== "") return text;
    }
    // An empty alternative says that there is nothing to tell.
    if (element.localName === "img" && element.getAttribute("alt") === "") return "";
    const title = squash(element.getAttribute("title") || "");
    // White space alone separates what is around it.
    return title === "" ? text : fromAttribute(title);
  };

  /**
   * The name of an element that contains only text. Most elements are like that, and the full rules give the same
   * result.
   */
  const simpleName = (element: Element, role: string): string => {
    const tag = element.localName;
    const isField = fields.has(tag);
    if (!isField && !simple.has(tag)) return "";
    if (element.hasAttributes() && (element.hasAttribute("aria-label") || element.hasAttribute("aria-labelledby")))
      return "";
    if (isField) {
      const labels = role === "button" ? [] : labelsOf(element);
      return (labels.length === 1 && simpleLabel(labels[0] as Element, element)) || "";
    }
    const text = element.firstChild;
    if (!text || text.nodeType !== Node.TEXT_NODE || text.nextSibling || !fromContent.has(role)) return "";
    if (dom.shadowOf(element) || generated.mayChange(element) || element.hasAttribute("aria-owns")) return "";
    if (tag === "button" && labelsOf(element).length > 0) return "";
    return cut(squash(text.nodeValue || ""));
  };
  const fields = words("input select textarea");
  const simple = words("button a h1 h2 h3 h4 h5 h6 td th summary");

  const cut = (text: string): string => (text.length > longest ? `${text.slice(0, longest - 1)}…` : text);

  /** Elements whose names only the browser knows, with what we would call them. */
  let unsure: Map<Element, string> | undefined;
  const told = new WeakMap<Element, { readonly own: string; readonly name: string }>();
  let isFresh = false;

  const fullName = (element: Element): string => {
    generated.beSure();
    const way = { seen: new Set<Node>(), isReferred: false, showsHidden: false, isContent: false, of: element };
    const own = cut(squash(compute(element, way)));
    if (!generated.wasUnsure()) return own;
    const known = told.get(element);
    const isKnown = known !== undefined && known.own === own;
    if (unsure && !(isKnown && isFresh)) unsure.set(element, own);
    return isKnown ? known.name : own;
  };

  return {
    /** Many names follow, and the document does not change meanwhile. */
    startBulk: (): void => {
      dom.startBulk();
      generated.startBulk();
      owned.startBulk();
      labelsByRoot = new Map();
      unsure = new Map();
    },
    endBulk: (): void => {
      dom.endBulk();
      generated.endBulk();
      owned.endBulk();
      labelsByRoot = undefined;
      isFresh = false;
    },
    /** How many names were met that only the browser knows. */
    unsure: (): number => (unsure ? unsure.size : 0),
    takeUnsure: (most: number): Element[] => (unsure ? Array.from(unsure.keys()).slice(0, most) : []),
    /** The browser's names of what `takeUnsure` gave; they hold for the next listing. */
    learn: (names: readonly (string | null)[]): void => {
      const asked = unsure ? Array.from(unsure) : [];
      for (let index = 0; index < names.length && index < asked.length; index++) {
        const [element, own] = asked[index] as [Element, string];
        const name = names[index];
        if (typeof name === "string") told.set(element, { own, name: cut(squash(name)) });
      }
      isFresh = true;
    },
    squash,
    cut,
    shownAs: generated.shownAs,
    takesContent: (role: string): boolean => fromContent.has(role),
    nameOf: (element: Element, role?: string): string =>
      (dom.isHiddenFrame(element) && "[blocked]") ||
      simpleName(element, role === undefined ? roles.roleOf(element) : role) ||
      fullName(element),
    descriptionOf: (element: Element, name: string): string => {
      if (dom.isHiddenFrame(element)) return "";
      const text =
        owned
          .byIds(element, "aria-describedby")
          .map((target) => squash(target.textContent || ""))
          .join(" ") ||
        squash(element.getAttribute("aria-description") || "") ||
        squash(element.getAttribute("title") || "");
      return text === name ? "" : cut(text);
    },
  };
}
