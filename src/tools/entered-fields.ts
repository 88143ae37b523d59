import { parseChord, writtenBy } from "../base/keys.ts";
import type { AnyTool } from "./tool.ts";

/** The fields of a call's input that hold text to enter, keys that write a character included. */
export function enteredFields({ enters = [], keys, writes = writesText }: AnyTool, given: unknown): readonly string[] {
  if (typeof given !== "object" || given === null) return [];
  const input = given as Readonly<Record<string, unknown>>;
  const fields = enters.filter((field) => input[field] !== undefined);
  return keys !== undefined && isKeys(input[keys]) && writes(input[keys], input["modifiers"])
    ? [...fields, keys]
    : fields;
}

type Keys = string | readonly string[];

/** A name that no key has is a word that somebody meant to type. */
function writesText(key: Keys, modifiers: unknown): boolean {
  try {
    return writtenBy(parseChord({ key, modifiers: isKeys(modifiers) ? [modifiers].flat() : [] })) !== undefined;
  } catch {
    return true;
  }
}

const isKeys = (value: unknown): value is Keys =>
  (typeof value === "string" && value !== "") ||
  (Array.isArray(value) && value.length > 0 && value.every((each) => typeof each === "string"));
