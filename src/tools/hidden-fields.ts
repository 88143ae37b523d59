import { parseChord, writtenBy } from "../base/keys.ts";
import type { Secrets } from "../journal/secrets.ts";
import { enteredText } from "./schema.ts";
import type { AnyTool } from "./tool.ts";

// What was pressed, and what it was seen to write.
const keyFields: readonly string[] = ["key", "keys", "message", "node_before", "node_after", ...enteredText];

/** The fields of this call, in and out, that no record may show. */
export function hiddenFields(tool: AnyTool | undefined, given: unknown): readonly string[] {
  const secret = tool?.secret ?? [];
  return tool && readKeys(tool, given)?.written !== undefined ? [...secret, ...keyFields] : secret;
}

/** Tells the secrets what the call enters, so that it is found wherever it shows up later. */
export function rememberEntered(tool: AnyTool, given: unknown, secrets: Secrets): void {
  for (const field of tool.secret ?? []) {
    // Nobody types a picture, and to look for all parts of it takes long.
    if (field.endsWith("_base64")) continue;
    const value = fieldOf(given, field);
    if (typeof value === "string") secrets.remember(value);
  }
  const keys = readKeys(tool, given);
  if (!keys) return;
  const { written, isBackspace } = keys;
  secrets.rememberKeys((before) => (isBackspace ? before.slice(0, -1) : written === undefined ? "" : before + written));
}

interface Keys {
  /** Undefined for a key that writes nothing. */
  readonly written: string | undefined;
  readonly isBackspace: boolean;
}

function readKeys(tool: AnyTool, given: unknown): Keys | undefined {
  const key = tool.keys === undefined ? undefined : fieldOf(given, tool.keys);
  if (!isKeys(key) || key.length === 0) return undefined;
  const modifiers = fieldOf(given, "modifiers");
  try {
    const chord = parseChord({ key, modifiers: isKeys(modifiers) && typeof modifiers !== "string" ? modifiers : [] });
    const repeat = Number(fieldOf(given, "repeat") ?? 1);
    const written = writtenBy(chord)?.repeat(repeat >= 1 && repeat <= 100 ? repeat : 1);
    return { written, isBackspace: chord.length === 1 && chord[0] === "backspace" };
  } catch {
    // No key has this name: a word somebody meant to type.
    return { written: [key].flat().join(""), isBackspace: false };
  }
}

const isKeys = (value: unknown): value is string | readonly string[] =>
  typeof value === "string" || (Array.isArray(value) && value.every((each) => typeof each === "string"));

const fieldOf = (given: unknown, field: string): unknown =>
  typeof given === "object" && given !== null ? (given as Readonly<Record<string, unknown>>)[field] : undefined;
