/// <reference lib="dom" />
import type { Describe } from "./describe.ts";
import type { Dom } from "./dom.ts";
import type { Names } from "./names.ts";
import type { Roles } from "./roles.ts";
import type { Unrest } from "./unrest.ts";

/** The earlier state of everything that has changed since. */
export interface Touched {
  readonly added: Set<Node>;
  readonly removed: Map<Node, { title: string; parent: Node }>;
  readonly attributes: Map<Element, Map<string, string | null>>;
  readonly texts: Map<Node, string>;
  readonly forms: Map<Element, string>;
}

export type Changes = ReturnType<typeof makeChanges>;

/** Describes changes of a document: `+ dialog "Save?"`, `~ checkbox "Remember me" unchecked → checked`. */
export function makeChanges(dom: Dom, roles: Roles, names: Names, describe: Describe, { isRestless }: Unrest) {
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
  const formsNow = (): Map<Element, string> => {
    const found = new Map<Element, string>();
    const roots: (Document | ShadowRoot)[] = [document];
    const active = dom.deepActive();
    const root = active && active.getRootNode();
    if (root instanceof ShadowRoot) roots.push(root);
    for (const each of roots) {
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

  const linesOf = (seen: Touched): string[] => {
    const lines: string[] = [];
    for (const [field, was] of seen.forms) {
      const now = formState(field);
      if (now === was || isRestless(field)) continue;
      const isCheck = now === "checked" || now === "unchecked" || now === "mixed";
      lines.push(
        isCheck ? `~ ${ownTitle(field)} ${was} → ${now}` : `~ ${ownTitle(field)} value ${short(was)} → ${short(now)}`,
      );
    }
    const gone: string[] = [];
    const goneTexts = new Map<Node, string>();
    for (const [node, { title, parent }] of seen.removed) {
      if (node.isConnected || title === "") continue;
      if (node.nodeType === Node.TEXT_NODE && parent.isConnected)
        goneTexts.set(parent, names.squash(node.nodeValue || ""));
      else gone.push(title);
    }
    for (const node of seen.added) {
      if (!node.isConnected) continue;
      const parent = dom.parentOf(node);
      const title = titleOfNode(node, parent || document);
      if (title === "" || (node instanceof Element && !dom.isShown(node)) || (parent && !dom.isShown(parent))) continue;
      if (node.nodeType === Node.TEXT_NODE && parent) {
        const was = goneTexts.get(parent) || "";
        const now = names.squash(node.nodeValue || "");
        goneTexts.delete(parent);
        if (was !== now) lines.push(`~ ${hostTitle(parent)} ${short(was)} → ${short(now)}`);
        continue;
      }
      // Redrawn with the same content is not a change.
      const same = gone.indexOf(title);
      if (same >= 0) gone.splice(same, 1);
      else lines.push(`+ ${title}`);
    }
    for (const [parent, was] of goneTexts) lines.push(`~ ${hostTitle(parent)} ${short(was)} → ""`);
    for (const title of gone) lines.push(`- ${title}`);
    for (const [node, was] of seen.texts) {
      const now = node.nodeValue || "";
      if (node.isConnected && now !== was)
        lines.push(`~ ${hostTitle(dom.parentOf(node) || document)} ${short(was)} → ${short(now)}`);
    }
    const dull: string[] = [];
    for (const [element, attributes] of seen.attributes) {
      if (!element.isConnected) continue;
      for (const [attribute, was] of attributes) {
        const now = element.getAttribute(attribute);
        if (now === was) continue;
        if (telling.test(attribute)) {
          const isHidden = (attribute === "value" && dom.isSecret(element)) || isOfFrame(element);
          lines.push(`~ ${ownTitle(element)} ${attribute}${isHidden ? "" : ` ${short(was)} → ${short(now)}`}`);
        } else dull.push(`~ ${ownTitle(element)} ${attribute}`);
      }
    }
    return lines.length > 0 ? lines : dull.slice(0, 3);
  };

  const fieldsDiffer = (seen: Touched): boolean => {
    for (const [field, was] of seen.forms) if (formState(field) !== was && !isRestless(field)) return true;
    return false;
  };

  return { titleOfNode, ownTitle, formsNow, linesOf, fieldsDiffer };
}
