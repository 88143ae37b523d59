/// <reference lib="dom" />

export type Copied = ReturnType<typeof makeCopied>;

/** Counts what is copied and selected while the document is there. Never looks at the content. */
export function makeCopied() {
  // On X11 the browser reports selected text as a change of the clipboard, too: programs offer it for the middle button.
  const selectionMs = 3_000;
  let count = 0;
  let selections = 0;
  let selectedAt = -selectionMs;
  let told: (() => void) | undefined;
  const note = (): void => {
    count++;
    if (told) told();
  };
  const isSelecting = (): boolean => {
    const active = document.activeElement;
    if (active instanceof HTMLInputElement || active instanceof HTMLTextAreaElement) {
      // Nothing can be copied from a password field.
      if (active.type !== "password" && active.selectionStart !== active.selectionEnd) return true;
    }
    const selection = getSelection();
    return selection !== null && !selection.isCollapsed;
  };
  /** What is selected in the document, by its ends. */
  const selected = (): unknown[] => {
    const selection = getSelection();
    return selection === null
      ? []
      : [selection.anchorNode, selection.anchorOffset, selection.focusNode, selection.focusOffset];
  };
  // The event comes for an empty selection, too, a page may forbid copying, and a script can make one that copies nothing.
  const hear = (event: ClipboardEvent): void => {
    if (!event.isTrusted) return;
    const data = event.clipboardData;
    if (event.defaultPrevented ? data !== null && data.types.length > 0 : isSelecting()) note();
  };
  addEventListener("copy", hear);
  addEventListener("cut", hear);
  // A script that writes to the clipboard is reported by no other event; pages without a secure address cannot.
  const clipboard: EventTarget | undefined = navigator.clipboard;
  document.addEventListener("selectionchange", () => {
    // Text that is no longer selected is reported as a change of the clipboard, too.
    selectedAt = performance.now();
    if (!isSelecting()) return;
    selections++;
    if (told) told();
  });
  if (clipboard && "onclipboardchange" in clipboard) {
    // The clipboard may be reported before the selection is, and twice.
    let known = selected();
    const noteSelection = (): void => {
      const now = selected();
      if (now.some((part, index) => part !== known[index])) selectedAt = performance.now();
      known = now;
    };
    clipboard.addEventListener("clipboardchange", () => {
      noteSelection();
      if (performance.now() - selectedAt >= selectionMs) note();
    });
  }
  return {
    copies: (): number => count,
    /** How often the copied and the selected have changed. */
    taken: (): [copies: number, selections: number] => [count, selections],
    isSelecting,
    /** Where the text cursor is. */
    caret: (): [where: Node | null, at: number | null] => {
      const active = document.activeElement;
      if (active instanceof HTMLInputElement || active instanceof HTMLTextAreaElement)
        return [active, active.selectionEnd];
      const selection = getSelection();
      return active instanceof HTMLElement && active.isContentEditable && selection !== null
        ? [selection.focusNode, selection.focusOffset]
        : [null, null];
    },
    whenCopied: (listener: (() => void) | undefined): void => {
      told = listener;
    },
  };
}
