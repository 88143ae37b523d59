import type { Chord } from "../../base/keys.ts";
import type { UiNode } from "../../base/node.ts";

/** Keys that change the text of a field or move in it, and do nothing else. */
const editing: ReadonlySet<string> = new Set([
  "backspace",
  "delete",
  "left",
  "right",
  "home",
  "end",
  "shift+left",
  "shift+right",
  "shift+home",
  "shift+end",
  "ctrl+a",
  "ctrl+v",
  "ctrl+z",
]);

export const isEditing = (chord: Chord): boolean => editing.has(chord.join("+"));

/** Text that is being typed into one place. */
export interface Typing {
  /** Undefined where nothing says what has the keyboard. */
  readonly field: UiNode | undefined;
  /** What the field held before. */
  readonly initial: string;
  readonly written: string;
  readonly isSecret: boolean;
  /** A key was pressed after which only the field itself knows what it holds. */
  readonly isEdited: boolean;
}

export function typed(
  typing: Typing,
  { chord, text }: { readonly chord: Chord; readonly text?: string | undefined },
): Typing {
  // An empty chord is a key that must not be known.
  if (text !== undefined) return { ...typing, written: typing.written + text };
  const isUndone = chord.join("+") === "backspace" && typing.written !== "" && !typing.isEdited;
  if (isUndone) return { ...typing, written: [...typing.written].slice(0, -1).join("") };
  return { ...typing, isEdited: true };
}

/**
 * What the field holds when one goes on: what was read, if the keys explain it. Enter may have emptied the field, or
 * replaced what was typed by what came of it, before it could be read.
 */
export function wholeText({ initial, written, isEdited }: Typing, read: string | undefined): string {
  if (read !== undefined && (isEdited || read.includes(written))) return read;
  return initial + written;
}
