/// <reference lib="dom" />
import type { ClosedRoots } from "./closed-roots.ts";
import type { Describe } from "./describe.ts";
import type { Dom } from "./dom.ts";
import type { Heard } from "./heard.ts";
import type { Names } from "./names.ts";
import type { Roles } from "./roles.ts";

/** An element that may be listed. */
export interface Item {
  readonly element: Element;
  parent: Item | undefined;
  readonly role: string;
  /** Set for text that is not the name of an element. */
  text: string | undefined;
  /** Of a text: what all of it is, such as "code" or "emphasis". */
  means?: string | undefined;
  /** Of a text: its first and last text node. */
  span?: readonly [Text, Text] | undefined;
  /** The element itself is already listed, so this text has no number of its own. */
  readonly isRest: boolean;
  /** A script listens for presses on it, and on nothing in it. */
  isPressed?: boolean;
  index: number;
  dropped: boolean;
}

export type Walking = ReturnType<typeof makeWalking>;

/** Walks a document and keeps what a reader would name: controls, structure, and loose text. */
export function makeWalking(
  dom: Dom,
  roles: Roles,
  names: Names,
  describe: Describe,
  { suspect }: ClosedRoots,
  { hears, hasHeardParts }: Heard,
) {
  const words = (text: string): Set<string> => new Set(text.split(" "));
  const structural = words(
    "alert alertdialog article banner blockquote canvas caption cell columnheader complementary contentinfo definition dialog " +
      "feed figure form grid group heading iframe image list listitem log main math menu menubar meter navigation note paragraph " +
      "progressbar radiogroup region row rowgroup rowheader search separator status tabpanel table tablist term timer toolbar tooltip tree " +
      "treegrid video audio embed object marquee application document sectionfooter sectionheader graphics-document " +
      "graphics-object graphics-symbol",
  );
  /** Without a label these only say what the text in them is. */
  const needsLabel = words(
    "application document sectionfooter sectionheader graphics-document graphics-object graphics-symbol",
  );
  const textual = words(
    "code deletion emphasis insertion mark strong subscript suggestion superscript sectionfooter sectionheader " +
      "graphics-document graphics-object graphics-symbol",
  );
  /** These become one line if they contain only text. */
  const folding = words(
    "alert blockquote caption cell columnheader definition figure gridcell group listitem log note paragraph region row rowheader " +
      "status tabpanel term timer tooltip",
  );
  const wrapping = words("listitem cell gridcell columnheader rowheader definition term");
  const needsName = words("image region form row paragraph");
  /** Not worth a line when nothing is in them. */
  const holders = words("figure group list rowgroup");
  const skipped = words(
    "script style template noscript head meta link title base param source track datalist " +
      "defs symbol clipPath mask marker pattern linearGradient radialGradient filter metadata desc",
  );
  const inline = words(
    "a abbr b bdi bdo cite code data dfn em font i kbd label mark q s samp small span strong sub sup time tt u var wbr ins del slot tspan textPath",
  );
  /** A listener on one of these is for what is in it. */
  const delegating = words("list table grid treegrid rowgroup feed form radiogroup tablist menu menubar toolbar tree");
  // A card has a picture, a heading and a few lines.
  const mostParts = 8;
  /** What a plain element is listed as: a control, a shape, or nothing of its own. */
  const plainKind = (element: Element, role: string): "clickable" | "graphics-symbol" | undefined => {
    const isPressed = hears(element) || (role === "generic" && element.childNodes.length < 4 && isClickable(element));
    if (isPressed && element.localName !== "body") return "clickable";
    return isShape(element) ? "graphics-symbol" : undefined;
  };
  const isClickable = (element: Element): boolean =>
    element.hasAttribute("onclick") ||
    element.hasAttribute("tabindex") ||
    (element.childElementCount < 2 && getComputedStyle(element).cursor === "pointer");

  /** It says what the text in it is, and is no element of its own. */
  const isTextual = (element: Element, role: string): boolean =>
    (textual.has(role) && !(needsLabel.has(role) && roles.isNamed(element))) ||
    (role === "term" && element.localName === "dfn");
  const isClosed = ({ multiple, size }: HTMLSelectElement): boolean => !multiple && size <= 1;
  // A list of all countries would fill a listing; a search finds every one.
  const mostOptions = 30;
  const isLeaf = (tag: string, shown: string): boolean =>
    tag === "iframe" || tag === "textarea" || shown === "canvas" || shown === "image";
  const shapes = words("circle ellipse image line path polygon polyline rect use");
  // A chart has thousands.
  const mostShapes = 60;
  /** In a drawing that hears of presses it matters where each shape is. */
  const isShape = (element: Element): boolean => {
    const svg = shapes.has(element.localName) && element instanceof SVGElement ? element.ownerSVGElement : null;
    return svg !== null && isHeardDrawing(svg);
  };
  const isHeardDrawing = (svg: Element): boolean =>
    (hears(svg) || hasHeardParts(svg)) && svg.querySelectorAll("*").length <= mostShapes;
  /** Most drawings are icons; going through their shapes would take long. */
  const hasParts = (svg: Element): boolean =>
    hasHeardParts(svg) ||
    isHeardDrawing(svg) ||
    svg.querySelector(
      "a,text,foreignObject,[role],[tabindex],[onclick],[aria-label],[aria-labelledby],svg > * title",
    ) !== null;

  /** "-" and "+" in elements of their own are two things to click, not a text. */
  const areSigns = (text: string, run: readonly Text[]): boolean =>
    text.length < 40 &&
    !/[\p{L}\p{N}]/u.test(text) &&
    new Set(run.map((node) => node.parentElement)).size === run.length;

  /** Its name is not its text, which would not be shown if it were folded. */
  const hidesText = ({ element, role }: Item): boolean =>
    element.hasAttribute("aria-label") ||
    element.hasAttribute("aria-labelledby") ||
    (element.hasAttribute("title") && !names.takesContent(role));

  // With hundreds of thousands of elements nobody reads them all, and the page must keep working.
  const longestWalkMs = 2_000;
  let isPartial = false;

  /** `isWhole`: also every option of long closed lists. */
  const walk = (start: Element, isWhole: boolean): Item[] => {
    const until = performance.now() + longestWalkMs;
    let visits = 0;
    isPartial = false;
    const items: Item[] = [];
    let buffer = "";
    let owner: Element | undefined;
    let ownerItem: Item | undefined;
    let means: string | undefined;
    /** The text nodes of the buffer. */
    let run: Text[] = [];
    const given = new Set<Element>();
    const push = (element: Element, parent: Item | undefined, role: string, text?: string, isRest = false): Item => {
      const item: Item = { element, parent, role, text, isRest, index: -1, dropped: false };
      items.push(item);
      if (!isRest) given.add(element);
      return item;
    };
    const flush = (): void => {
      if (buffer === "") return;
      const text = names.squash(buffer);
      if (text !== "" && owner) {
        if (run.length > 1 && areSigns(text, run))
          for (const node of run) pushText(node.parentElement as Element, node.data, [node]);
        else pushText(owner, text, run);
      }
      buffer = "";
      owner = undefined;
      means = undefined;
      run = [];
    };
    const pushText = (element: Element, text: string, nodes: readonly Text[]): void => {
      const item = push(element, ownerItem, "text", names.cut(names.squash(text)), given.has(element));
      item.means = means;
      item.span = [nodes[0] as Text, nodes[nodes.length - 1] as Text];
    };
    const visitChildren = (element: Element, parent: Item | undefined, isNamed: boolean, depth: number): void => {
      dom.eachChild(element, (child) => {
        if (child.nodeType === Node.ELEMENT_NODE) visit(child as Element, parent, isNamed, depth);
        else if (child.nodeType === Node.TEXT_NODE) visitText(child as Text, element, parent, isNamed);
      });
    };
    const visitText = (node: Text, element: Element, parent: Item | undefined, isNamed: boolean): void => {
      const text = node.data;
      if (isNamed || !/\S/.test(text)) {
        if (buffer !== "") buffer += " ";
        return;
      }
      if (!owner) {
        if (!dom.isShown(element)) return;
        owner = element;
        ownerItem = parent;
      }
      run.push(node);
      means = undefined;
      buffer += names.shownAs(text, element);
    };
    /** Text that is all of an element with a meaning of its own, such as code, is of that kind. */
    const visitTextual = (element: Element, parent: Item | undefined, role: string, depth: number): void => {
      const wasEmpty = !owner;
      const at = items.length;
      visitChildren(element, parent, false, depth);
      if (!wasEmpty || !owner || items.length !== at || given.has(element)) return;
      owner = element;
      means = role;
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
      const isText = isTextual(element, role);
      const isPlain =
        isText ||
        role === "generic" ||
        role === "none" ||
        !(structural.has(role) || roles.isInteractive(role)) ||
        (needsLabel.has(role) && !roles.isNamed(element));
      // The text of a label is the name of its field.
      const field = tag === "label" ? (element as HTMLLabelElement).control : null;
      let shown: string | undefined;
      if (isEditing && isPlain) shown = "textbox";
      else if (!isPlain) shown = role;
      else if (!isNamed && !field) shown = plainKind(element, role);
      if (shown !== undefined && tag !== "option" && tag !== "optgroup" && !isUnsure && !dom.isShown(element))
        shown = undefined;
      if (shown === undefined) {
        if (field && dom.isShown(field)) {
          flush();
          visitChildren(element, parent, true, depth + 1);
          return;
        }
        if (tag === "svg" && !hasParts(element)) {
          flush();
          return;
        }
        const breaks = !inline.has(tag);
        if (breaks) flush();
        if (isText && !isNamed) visitTextual(element, parent, role, depth + 1);
        else visitChildren(element, parent, isNamed, depth + 1);
        if (breaks) flush();
        return;
      }
      flush();
      const item = push(element, parent, shown);
      const at = items.length;
      if (tag === "select" && isClosed(element as HTMLSelectElement)) {
        listOptions(element as HTMLSelectElement, item);
        return;
      }
      if (tag === "svg" ? element.hasAttribute("role") || !hasParts(element) : isLeaf(tag, shown)) {
        item.isPressed = hears(element);
        return;
      }
      const takes = isEditing || (names.takesContent(shown) && !folding.has(shown));
      visitChildren(element, item, takes, depth + 1);
      flush();
      item.isPressed = hears(element) && isOneThing(item, items, at);
      fold(item, items, at, isUnsure);
    };
    const listOptions = (select: HTMLSelectElement, list: Item): void => {
      const groups = new Map<Element, Item>();
      const options = Array.from(select.options).filter((option) => !option.hidden);
      const most = isWhole || options.length <= mostOptions ? options.length : mostOptions - 1;
      for (const [index, option] of options.entries()) {
        if (index >= most && !option.selected) continue;
        const around = option.parentElement;
        const isGrouped = around !== null && around.localName === "optgroup";
        if (isGrouped && !groups.has(around)) groups.set(around, push(around, list, "group"));
        push(option, (isGrouped && groups.get(around)) || list, "option");
      }
      const left = options.length - most;
      if (left > 0) push(select, list, "text", `… ${left} more options`, true);
    };
    const fold = (item: Item, all: Item[], at: number, isUnsure: boolean): void => {
      if (!folding.has(item.role) && item.role !== "clickable") return;
      const only = all[at];
      if (isUnsure && !(all.length === at + 1 && only && only.role !== "text") && !dom.isShown(item.element)) {
        item.dropped = true;
        return;
      }
      if (all.length === at + 1 && only && only.role === "text" && only.parent === item) {
        if (!hidesText(item)) {
          item.text = only.text;
          all.length = at;
        }
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
        // A cell of a grid can be chosen itself, unless a control fills it.
        const isNeeded = item.role === "gridcell" && first !== undefined && !roles.isInteractive(first.role);
        if (inner === 1 && first?.role !== "text" && !isNeeded && !item.isPressed) item.dropped = true;
        return;
      }
      // A group without a name that only wraps others adds nothing.
      if (item.role !== "clickable") return;
      if (item.isPressed) item.text = names.cut(names.squash((item.element as HTMLElement).innerText || ""));
      else if (all.slice(at).some(({ role }) => role !== "text")) item.dropped = true;
    };
    /** What hears of presses on the controls in it, or on half the page, is no control itself. */
    const isOneThing = ({ element, role }: Item, all: readonly Item[], at: number): boolean => {
      const inner = all.slice(at);
      const isDrawing = element.localName === "svg";
      if ((inner.length > mostParts && !isDrawing) || (delegating.has(role) && inner.length > 0)) return false;
      return !inner.some((each) => each.role === "clickable" || each.isPressed || roles.isInteractive(each.role));
    };
    if (start === document.body || start === document.documentElement) visitChildren(start, undefined, false, 0);
    else visit(start, undefined, false, 0);
    flush();
    return clean(items);
  };

  const isNameless = (element: Element): boolean => !roles.isNamed(element) && names.nameOf(element) === "";

  /** Drops the groups that add nothing; their content moves up one level. */
  const clean = (items: Item[]): Item[] => {
    const full = new Set<Item>();
    for (let index = items.length - 1; index >= 0; index--) {
      const item = items[index] as Item;
      if (!item.dropped && item.text === undefined) {
        if (needsName.has(item.role)) item.dropped = isNameless(item.element) && !item.isPressed;
        else if (holders.has(item.role)) item.dropped = !full.has(item) && !roles.isNamed(item.element);
      }
      if (item.parent && (!item.dropped || full.has(item))) full.add(item.parent);
    }
    const kept: Item[] = [];
    for (const item of items) {
      while (item.parent && item.parent.dropped) item.parent = item.parent.parent;
      if (item.dropped) continue;
      item.index = kept.length;
      kept.push(item);
    }
    return kept;
  };

  return {
    walk,
    isTextual,
    plainKind,
    /** Whether the last walk stopped before the end. */
    wasCutShort: (): boolean => isPartial,
    /** Becomes one line if it contains only text. */
    folds: (role: string): boolean => folding.has(role),
  };
}
