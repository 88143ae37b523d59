import type { Field } from "./app.ts";

export function insert(field: Field, letters: string): void {
  if (field.isAllSelected) clear(field);
  field.text = field.text.slice(0, field.caret) + letters + field.text.slice(field.caret);
  field.caret += letters.length;
}

export function deleteBack(field: Field): void {
  if (field.isAllSelected) return clear(field);
  field.text = field.text.slice(0, Math.max(0, field.caret - 1)) + field.text.slice(field.caret);
  field.caret = Math.max(0, field.caret - 1);
}

export function deleteForward(field: Field): void {
  if (field.isAllSelected) return clear(field);
  field.text = field.text.slice(0, field.caret) + field.text.slice(field.caret + 1);
}

export function moveCaret(field: Field, key: string): void {
  const places: Readonly<Record<string, number>> = {
    MOVE_HOME: 0,
    MOVE_END: field.text.length,
    DPAD_LEFT: Math.max(0, field.caret - 1),
    DPAD_RIGHT: Math.min(field.text.length, field.caret + 1),
  };
  if (!(key in places)) return;
  field.caret = places[key] ?? field.caret;
  field.isAllSelected = false;
}

export function clear(field: Field): void {
  field.text = "";
  field.caret = 0;
  field.isAllSelected = false;
}
