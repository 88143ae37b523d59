/// <reference lib="dom" />
import type { Row } from "./collect.ts";
import type { Describe } from "./describe.ts";
import type { Dom } from "./dom.ts";
import type { Names } from "./names.ts";
import type { Roles } from "./roles.ts";

export interface Seen {
  /** `+ dialog "Save?"`, `- row "Ann"`, `~ checkbox "Remember me" +checked`. */
  readonly lines: string[];
  readonly cut: number;
  readonly focus: [from: string, to: string] | null;
  readonly scrolled: boolean;
  readonly isQuiet: boolean;
  readonly url: string;
  readonly title: string;
  readonly row: Row | undefined;
}

export interface SettleOptions {
  readonly quietMs: number;
  readonly waitMs: number;
  /** Whether moving the focus, or scrolling, is what the action is for. */
  readonly focus: boolean;
  readonly scroll: boolean;
  /** The element acted on, told in the same answer; 0 for none of this document. */
  readonly id: number;
}

export type Watching = ReturnType<typeof makeWatching>;

/** Sees what an action changes in the document, and what changes by itself anyway. */
export function makeWatching(
  dom: Dom,
  roles: Roles,
  names: Names,
  describe: Describe,
  read: (id: number) => Row | undefined,
) {
  const mostLines = 12;
  // The same figures as for elements of a desktop: a clock ticks every second.
  const memoryMs = 6_000;
  const apartMs = 250;
  const tailMs = 1_500;
  // What changes so often that it never pauses ticks too, once it has done so for longer than anything is drawn.
  const steadyMs = 1_000;
  const steadyCount = 5;

  interface Action {
    readonly added: Set<Node>;
    readonly removed: Map<Node, { title: string; parent: Node }>;
    readonly attributes: Map<Element, Map<string, string | null>>;
    readonly texts: Map<Node, string>;
    readonly forms: Map<Element, string>;
    readonly focus: Element | undefined;
    readonly focusTitle: string;
    lastAt: number;
    scrolled: boolean;
    changed: boolean;
  }
  let action: Action | undefined;
  let endedAt = 0;
  let wake: (() => void) | undefined;
  const unrest = new WeakMap<Node, { at: number; since: number; count: number; again: boolean }>();

  const isRestless = (node: Node): boolean => {
    const now = performance.now();
    for (let at: Node | undefined = node, depth = 0; at && depth < 4; at = dom.parentOf(at), depth++) {
      const known = unrest.get(at);
      if (known && known.again && now - known.at < memoryMs) {
        // It goes on while we act; without this an agent that acts all the time would forget it.
        known.at = now;
        return true;
      }
    }
    return false;
  };
  const noteUnrest = (node: Node): void => {
    const now = performance.now();
    if (now - endedAt < tailMs) return;
    const last = unrest.get(node);
    const isSteady = last !== undefined && now - last.at < steadyMs;
    const since = isSteady ? last.since : now;
    const count = isSteady ? last.count + 1 : 1;
    const isAgain = last !== undefined && (last.again || now - last.at > apartMs);
    unrest.set(node, { at: now, since, count, again: isAgain || (count >= steadyCount && now - since > steadyMs) });
  };

  let listeners = 0;
  let told = 0;
  /** Only while somebody listens, and not more often than a screen is drawn. */
  const notify = (kind: string, detail: string, node: Node): void => {
    const send = (globalThis as unknown as { handsightNotice?: (text: string) => void }).handsightNotice;
    const now = performance.now();
    if (listeners === 0 || !send || now - told < 8) return;
    told = now;
    const element = node instanceof Element ? node : dom.parentOf(node);
    send(JSON.stringify([kind, detail, element ? dom.peekId(element) || 0 : 0]));
  };
  addEventListener("focusin", (event) => notify("focus", "focused", event.target as Node), { capture: true });
  addEventListener("input", (event) => notify("text", "input", event.target as Node), { capture: true });
  addEventListener("change", (event) => notify("state", "changed", event.target as Node), { capture: true });

  const take = (records: readonly MutationRecord[]): void => {
    const [first] = records;
    if (first && listeners > 0) {
      notify(
        first.type === "childList" ? "children" : first.type === "attributes" ? "property" : "text",
        first.attributeName || first.type,
        first.target,
      );
    }
    if (!action) {
      for (const { target } of records.slice(0, 50)) noteUnrest(target);
      return;
    }
    for (const record of records) {
      const { target, type } = record;
      if (isRestless(target)) continue;
      action.lastAt = performance.now();
      action.changed = true;
      if (type === "attributes" && record.attributeName !== null) {
        const known = action.attributes.get(target as Element) || new Map<string, string | null>();
        action.attributes.set(target as Element, known);
        if (!known.has(record.attributeName)) known.set(record.attributeName, record.oldValue);
      } else if (type === "characterData") {
        if (!action.texts.has(target)) action.texts.set(target, record.oldValue || "");
      } else {
        for (const node of Array.from(record.removedNodes)) {
          if (action.added.delete(node)) continue;
          action.removed.set(node, { title: titleOfNode(node, target), parent: target });
        }
        for (const node of Array.from(record.addedNodes)) {
          if (action.removed.delete(node)) continue;
          action.added.add(node);
        }
      }
    }
    if (wake) wake();
  };

  const observer = new MutationObserver(take);
  const options: MutationObserverInit = {
    subtree: true,
    childList: true,
    attributes: true,
    attributeOldValue: true,
    characterData: true,
    characterDataOldValue: true,
  };
  observer.observe(document, options);
  dom.onRoot((root) => observer.observe(root, options));
  addEventListener(
    "scroll",
    () => {
      if (!action) return;
      action.scrolled = true;
      action.lastAt = performance.now();
    },
    { capture: true, passive: true },
  );

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
    if (element instanceof HTMLInputElement) {
      if (element.type === "checkbox" || element.type === "radio")
        return element.indeterminate ? "mixed" : element.checked ? "checked" : "unchecked";
      if (element.type === "password") return `password of ${element.value.length}`;
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
    const shown = role === "generic" || role === "none" ? element.localName : role;
    return name === ""
      ? shown + (element.id ? ` #${element.id}` : "")
      : `${shown} ${JSON.stringify(name.slice(0, 80))}`;
  };

  const telling =
    /^(aria-.*|disabled|hidden|open|checked|selected|value|href|src|title|alt|placeholder|readonly|required|role|data-state)$/;

  const linesOf = (seen: Action): string[] => {
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
      // Drawn anew with the same content is not a change.
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
          const isSecret = attribute === "value" && (element as HTMLInputElement).type === "password";
          lines.push(`~ ${ownTitle(element)} ${attribute}${isSecret ? "" : ` ${short(was)} → ${short(now)}`}`);
        } else dull.push(`~ ${ownTitle(element)} ${attribute}`);
      }
    }
    return lines.length > 0 ? lines : dull.slice(0, 3);
  };

  const pause = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      const timer = setTimeout(done, ms);
      function done(): void {
        clearTimeout(timer);
        wake = undefined;
        resolve();
      }
      wake = done;
    });
  const fieldsDiffer = (seen: Action): boolean => {
    for (const [field, was] of seen.forms) if (formState(field) !== was && !isRestless(field)) return true;
    return false;
  };
  const tell = (seen: Action, lines: readonly string[], isQuiet: boolean, id: number): Seen => {
    const focus = dom.deepActive();
    return {
      lines: lines.slice(0, mostLines),
      cut: Math.max(0, lines.length - mostLines),
      focus: focus === seen.focus ? null : [seen.focusTitle, focus ? ownTitle(focus) : "nothing"],
      scrolled: seen.scrolled,
      isQuiet,
      url: location.href,
      title: document.title,
      row: id === 0 ? undefined : read(id),
    };
  };

  return {
    begin: (id: number): { url: string; title: string; row: Row | undefined; draws: boolean } => {
      take(observer.takeRecords());
      const focus = dom.deepActive();
      action = {
        added: new Set(),
        removed: new Map(),
        attributes: new Map(),
        texts: new Map(),
        forms: formsNow(),
        focus,
        focusTitle: focus ? ownTitle(focus) : "nothing",
        lastAt: performance.now(),
        scrolled: false,
        changed: false,
      };
      const target = id === 0 ? undefined : dom.element(id);
      return {
        url: location.href,
        title: document.title,
        row: target && read(id),
        draws: target?.localName === "canvas" || document.querySelector("canvas") !== null,
      };
    },
    /** Waits until something has changed and it is quiet again, or until the time is up; then tells what it saw. */
    settle: async ({ quietMs, waitMs, focus, scroll, id }: SettleOptions): Promise<Seen | undefined> => {
      const seen = action;
      if (!seen) return undefined;
      const url = location.href;
      const started = performance.now();
      const until = started + waitMs;
      // What never rests is told after a while all the same.
      const patience = started + Math.min(waitMs, 300);
      let dull = false;
      for (;;) {
        take(observer.takeRecords());
        const now = performance.now();
        const differs =
          (seen.changed && !dull) ||
          fieldsDiffer(seen) ||
          location.href !== url ||
          (focus && dom.deepActive() !== seen.focus) ||
          (scroll && seen.scrolled);
        const rests = now - (seen.changed ? seen.lastAt : started) >= quietMs;
        if (differs && (rests || now >= patience)) {
          const lines = linesOf(seen);
          const moved =
            (focus && dom.deepActive() !== seen.focus) || (scroll && seen.scrolled) || location.href !== url;
          if (lines.length > 0 || moved) return tell(seen, lines, rests, id);
          // Everything that was changed is as it was.
          dull = true;
          seen.changed = false;
        }
        if (now >= until) return tell(seen, linesOf(seen), rests, id);
        if (seen.changed) dull = false;
        await pause(
          Math.max(1, Math.min(until - now, differs ? (seen.changed ? seen.lastAt : started) + quietMs - now : 50)),
        );
      }
    },
    notice: (by: number): void => {
      listeners = Math.max(0, listeners + by);
    },
    place: (): { url: string; title: string } => ({ url: location.href, title: document.title }),
    end: (): void => {
      action = undefined;
      endedAt = performance.now();
    },
    /** Resolves with the first of the texts that the page shows, or with undefined when the time is up. */
    waitText: async (texts: readonly string[], waitMs: number): Promise<string | undefined> => {
      const until = performance.now() + waitMs;
      let changed = true;
      const notice = new MutationObserver(() => {
        changed = true;
      });
      notice.observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
      try {
        for (let looks = 0; ; looks++) {
          // A change of style alone shows text without any mutation.
          if (changed || looks % 5 === 0) {
            changed = false;
            const shown = visibleText();
            for (const text of texts) if (shown.indexOf(text) >= 0) return text;
          }
          const left = until - performance.now();
          if (left <= 0) return undefined;
          await new Promise((resolve) => setTimeout(resolve, Math.min(left, 20)));
        }
      } finally {
        notice.disconnect();
      }
    },
  };

  function visibleText(): string {
    const parts: string[] = [document.body ? document.body.innerText : ""];
    const visit = (element: Element): void => {
      const root = dom.shadowOf(element);
      if (root) for (const child of Array.from(root.children)) parts.push((child as HTMLElement).innerText || "");
    };
    const all = document.querySelectorAll("*");
    if (all.length < 20_000) for (const element of Array.from(all)) visit(element);
    return parts.join("\n");
  }
}
