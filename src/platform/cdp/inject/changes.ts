/// <reference lib="dom" />
import type { Describe } from "./describe.ts";
import type { Dom } from "./dom.ts";
import type { Names } from "./names.ts";
import type { Roles } from "./roles.ts";
import type { Unrest } from "./unrest.ts";
import type { Item, Walking } from "./walk.ts";

/** One change, around the number of the element it is about; 0 for one that cannot be used. */
export type Line = [before: string, id: number, after: string];

/** The earlier state of everything that has changed since. */
export interface Touched {
  readonly added: Set<Node>;
  readonly removed: Map<Node, { title: string; parent: Node }>;
  readonly attributes: Map<Element, Map<string, string | null>>;
  readonly texts: Map<Node, string>;
  readonly forms: Map<Element, string>;
  /** Controls and popups that could not be seen. */
  readonly unseen: Set<Element>;
  /** Whether popovers that were toggled had been open: no attribute says so. */
  readonly popovers: Map<Element, boolean>;
  readonly fullscreen: Element | null;
  /** What had changed by the time the click itself came: frameworks mark what is pressed and focused. */
  readonly looks: Map<Element, Map<string, string | null>>;
  readonly decorations: Set<Node>;
}

export type Changes = ReturnType<typeof makeChanges>;

/** Describes changes of a document: `+ dialog "Save?" d12`, `~ checkbox "Remember me" d3 unchecked → checked`. */
export function makeChanges(
  dom: Dom,
  roles: Roles,
  names: Names,
  describe: Describe,
  { walk }: Walking,
  { isRestless }: Unrest,
) {
  const titleOfNode = (node: Node, parent: Node): string => {
    if (node.nodeType === Node.TEXT_NODE) {
      const text = names.squash(node.nodeValue || "");
      return text === "" ? "" : `${hostTitle(parent)} ${JSON.stringify(text.slice(0, 80))}`;
    }
    if (!(node instanceof Element) || /^(script|style|link|meta|template)$/.test(node.localName)) return "";
    return describe.titleOf(node);
  };
  const hostTitle = (node: Node): string => {
    const role = node instanceof Element ? roles.roleOf(node) : "text";
    return role === "generic" || role === "none" ? "text" : role;
  };

  const formState = (element: Element): string => {
    if (dom.isSecret(element)) return `password of ${(element as HTMLInputElement).value.length}`;
    if (element instanceof HTMLInputElement) {
      if (element.type === "checkbox" || element.type === "radio")
        return element.indeterminate ? "mixed" : element.checked ? "checked" : "unchecked";
      return element.type === "file" ? String(describe.valueOf(element, "file")) : element.value;
    }
    if (element instanceof HTMLSelectElement)
      return Array.from(element.selectedOptions, (option) => option.label).join(", ");
    return (element as HTMLTextAreaElement).value;
  };
  const shadows = new Set<ShadowRoot>();
  dom.onRoot((root) => shadows.add(root));
  const formsNow = (): Map<Element, string> => {
    const found = new Map<Element, string>();
    for (const root of shadows) if (!root.isConnected) shadows.delete(root);
    for (const each of [document, ...shadows]) {
      const fields = each.querySelectorAll("input,select,textarea");
      for (let index = 0; index < fields.length && index < 5_000; index++) {
        const field = fields[index];
        if (field) found.set(field, formState(field));
      }
    }
    return found;
  };

  const short = (text: string | null): string =>
    text === null ? "none" : JSON.stringify(names.squash(text).slice(0, 80));
  const ownTitle = (element: Element): string => {
    const role = roles.roleOf(element);
    const name = names.nameOf(element);
    const id = dom.idAttribute(element);
    const shown = role === "generic" || role === "none" ? element.localName : role;
    return name === "" ? shown + (id === "" ? "" : ` #${id}`) : `${shown} ${JSON.stringify(name.slice(0, 80))}`;
  };

  const telling =
    /^(aria-.*|disabled|hidden|open|checked|selected|value|href|src|title|alt|placeholder|readonly|required|role|data-state)$/;

  /** Where a frame is being sent may be an address that nobody may know. */
  const isOfFrame = (element: Element): boolean => /^(iframe|frame|object|embed)$/.test(element.localName);

  const popups = "dialog,[role=dialog],[role=alertdialog],[role=alert],[role=menu],[role=listbox],[hidden],[popover]";
  const controls =
    "a[href],button,input,select,textarea,summary,[tabindex],[role=button],[role=link],[role=menuitem],[role=option],[role=tab]";
  // Asking thousands of elements whether they are shown would delay the action.
  const mostAsked = 1_500;
  const unseenNow = (): Set<Element> => {
    const found = new Set<Element>();
    const all = document.querySelectorAll(`${popups},${controls}`);
    for (let index = 0; index < all.length && index < mostAsked; index++) {
      const element = all[index];
      if (element && !dom.isShown(element)) found.add(element);
    }
    return found;
  };

  const isControl = ({ role, parent, isPressed }: Item): boolean =>
    role === "clickable" ||
    isPressed === true ||
    // The options of a closed list are chosen by filling it.
    (roles.isInteractive(role) && !(role === "option" && parent !== undefined && parent.role === "combobox"));
  const controlLine = ({ element, role, text }: Item): Line => {
    const name = names.nameOf(element, role) || text || "";
    const value = describe.valueOf(element, role);
    const shown = value === undefined || value === "" ? "" : ` =${typeof value === "string" ? short(value) : value}`;
    const states = describe.statesOf(element, role, undefined).filter((state) => /^(checked|selected)$/.test(state));
    const all = describe.isDisabled(element) ? states.concat("disabled") : states;
    return [`+ ${role}${name === "" ? "" : ` ${short(name)}`}`, dom.idOf(element), [shown].concat(all).join(" ")];
  };
  // More than are ever told: names are worked out only for these.
  const mostNamed = 40;
  /** What has appeared: what it says in one line, and every control in it in a line of its own. */
  const arrivals = (element: Element): Line[] => {
    const items = walk(element, false);
    const inner = items.filter(isControl);
    const lines = inner.map((item, index): Line => (index < mostNamed ? controlLine(item) : ["+ control", 0, ""]));
    const [first] = inner;
    if (!first) return [[`+ ${describe.titleOf(element)}`, dom.idOf(element), ""]];
    if (first.element === element) return lines;
    const role = roles.roleOf(element);
    const isPlain = role === "generic" || role === "none";
    const says = (isPlain ? "" : names.nameOf(element)) || names.squash(textsAround(element, items));
    if (isPlain && says === "") return lines;
    const head: Line = [`+ ${isPlain ? "text" : role}${says === "" ? "" : ` ${short(says)}`}`, dom.idOf(element), ""];
    return [head].concat(lines);
  };
  /** What is written in it outside of its controls. */
  const textsAround = (element: Element, items: readonly Item[]): string =>
    items
      .filter((item) => item.element !== element && !isControl(item) && item.role !== "option")
      .map((item) => item.text || (item.role === "heading" ? names.nameOf(item.element) : ""))
      .join(" ");
  /** What was in the page before, but could not be seen. */
  const revealed = ({ unseen }: Touched): Element[] => {
    const shown = Array.from(unseen).filter((element) => element.isConnected && dom.isShown(element));
    const all = new Set(shown);
    const isInner = (element: Element): boolean => {
      for (let each = dom.parentOf(element); each; each = dom.parentOf(each)) if (all.has(each)) return true;
      return false;
    };
    return shown.filter((element) => !isInner(element));
  };

  /** Nothing to read or use, such as the ripple that runs over a pressed button. */
  const isDecoration = (node: Node): boolean =>
    node instanceof Element &&
    names.squash(node.textContent || "") === "" &&
    !node.querySelector("img,svg,canvas,video,input,button,a") &&
    /^(generic|none)$/.test(roles.roleOf(node));

  const live = "[role=alert],[role=status],[role=log],[aria-live=polite],[aria-live=assertive],output";
  /** In a place that pages have for messages. */
  const isAnnounced = (node: Node): boolean => {
    const element = node instanceof Element ? node : node.parentElement;
    return element !== null && element.closest(live) !== null;
  };

  const linesOf = (seen: Touched, isHover = false): Line[] => {
    // What the page says in answer comes first: the end of a long list is cut off.
    const announced: Line[] = [];
    const lines: Line[] = [];
    const about = (node: Node): Line[] => (isAnnounced(node) ? announced : lines);
    for (const [field, was] of seen.forms) {
      const now = formState(field);
      if (now === was || isRestless(field)) continue;
      const isCheck = now === "checked" || now === "unchecked" || now === "mixed";
      lines.push([
        `~ ${ownTitle(field)}`,
        dom.idOf(field),
        isCheck ? ` ${was} → ${now}` : ` value ${short(was)} → ${short(now)}`,
      ]);
    }
    const gone: string[] = [];
    const goneTexts = new Map<Node, string>();
    for (const [node, { title, parent }] of seen.removed) {
      if (node.isConnected || title === "") continue;
      if (node.nodeType === Node.TEXT_NODE && parent.isConnected)
        goneTexts.set(parent, names.squash(node.nodeValue || ""));
      else gone.push(title);
    }
    const textLine = (host: Node, was: string, now: string): Line => [
      `~ ${hostTitle(host)}`,
      host instanceof Element ? dom.idOf(host) : 0,
      ` ${short(was)} → ${short(now)}`,
    ];
    for (const node of seen.added) {
      if (!node.isConnected || (seen.decorations.has(node) && isDecoration(node))) continue;
      const parent = dom.parentOf(node);
      const title = titleOfNode(node, parent || document);
      if (title === "" || (node instanceof Element && !dom.isShown(node)) || (parent && !dom.isShown(parent))) continue;
      if (node.nodeType === Node.TEXT_NODE && parent) {
        const was = goneTexts.get(parent) || "";
        const now = names.squash(node.nodeValue || "");
        goneTexts.delete(parent);
        if (was !== now) about(parent).push(textLine(parent, was, now));
        continue;
      }
      // Redrawn with the same content is not a change.
      const same = gone.indexOf(title);
      if (same >= 0) gone.splice(same, 1);
      else if (node instanceof Element) about(node).push(...arrivals(node));
      else lines.push([`+ ${title}`, 0, ""]);
    }
    for (const [parent, was] of goneTexts) about(parent).push(textLine(parent, was, ""));
    for (const [node, was] of seen.texts) {
      const now = node.nodeValue || "";
      if (node.isConnected && now !== was) about(node).push(textLine(dom.parentOf(node) || document, was, now));
    }
    const dull: Line[] = [];
    const opened = revealed(seen);
    for (const [element, attributes] of seen.attributes) {
      if (!element.isConnected) continue;
      for (const [attribute, was] of attributes) {
        const now = element.getAttribute(attribute);
        // That it has appeared says more than the attribute that did it.
        if (now === was || opened.includes(element)) continue;
        const look = seen.looks.get(element);
        const isLook = (now || "") === (was || "") || (look !== undefined && look.get(attribute) === now);
        if (isLook && !telling.test(attribute)) continue;
        const before = `~ ${ownTitle(element)}`;
        if (telling.test(attribute)) {
          const isHidden = (attribute === "value" && dom.isSecret(element)) || isOfFrame(element);
          const what = ` ${attribute}${isHidden ? "" : ` ${short(was)} → ${short(now)}`}`;
          lines.push([before, dom.idOf(element), what]);
        } else dull.push([before, dom.idOf(element), ` ${attribute}`]);
      }
    }
    for (const [popover, wasOpen] of seen.popovers) {
      const isOpen = popover.matches(":popover-open");
      if (isOpen !== wasOpen && !opened.includes(popover))
        lines.push([`~ ${ownTitle(popover)}`, dom.idOf(popover), isOpen ? " open" : " closed"]);
    }
    if (document.fullscreenElement !== seen.fullscreen)
      lines.push([`~ document ${document.fullscreenElement ? "fills" : "no longer fills"} the screen`, 0, ""]);
    // A style alone may show something, such as a menu under the pointer: only hovering is meant to.
    if (isHover || seen.attributes.size + seen.added.size + seen.popovers.size > 0)
      for (const element of opened) about(element).push(...arrivals(element));
    const all = announced.concat(
      lines,
      gone.map((title): Line => [`- ${title}`, 0, ""]),
    );
    return all.length > 0 ? all : dull.slice(0, 3);
  };

  const fieldsDiffer = (seen: Touched): boolean => {
    for (const [field, was] of seen.forms) if (formState(field) !== was && !isRestless(field)) return true;
    return false;
  };

  return { titleOfNode, ownTitle, formsNow, unseenNow, linesOf, fieldsDiffer };
}
