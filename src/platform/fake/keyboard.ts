import { sleep } from "../../base/async.ts";
import { isModifier, writtenBy } from "../../base/keys.ts";
import type { Keyboard } from "../backend.ts";
import type { FakeDesktop } from "./desktop.ts";
import { atEnd, insert, strike, type Editing } from "./editor.ts";

export function keyboardOf(desktop: FakeDesktop): Keyboard {
  let last: { readonly id: string; readonly editing: Editing } | undefined;
  /** Edits the text of the focused field, if there is one. */
  const edit = (change: (editing: Editing) => Editing): void => {
    const field = desktop.elements?.nodes.find(
      ({ states }) => states.includes("focused") && states.includes("editable"),
    );
    if (!field) return;
    const { runtimeId: id } = field;
    const text = String(field.value ?? "");
    const editing = change(last?.id === id && last.editing.text === text ? last.editing : atEnd(text));
    last = { id, editing };
    if (editing.text !== text) desktop.elements?.change(id, { value: editing.text });
  };
  return {
    async down(key, { signal } = {}) {
      await desktop.enter("key down", signal);
      if (desktop.grab && key === "escape") return desktop.grab({ kind: "escape" });
      const written = writtenBy([key]);
      if (!isModifier(key)) {
        const text = desktop.heldModifiers.length === 0 ? written : undefined;
        desktop.hear({ kind: "key", chord: [...desktop.heldModifiers, key], ...(text === undefined ? {} : { text }) });
      }
      desktop.keysDown.add(key);
      desktop.events.push(`key down ${key}`);
      edit((editing) => strike(editing, key, desktop.keysDown));
    },
    async up(key) {
      await desktop.enter("key up");
      desktop.keysDown.delete(key);
      desktop.events.push(`key up ${key}`);
    },
    async text(text, { signal, delayMs = 0 } = {}) {
      for (const character of text) {
        await desktop.enter("type", signal);
        desktop.hear({ kind: "key", chord: [character], text: character });
        desktop.typed += character;
        edit((editing) => insert(editing, character));
        if (delayMs > 0) await sleep(delayMs, signal);
      }
      desktop.events.push(`type ${text}`);
    },
  };
}
