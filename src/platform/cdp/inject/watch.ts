/// <reference lib="dom" />
import type { Changes, Line, Touched } from "./changes.ts";
import type { Copied } from "./copied.ts";
import type { Dom } from "./dom.ts";
import type { Row } from "./rows.ts";
import type { Unrest } from "./unrest.ts";

export interface Seen {
  readonly lines: Line[];
  readonly cut: number;
  readonly focus: [from: string, to: string] | null;
  readonly scrolled: boolean;
  /** Something was put on the clipboard. */
  readonly copied: boolean;
  /** What may have changed by itself: numbers of a document that is new to us, texts that were seen doing so. */
  readonly mayRun: "nothing" | "numbers" | "texts";
  readonly isQuiet: boolean;
  readonly url: string;
  readonly title: string;
  readonly row?: Row | undefined;
}

export interface SettleOptions {
  readonly quietMs: number;
  readonly waitMs: number;
  /** Whether the action is meant to move the focus, or to scroll. */
  readonly focus: boolean;
  readonly scroll: boolean;
  /** What a style alone has shown counts, too. */
  readonly hover: boolean;
  /** It counts that the text cursor has moved. */
  readonly caret: boolean;
  /** The element acted on, returned in the same answer; 0 if it is not in this document. */
  readonly id: number;
}

export type Watching = ReturnType<typeof makeWatching>;

/** Sees what an action changes in the document, and what changes by itself anyway. */
export function makeWatching(
  dom: Dom,
  { isRestless, noteUnrest, hasStirred, actionEnded }: Unrest,
  { titleOfNode, ownTitle, formsNow, unseenNow, linesOf, fieldsDiffer }: Changes,
  { copies, taken, isSelecting, caret, whenCopied }: Copied,
  read: (id: number) => Row | undefined,
) {
  const mostLines = 20;

  interface Action extends Touched {
    readonly focus: Element | undefined;
    readonly focusTitle: string;
    readonly copies: number;
    readonly isNew: boolean;
    readonly selections: number;
    readonly caret: [where: Node | null, at: number | null];
    /** What has come and gone again. */
    readonly passing: Set<string>;
    lastAt: number;
    scrolled: boolean;
    changed: boolean;
  }
  let action: Action | undefined;
  let wake: (() => void) | undefined;
  let listeners = 0;
  const told: Record<string, number> = {};
  /** Only while somebody listens, and each kind at most once per screen refresh. */
  const notify = (kind: string, detail: string, node: Node): void => {
    const send = (globalThis as unknown as { handsightNotice?: (text: string) => void }).handsightNotice;
    const now = performance.now();
    if (listeners === 0 || !send || now - (told[kind] || -8) < 8) return;
    told[kind] = now;
    const element = node instanceof Element ? node : dom.parentOf(node);
    send(JSON.stringify([kind, detail, element ? dom.peekId(element) || 0 : 0]));
  };
  addEventListener("focusin", (event) => notify("focus", "focused", event.target as Node), { capture: true });
  addEventListener("input", (event) => notify("text", "input", event.target as Node), { capture: true });
  addEventListener("change", (event) => notify("state", "changed", event.target as Node), { capture: true });

  let toldTitle: string | undefined;
  /** Immediately, whether or not somebody listens: the rules depend on the title. */
  const tellTitle = (): void => {
    const title = dom.titleNow();
    if (title === toldTitle) return;
    toldTitle = title;
    const send = (globalThis as unknown as { handsightTitle?: (text: string) => void }).handsightTitle;
    if (send) send(title);
  };
  tellTitle();

  // Long enough to have seen a clock tick twice after everything was drawn.
  const newMs = 3_000;
  const watchedSince = performance.now();
  const noteChange = (seen: Action): void => {
    seen.lastAt = performance.now();
    seen.changed = true;
    if (wake) wake();
  };

  const take = (records: readonly MutationRecord[]): void => {
    tellTitle();
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
      noteChange(action);
      if (type === "attributes" && record.attributeName !== null) {
        const known = action.attributes.get(target as Element) || new Map<string, string | null>();
        action.attributes.set(target as Element, known);
        if (!known.has(record.attributeName)) known.set(record.attributeName, record.oldValue);
      } else if (type === "characterData") {
        if (!action.texts.has(target)) action.texts.set(target, record.oldValue || "");
      } else {
        for (const node of Array.from(record.removedNodes)) {
          if (action.added.delete(node)) {
            const title = titleOfNode(node, target);
            if (title.indexOf('"') > 0) action.passing.add(title);
            continue;
          }
          action.removed.set(node, { title: titleOfNode(node, target), parent: target });
        }
        for (const node of Array.from(record.addedNodes)) {
          if (action.removed.delete(node)) continue;
          action.added.add(node);
        }
      }
    }
  };

  const observer = new MutationObserver(take);
  addEventListener(
    "click",
    ({ isTrusted, target }) => {
      if (!action || !isTrusted) return;
      take(observer.takeRecords());
      for (const [element, attributes] of action.attributes) {
        const now = Array.from(attributes.keys(), (name): [string, string | null] => [
          name,
          element.getAttribute(name),
        ]);
        action.looks.set(element, new Map(now));
      }
      for (const node of action.added)
        if (target instanceof Node && target.contains(node)) action.decorations.add(node);
    },
    { capture: true },
  );
  addEventListener(
    "toggle",
    ({ target }) => {
      if (!action || !(target instanceof HTMLElement) || target.popover === null) return;
      if (!action.popovers.has(target)) action.popovers.set(target, !target.matches(":popover-open"));
      noteChange(action);
    },
    { capture: true },
  );
  addEventListener("fullscreenchange", () => action && noteChange(action), { capture: true });
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

  whenCopied(() => {
    if (wake) wake();
  });

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
  /** What is gone cannot be used any more, so it comes last when there is no room for all. */
  const usefulFirst = (lines: readonly Line[]): readonly Line[] => {
    if (lines.length <= mostLines) return lines;
    const isGone = ([text]: Line): boolean => text.startsWith("- ");
    return lines.filter((line) => !isGone(line)).concat(lines.filter(isGone));
  };
  /** Text that is selected now, and a text cursor that has moved, change nothing in the document. */
  const moves = (seen: Action, countsCaret: boolean): Line[] => {
    if (taken()[1] > seen.selections && isSelecting()) return [["~ selected text", 0, ""]];
    const [where, at] = caret();
    const hasMoved = where !== null && where === seen.caret[0] && at !== seen.caret[1];
    return countsCaret && hasMoved ? [["~ text cursor", 0, ""]] : [];
  };
  const linesNow = (seen: Action, hover: boolean, countsCaret: boolean): Line[] => {
    const lines = linesOf(seen, hover).concat(moves(seen, countsCaret));
    if (lines.length > 0) return lines;
    const gone = Array.from(seen.removed.values(), ({ title }) => title);
    return Array.from(seen.passing)
      .filter((title) => gone.indexOf(title) < 0)
      .map((title): Line => [`+ ${title}, gone again`, 0, ""]);
  };
  const hasStirringText = ({ texts, removed }: Action): boolean =>
    Array.from(texts.keys()).some(hasStirred) || Array.from(removed.values()).some(({ parent }) => hasStirred(parent));
  const tell = (seen: Action, lines: readonly Line[], isQuiet: boolean, id: number): Seen => {
    const focus = dom.deepActive();
    return {
      lines: usefulFirst(lines).slice(0, mostLines),
      cut: Math.max(0, lines.length - mostLines),
      focus: focus === seen.focus ? null : [seen.focusTitle, focus ? ownTitle(focus) : "nothing"],
      scrolled: seen.scrolled,
      copied: copies() > seen.copies,
      mayRun: hasStirringText(seen) ? "texts" : seen.isNew ? "numbers" : "nothing",
      isQuiet,
      url: location.href,
      title: dom.titleNow(),
      row: id === 0 ? undefined : read(id),
    };
  };

  const endAction = (): void => {
    action = undefined;
    actionEnded();
  };

  return {
    begin: (id: number): { url: string; title: string; row?: Row | undefined; draws: boolean } => {
      take(observer.takeRecords());
      const focus = dom.deepActive();
      action = {
        added: new Set(),
        removed: new Map(),
        attributes: new Map(),
        texts: new Map(),
        forms: formsNow(),
        unseen: unseenNow(),
        focus,
        focusTitle: focus ? ownTitle(focus) : "nothing",
        copies: copies(),
        isNew: performance.now() - watchedSince < newMs,
        selections: taken()[1],
        caret: caret(),
        passing: new Set(),
        popovers: new Map(),
        fullscreen: document.fullscreenElement,
        looks: new Map(),
        decorations: new Set(),
        lastAt: performance.now(),
        scrolled: false,
        changed: false,
      };
      const target = id === 0 ? undefined : dom.element(id);
      return {
        url: location.href,
        title: dom.titleNow(),
        row: target && read(id),
        draws: target?.localName === "canvas" || document.querySelector("canvas") !== null,
      };
    },
    /** Reports the page's immediate reaction to a change, and what that triggers; ends the action. */
    conclude: async (id: number): Promise<Seen | undefined> => {
      const seen = action;
      if (!seen) return undefined;
      // A framework's reaction to an event is done when the promises it started are.
      for (let turn = 0; turn < 20; turn++) await Promise.resolve();
      take(observer.takeRecords());
      let lines = linesOf(seen);
      if (seen.changed || lines.length > 1) {
        // Everything queued earlier runs first: the page's own zero-delay timers, and what they queue. This may let
        // the page draw itself, so it is skipped for a page that does not react.
        for (let turn = 0; turn < 2; turn++) await new Promise((resolve) => setTimeout(resolve, 0));
        take(observer.takeRecords());
        lines = linesOf(seen);
      }
      const told = tell(seen, lines, true, id);
      // A dialog may have delayed this until another action began.
      if (action === seen) endAction();
      return told;
    },
    /** Waits until something has changed and it is quiet again, or until the time is up; then reports what it saw. */
    settle: async ({
      quietMs,
      waitMs,
      focus,
      scroll,
      hover,
      caret: countsCaret,
      id,
    }: SettleOptions): Promise<Seen | undefined> => {
      const seen = action;
      if (!seen) return undefined;
      const url = location.href;
      const started = performance.now();
      const until = started + waitMs;
      // What never comes to rest is reported after a while anyway.
      const patience = started + Math.min(waitMs, 300);
      let dull = false;
      for (;;) {
        take(observer.takeRecords());
        const now = performance.now();
        const hasCopied = copies() > seen.copies;
        const differs =
          hasCopied ||
          moves(seen, countsCaret).length > 0 ||
          (seen.changed && !dull) ||
          fieldsDiffer(seen) ||
          location.href !== url ||
          (focus && dom.deepActive() !== seen.focus) ||
          (scroll && seen.scrolled);
        const rests = now - (seen.changed ? seen.lastAt : started) >= quietMs;
        if (differs && (rests || now >= patience)) {
          const lines = linesNow(seen, hover, countsCaret);
          const moved =
            hasCopied ||
            (focus && dom.deepActive() !== seen.focus) ||
            (scroll && seen.scrolled) ||
            location.href !== url;
          if (lines.length > 0 || moved) return tell(seen, lines, rests, id);
          // Everything that changed is back to what it was.
          dull = true;
          seen.changed = false;
        }
        if (now >= until) return tell(seen, linesNow(seen, hover, countsCaret), rests, id);
        if (seen.changed) dull = false;
        await pause(
          Math.max(1, Math.min(until - now, differs ? (seen.changed ? seen.lastAt : started) + quietMs - now : 50)),
        );
      }
    },
    notice: (by: number): void => {
      listeners = Math.max(0, listeners + by);
    },
    place: (): { url: string; title: string } => ({ url: location.href, title: dom.titleNow() }),
    end: endAction,
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
          // A style change alone can reveal text without any mutation.
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
