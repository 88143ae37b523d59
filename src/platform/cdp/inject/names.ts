/// <reference lib="dom" />
import type { Dom } from "./dom.ts";
import type { Roles } from "./roles.ts";

export type Names = ReturnType<typeof makeNames>;

/** Accessible names and descriptions: the algorithm of accname 1.2 with the native names of HTML-AAM. */
export function makeNames(dom: Dom, roles: Roles) {
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
    readonly seen: Set<Node>;
    /** Reached through aria-labelledby: hidden content counts, and no further aria-labelledby is followed. */
    readonly isReferred: boolean;
    /** Inside the content of the element that is being named. */
    readonly isContent: boolean;
    /** The element whose name is computed. */
    readonly of: Element;
  }

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

  // Reading the style of pseudo-elements is slow; most pages draw no text with them.
  let isKnown = false;
  let hasPseudoText = false;
  const drawsText = (): boolean => {
    if (isKnown) return hasPseudoText;
    isKnown = true;
    hasPseudoText = false;
    for (const sheet of Array.from(document.styleSheets)) {
      try {
        for (const rule of Array.from(sheet.cssRules)) {
          if (/::?(before|after|marker)/.test(rule.cssText) && /content:/.test(rule.cssText))
            return (hasPseudoText = true);
        }
      } catch {
        return (hasPseudoText = true);
      }
    }
    return hasPseudoText;
  };
  const pseudo = (element: Element, which: string): string => {
    if (!drawsText()) return "";
    const content = getComputedStyle(element, which).content;
    const [, text] = /^"((?:[^"\\]|\\.)*)"/.exec(content) || [];
    return text === undefined ? "" : text.replace(/\\(.)/g, "$1");
  };

  const isBlock = (element: Element): boolean => {
    const { display } = getComputedStyle(element);
    return display !== "inline" && display !== "contents" && display !== "none";
  };

  const isHidden = (element: Element): boolean =>
    element.getAttribute("aria-hidden") === "true" || !dom.isShown(element);

  const contentOf = (element: Element, way: Way): string => {
    let text = pseudo(element, "::before");
    dom.eachChild(element, (child) => {
      if (child.nodeType === Node.TEXT_NODE) text += child.nodeValue || "";
      else if (child instanceof Element) {
        if (child.localName === "br") text += " ";
        else if (!/^(script|style|template|noscript)$/.test(child.localName)) {
          const part = compute(child, { ...way, isContent: true });
          if (part !== "") text += isBlock(child) || child.hasAttribute("aria-label") ? ` ${part} ` : part;
        }
      }
      return text.length > longest * 4;
    });
    return text + pseudo(element, "::after");
  };

  /** The value of a control in the middle of another element's label. */
  const embedded = (element: Element, role: string): string | undefined => {
    if (element instanceof HTMLSelectElement) {
      return Array.from(element.selectedOptions, (option) => option.label).join(" ");
    }
    if (element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement) {
      if (dom.isSecret(element)) return undefined;
      return /^(textbox|searchbox|combobox|spinbutton|slider)$/.test(role) ? element.value : undefined;
    }
    if (role === "textbox" || role === "searchbox") return element.textContent || "";
    if (/^(slider|spinbutton|scrollbar|progressbar|meter)$/.test(role)) {
      return element.getAttribute("aria-valuetext") || element.getAttribute("aria-valuenow") || undefined;
    }
    return undefined;
  };

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
    if (drawsText() || (label.hasAttributes() && hasAny(label, /^(role|aria-.*)$/)) || !dom.isShown(label))
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
      way.seen.has(label) ? "" : squash(compute(label, { ...way, isContent: true, isReferred: false })),
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
        return own || attribute("title") || (type === "submit" ? "Submit" : type === "reset" ? "Reset" : "");
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
    if (tag === "optgroup") return attribute("label");
    if (tag === "option") return squash((element as HTMLOptionElement).label);
    if (tag === "fieldset") return childText(element, "legend", way);
    if (tag === "table") return childText(element, "caption", way);
    if (tag === "figure") return childText(element, "figcaption", way);
    if (tag === "svg") return childText(element, "title", way);
    return "";
  };

  const compute = (element: Element, way: Way): string => {
    if (way.seen.has(element)) return "";
    if (!way.isReferred && way.isContent && isHidden(element)) return "";
    const role = roles.roleOf(element);
    if (!way.isReferred) {
      const referred = byIds(element, "aria-labelledby");
      if (referred.length > 0) {
        const text = referred
          .map((target) => squash(compute(target, { ...way, seen: new Set(), isReferred: true, isContent: true })))
          .join(" ");
        if (squash(text) !== "") return text;
      }
    }
    const inner = way.isContent && element !== way.of ? embedded(element, role) : undefined;
    if (inner !== undefined) return inner;
    const label = squash(element.getAttribute("aria-label") || "");
    if (label !== "") return label;
    const seen = new Set(way.seen).add(element);
    const own = role === "none" ? "" : native(element, { ...way, seen });
    if (own !== "") return own;
    if (fromContent.has(role) || way.isContent || way.isReferred) {
      const isField = /^(textarea|select|iframe|video|audio|canvas)$/.test(element.localName);
      const text = isField ? "" : contentOf(element, { ...way, seen });
      if (squash(text) !== "") return text;
    }
    return squash(element.getAttribute("title") || "");
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
    if (dom.shadowOf(element) || drawsText()) return "";
    if (tag === "button" && labelsOf(element).length > 0) return "";
    return cut(squash(text.nodeValue || ""));
  };
  const fields = words("input select textarea");
  const simple = words("button a h1 h2 h3 h4 h5 h6 td th summary");

  const cut = (text: string): string => (text.length > longest ? `${text.slice(0, longest - 1)}…` : text);

  return {
    /** Many names follow, and the document does not change meanwhile. */
    startBulk: (): void => {
      dom.startBulk();
      isKnown = false;
      labelsByRoot = new Map();
    },
    endBulk: (): void => {
      dom.endBulk();
      isKnown = false;
      labelsByRoot = undefined;
    },
    squash,
    cut,
    takesContent: (role: string): boolean => fromContent.has(role),
    nameOf: (element: Element, role?: string): string =>
      (dom.isHiddenFrame(element) && "[blocked]") ||
      simpleName(element, role === undefined ? roles.roleOf(element) : role) ||
      cut(squash(compute(element, { seen: new Set(), isReferred: false, isContent: false, of: element }))),
    descriptionOf: (element: Element, name: string): string => {
      if (dom.isHiddenFrame(element)) return "";
      const text =
        byIds(element, "aria-describedby")
          .map((target) => squash(target.textContent || ""))
          .join(" ") ||
        squash(element.getAttribute("aria-description") || "") ||
        squash(element.getAttribute("title") || "");
      return text === name ? "" : cut(text);
    },
  };
}
