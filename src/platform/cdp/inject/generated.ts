/// <reference lib="dom" />
import type { Dom } from "./dom.ts";

export type Generated = ReturnType<typeof makeGenerated>;

/** What style sheets add to text: content before and after an element, and another case. */
export function makeGenerated(dom: Dom) {
  interface Drawn {
    /** Some rule draws text before or after an element. */
    readonly content: boolean;
    /** Some rule changes the case of text. */
    readonly transform: boolean;
  }
  // Reading the style of thousands of elements is slow; most pages change no text with it.
  let known: Map<Node, Drawn> | undefined;
  // Most questions are about the same document one after the other.
  let asked: Node | undefined;
  let answer: Drawn | undefined;

  const drawnIn = (element: Element): Drawn => {
    const root = dom.rootOf(element);
    if (answer && asked === root) return answer;
    const found = (known && known.get(root)) || readSheets(root);
    if (known) {
      known.set(root, found);
      asked = root;
      answer = found;
    }
    return found;
  };

  const readSheets = (root: Document | ShadowRoot): Drawn => {
    let content = false;
    let transform = root.querySelector("[style*=text-transform]") !== null;
    const own = Array.from(root.styleSheets);
    const adopted = Array.from(root.adoptedStyleSheets || []);
    for (const sheet of own.concat(adopted)) {
      try {
        for (const rule of Array.from(sheet.cssRules)) {
          const { cssText } = rule;
          content = content || (/::?(before|after)/.test(cssText) && /content:/.test(cssText));
          transform = transform || /text-transform:/.test(cssText);
          if (content && transform) return { content, transform };
        }
      } catch {
        // Sheets of other sites cannot be read.
        return { content: true, transform: true };
      }
    }
    // What is inherited into a shadow tree comes from around it.
    if (!transform && root instanceof ShadowRoot) transform = drawnIn(root.host).transform;
    return { content, transform };
  };

  let isUnsure = false;

  const parts = /"((?:[^"\\]|\\.)*)"|attr\(\s*([\w-]+)[^)]*\)|url\("(?:[^"\\]|\\.)*"\)|(\/)|([\w-]+(?:\([^)]*\))?)/g;
  /** The text of a `content` value. What follows a slash is what it means to those who cannot see it. */
  const read = (content: string, element: Element): string => {
    let text = "";
    let isAlternative = false;
    parts.lastIndex = 0;
    for (let part = parts.exec(content); part; part = parts.exec(content)) {
      const [, quoted, attribute, slash, other] = part;
      if (slash !== undefined) {
        text = "";
        isUnsure = false;
        isAlternative = true;
      } else if (quoted !== undefined) text += quoted.replace(/\\(.)/g, "$1");
      else if (attribute !== undefined) text += element.getAttribute(attribute) || "";
      // Only the browser counts its counters.
      else if (other !== undefined) isUnsure = true;
    }
    return isAlternative && text !== "" ? ` ${text} ` : shownAs(text, element);
  };

  const textOf = (element: Element, which: "::before" | "::after"): string => {
    const style = getComputedStyle(element, which);
    const { content } = style;
    if (content === "none" || content === "normal" || content === "") return "";
    const { display } = style;
    if (display === "none") return "";
    const wasUnsure = isUnsure;
    const text = read(content, element);
    isUnsure = isUnsure || wasUnsure;
    return display === "inline" || display === "inline-block" ? text : ` ${text} `;
  };

  const shownAs = (text: string, element: Element): string => {
    if (!drawnIn(element).transform) return text;
    switch (getComputedStyle(element).textTransform) {
      case "uppercase":
        return text.toLocaleUpperCase(languageOf(element));
      case "lowercase":
        return text.toLocaleLowerCase(languageOf(element));
      case "capitalize":
        return text.replace(/(^|[^\p{L}\p{N}'’])(\p{L})/gu, (_all, before: string, letter: string) => {
          return before + letter.toLocaleUpperCase(languageOf(element));
        });
      default:
        return text;
    }
  };
  const languageOf = (element: Element): string | undefined => {
    const from = element.closest("[lang]");
    const language = (from && from.getAttribute("lang")) || "";
    return /^[a-z]{2,3}(-|$)/i.test(language) ? language.slice(0, 2) : undefined;
  };

  return {
    startBulk: (): void => {
      known = new Map();
    },
    endBulk: (): void => {
      known = undefined;
      asked = undefined;
      answer = undefined;
    },
    /** Whether text may be drawn that is in no text node, or drawn differently from what is there. */
    mayChange: (element: Element): boolean => {
      const { content, transform } = drawnIn(element);
      return content || transform;
    },
    before: (element: Element): string => (drawnIn(element).content ? textOf(element, "::before") : ""),
    after: (element: Element): string => (drawnIn(element).content ? textOf(element, "::after") : ""),
    /** As it is shown inside this element. */
    shownAs,
    /** Whether something was met since that only the browser can read. */
    wasUnsure: (): boolean => isUnsure,
    beUnsure: (): void => {
      isUnsure = true;
    },
    beSure: (): void => {
      isUnsure = false;
    },
  };
}
