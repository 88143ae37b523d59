import { z } from "zod";
import { parseChord } from "../base/keys.ts";

/** A key with at least one modifier, so that the stop is not on a key used for typing. Empty for none. */
export const keyChord = z
  .string()
  .max(100)
  .refine((text) => text === "" || isChord(text), 'must be a key with modifiers, such as "ctrl+alt+shift+escape"');

function isChord(text: string): boolean {
  try {
    return parseChord({ key: text }).length > 1;
  } catch {
    return false;
  }
}
