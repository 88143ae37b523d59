import type { Key } from "../../base/keys.ts";

/** The text of a focused field, and its selection: from `anchor` to `caret`, in either direction. */
export interface Editing {
  readonly text: string;
  readonly caret: number;
  readonly anchor: number;
}

export const atEnd = (text: string): Editing => ({ text, caret: text.length, anchor: text.length });

export function insert({ text, caret, anchor }: Editing, typed: string): Editing {
  const [from, to] = [Math.min(caret, anchor), Math.max(caret, anchor)];
  const at = from + typed.length;
  return { text: text.slice(0, from) + typed + text.slice(to), caret: at, anchor: at };
}

/** Applies a key to the text, with these keys held. */
export function strike(editing: Editing, key: Key, held: ReadonlySet<Key>): Editing {
  const { text, caret, anchor } = editing;
  if (held.has("ctrl") || held.has("alt") || held.has("meta")) {
    return key === "a" && held.has("ctrl") ? { text, anchor: 0, caret: text.length } : editing;
  }
  const isSelected = caret !== anchor;
  const go = (to: number): Editing => ({ text, caret: to, anchor: held.has("shift") ? anchor : to });
  switch (key) {
    case "enter":
      return insert(editing, "\n");
    case "tab":
      return insert(editing, "\t");
    case "space":
      return insert(editing, " ");
    case "backspace":
      return insert(isSelected ? editing : { text, caret, anchor: before(text, caret) }, "");
    case "delete":
      return insert(isSelected ? editing : { text, caret, anchor: after(text, caret) }, "");
    case "left":
      return go(before(text, caret));
    case "right":
      return go(after(text, caret));
    case "home":
      return go(0);
    case "end":
      return go(text.length);
    default:
      return [...key].length === 1 ? insert(editing, held.has("shift") ? key.toUpperCase() : key) : editing;
  }
}

/** A character of two code units counts as one step. */
const before = (text: string, at: number): number => at - (Array.from(text.slice(0, at)).at(-1)?.length ?? 0);
const after = (text: string, at: number): number => at + (Array.from(text.slice(at))[0]?.length ?? 0);
