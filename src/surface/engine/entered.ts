import { ToolError } from "../../base/errors.ts";
import type { UiNode } from "../../base/node.ts";
import { evidenceMs } from "../silence.ts";
import type { Surface } from "../surface.ts";

/** A field that is about to get text. */
export interface Entry {
  /** Whether the field shows the text now and did not before. Pass what it was last seen as, if anybody has looked. */
  shows(text: string, last?: UiNode | null): Promise<boolean>;
}

/**
 * Looks at a field before text goes into it. What it shows afterwards is no secret; everything else may be one: a password
 * field shows nothing, an app without elements has no field, a terminal may read a password, and Tab leads elsewhere.
 */
export async function openEntry(surface: Surface, field: UiNode | undefined, signal: AbortSignal): Promise<Entry> {
  if (!field || field.states.includes("password")) return { shows: async () => false };
  if (!takesText(field))
    return {
      shows: async (text, last) => isChosen(surface, last ?? (await readNow(surface, field, signal)), text, signal),
    };
  if (!isPlain(field)) return { shows: async () => false };
  const before = await contentOf(surface, field, signal);
  return {
    async shows(text, last) {
      const now = last ?? (await readNow(surface, field, signal));
      if (!now || !isPlain(now)) return false;
      const after = await contentOf(surface, now, signal);
      return before !== undefined && after !== undefined && count(after, text) > count(before, text);
    },
  };
}

/** Whether an element has the value that it was given. One that takes no text has only values of its own to choose from. */
export async function showsValue(
  surface: Surface,
  { before, after }: { readonly before: UiNode | undefined; readonly after: UiNode | null | undefined },
  value: string | number | boolean,
  signal: AbortSignal,
): Promise<boolean> {
  if (!before || before.states.includes("password")) return false;
  if (!takesText(before)) return before.nativeRole !== "file";
  const now = after ?? (await readNow(surface, before, signal));
  if (!now || !isPlain(now)) return false;
  if (typeof now.value === "number") return now.value === Number(value);
  return fold((await contentOf(surface, now, signal)) ?? "") === fold(String(value));
}

/** Typing the name of an entry chooses it: the list has it as its value, or among the lines of its text. */
async function isChosen(
  surface: Surface,
  list: UiNode | undefined,
  text: string,
  signal: AbortSignal,
): Promise<boolean> {
  const wanted = fold(text);
  if (!list || wanted.trim() === "") return false;
  if (fold(String(list.value ?? "")) === wanted) return true;
  const entries = (await contentOf(surface, { ...list, value: undefined }, signal)) ?? "";
  return lists.has(list.role) && entries.split("\n").some((entry) => fold(entry) === wanted);
}

const lists: ReadonlySet<string> = new Set(["combobox", "list", "listitem", "tree", "treeitem", "menu"]);

const takesText = ({ role, states }: UiNode): boolean =>
  states.includes("editable") || ["textbox", "spinbutton", "document"].includes(role);

const isPlain = (node: UiNode): boolean =>
  takesText(node) && !node.states.includes("password") && node.nativeRole !== "terminal";

// Backends cut longer values.
const longestValue = 200;
const longestContent = 200_000;

async function contentOf(surface: Surface, node: UiNode, signal: AbortSignal): Promise<string | undefined> {
  const { value, runtimeId, pid } = node;
  if (typeof value === "number") return String(value);
  if (value !== undefined && value.length <= longestValue) return value;
  const elements = surface.backend.elements;
  const ask = async () => elements?.text(runtimeId, { maxChars: longestContent, signal });
  return (await attempt(() => surface.silence.ask(pid, ask), signal))?.text;
}

async function readNow(surface: Surface, { runtimeId, pid }: UiNode, signal: AbortSignal): Promise<UiNode | undefined> {
  const elements = surface.backend.elements;
  const ask = async () => elements?.read([runtimeId], { timeoutMs: evidenceMs(surface), signal });
  return (await attempt(() => surface.silence.ask(pid, ask), signal))?.[0];
}

/** An app that does not answer shows nothing. */
async function attempt<T>(read: () => Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (signal.aborted || !(error instanceof ToolError)) throw error;
    return undefined;
  }
}

/** How often the field shows it. Fields put line breaks and blanks in their own way. */
function count(content: string, text: string): number {
  const part = fold(text);
  return part === "" ? 0 : fold(content).split(part).length - 1;
}

const fold = (text: string): string => {
  const plain = text.replaceAll(/\s+/g, " ");
  return plain.trim() || plain;
};
