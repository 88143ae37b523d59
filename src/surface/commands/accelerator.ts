import { ToolError } from "../../base/errors.ts";
import { parseChord } from "../../base/keys.ts";

const accelerator = /^(.*\S)\s+((?:(?:ctrl|shift|alt|meta|super)\+)+\S+|f\d{1,2})$/iu;

/** Some apps name an entry with its shortcut: "New tab Ctrl+T". */
export function splitAccelerator(name: string): { readonly label: string; readonly shortcut?: string } {
  const [, label, keys] = accelerator.exec(name) ?? [];
  if (label === undefined || keys === undefined) return { label: name };
  try {
    return { label, shortcut: parseChord({ key: keys }).join("+") };
  } catch (error) {
    if (error instanceof ToolError) return { label: name };
    throw error;
  }
}
