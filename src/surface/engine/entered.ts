import { sleep } from "../../base/async.ts";
import { ToolError } from "../../base/errors.ts";
import type { UiNode } from "../../base/node.ts";
import { evidenceMs } from "../silence.ts";
import type { Surface } from "../surface.ts";
import type { Acted } from "./action.ts";
import { whatArrived } from "./arrived.ts";

/** What became of text that was entered. */
export interface Entered {
  /** Whether the field was seen to show all of it. Text that does not show is a secret. */
  readonly showsText: boolean;
  /** What the field took, if part of the text is missing. */
  readonly arrived?: string;
  readonly warning?: string;
}

/** A field that is about to get text. */
export interface Entry {
  /** Whether the field shows the text now and did not before. Pass what it was last seen as, if anybody has looked. */
  look(text: string, last?: UiNode | null): Promise<Entered>;
}

/** The action with what became of its text. */
export const withEntered = (acted: Acted, { showsText, arrived, warning }: Entered): Acted => ({
  ...acted,
  showsText,
  ...(arrived === undefined ? {} : { arrived, warning: [acted.warning, warning].filter(Boolean).join(" ") }),
});

const hidden: Entered = { showsText: false };

/**
 * Looks at a field before text goes into it. What it shows afterwards is no secret; everything else may be one: a password
 * field shows nothing, an app without elements has no field, a terminal may read a password, and Tab leads elsewhere.
 */
export async function openEntry(surface: Surface, field: UiNode | undefined, signal: AbortSignal): Promise<Entry> {
  if (!field || field.states.includes("password")) return { look: async () => hidden };
  if (!takesText(field))
    return {
      look: async (text, last) => ({
        showsText: await isChosen(surface, last ?? (await readNow(surface, field, signal)), text, signal),
      }),
    };
  if (!isPlain(field)) return { look: async () => hidden };
  const before = await contentOf(surface, field, signal);
  return {
    async look(text, last) {
      let now = last ?? (await readNow(surface, field, signal));
      for (let look = 0; ; look++) {
        if (!now || !isPlain(now)) return hidden;
        const after = await contentOf(surface, now, signal);
        if (before === undefined || after === undefined) return hidden;
        if (count(after, text) > count(before, text)) return { showsText: true };
        const missing = canCompare(now, text) ? whatArrived({ before, after, text }) : undefined;
        if (!missing) return hidden;
        if (look === mostLooks) return { ...hidden, ...missing };
        // Some apps take text late.
        await sleep(betweenLooksMs, signal);
        now = await readNow(surface, field, signal);
      }
    },
  };
}

const mostLooks = 5;
const betweenLooksMs = 60;

/** Enter may send a field and empty it, Tab may leave it; numbers are written in the app's own way. */
const canCompare = ({ states, value }: UiNode, text: string): boolean =>
  typeof value !== "number" && !/[\t\r]/.test(text) && (states.includes("multiline") || !text.includes("\n"));

/** Whether an element has the value that it was given. One that takes no text has only values of its own to choose from. */
export async function lookAtValue(
  surface: Surface,
  { before, after }: { readonly before: UiNode | undefined; readonly after: UiNode | null | undefined },
  value: string | number | boolean,
  signal: AbortSignal,
): Promise<Entered> {
  if (!before || before.states.includes("password")) return hidden;
  if (!takesText(before)) return { showsText: before.nativeRole !== "file" };
  const now = after ?? (await readNow(surface, before, signal));
  if (!now || !isPlain(now)) return hidden;
  if (typeof now.value === "number") return { showsText: now.value === Number(value) };
  const content = await contentOf(surface, now, signal);
  const text = String(value);
  if (fold(content ?? "") === fold(text)) return { showsText: true };
  if (content === undefined || !canCompare(now, text)) return hidden;
  return { ...hidden, ...whatArrived({ before: "", after: content, text }) };
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
