import type { Rect } from "../base/geometry.ts";
import type { NodeState, UiNode } from "../base/node.ts";
import { oneLine } from "../base/one-line.ts";
import { pressablePageRoles } from "../base/roles.ts";

// The usual estimate; the budget of a caller is one, too.
const charsPerToken = 4;

/** How many characters fit into a token budget. */
export const charsIn = (tokens: number): number => tokens * charsPerToken;

export interface Corner {
  readonly x: number;
  readonly y: number;
}

/** An element of a page, as the page tools list it. */
export interface PageElement extends UiNode {
  /** Empty for text that belongs to an element listed elsewhere. */
  readonly ref: string;
  readonly level?: number | undefined;
}

const appText = 80;
// Links and paragraphs of a page are longer than the labels of an app.
const pageText = 120;

const quietStates: readonly NodeState[] = ["enabled", "showing", "focusable", "selectable", "checkable", "expandable"];
const quietInApps: ReadonlySet<NodeState> = new Set(quietStates);
// A page marks fields that cannot be edited as "readonly"; in an app only this state shows that a field can be
// edited.
const quietInPages: ReadonlySet<NodeState> = new Set([...quietStates, "editable"]);

export interface LineOptions {
  /** Also say how long a text is that had to be clipped. */
  readonly lengths?: boolean;
  /** The texts of its cells, instead of the name of a row. */
  readonly cells?: readonly string[] | undefined;
  /** What is in it, in words. */
  readonly inside?: string | undefined;
  /** How much of its name is shown, if not as much as usual. */
  readonly most?: number | undefined;
}

/** `button "Save" a12g3 disabled 10,20 80x24`. With a corner, it adds the element's position relative to it. */
export function appLine(
  ref: string,
  node: UiNode,
  corner: Corner | undefined,
  { lengths = false, cells, inside, most }: LineOptions = {},
): string {
  const length = lengths && most === undefined ? lengthIn : noLength;
  let line = node.role;
  if (cells) line += cellWords(cells, appText);
  else if (node.name !== "") line += ` ${quoted(node.name, most ?? appText)}${length(node, node.name, appText)}`;
  else if (node.automationId) line += ` #${shorten(node.automationId)}`;
  line += ` ${ref}`;
  if (node.value !== undefined && node.value !== node.name && !isEmptyInPage(node))
    line += valueWord(node.value, appText) + length(node, node.value, appText);
  for (const state of appStates(node)) line += ` ${state}`;
  if (inside !== undefined) line += ` ${inside}`;
  return corner && node.bounds ? `${line} ${place(node.bounds, corner)}` : line;
}

/** An empty value is worth showing in an app, where many elements report no value at all. */
const isEmptyInPage = (node: UiNode): boolean => node.value === "" && isOfPage(node);

const cellWords = (cells: readonly string[], longest: number): string =>
  cells.map((text) => ` ${quoted(text, longest)}`).join("");

const noLength = (): string => "";

/** ` (12430 chars)` after a text that is clipped in its line. */
function lengthIn({ textLength, value }: UiNode, text: string | number, longest: number): string {
  if (typeof text !== "string") return "";
  const isKnown = textLength !== undefined && (value === undefined || text === value);
  const length = isKnown ? textLength : text.length;
  // A page gives no more than the beginning of a long text.
  const isBeginning = !isKnown && text.endsWith("…");
  return length > longest ? ` (${isBeginning ? "over " : ""}${length} chars)` : "";
}

/** `d5 button "Save" disabled`: the page's own role name, in as few words as possible. */
export function pageLine(node: PageElement, { lengths = false, cells, inside, most }: LineOptions = {}): string {
  const length = lengths && most === undefined ? lengthIn : noLength;
  const { ref, nativeRole, name, value, level, description, actions } = node;
  let line = ref === "" ? nativeRole : `${ref} ${nativeRole}`;
  if (level !== undefined) line += ` ${level}`;
  if (cells) line += cellWords(cells, pageText);
  else if (name !== "") line += ` ${quoted(name, most ?? pageText)}${length(node, name, pageText)}`;
  // Without a name, what it looks like is all there is to tell it by.
  else if (description !== undefined && nativeRole !== "text") line += ` (${quoted(description, pageText)})`;
  if (value !== undefined && value !== name && value !== "")
    line += valueWord(value, pageText) + length(node, value, pageText);
  if (actions.includes("press") && !pressablePageRoles.has(nativeRole)) line += " clickable";
  for (const state of pageStates(node)) line += ` ${state}`;
  return inside === undefined ? line : `${line} ${inside}`;
}

/** An element that is scrolled out of view is often reported as not enabled, too, until it is shown. */
const isDisabled = (node: UiNode): boolean =>
  !node.states.includes("enabled") && (node.states.includes("showing") || isOfPage(node));

/** A page knows of every element whether it is enabled, also of the options of a closed list. */
export const isOfPage = (node: UiNode): node is PageElement => "ref" in node;

/** All its states; "disabled" is one. */
export const allStates = (node: UiNode): string[] => [...node.states, ...(isDisabled(node) ? ["disabled"] : [])];

function appStates(node: UiNode): readonly string[] {
  // A combobox may be one to choose from or one to type into; other fields of a page say when they cannot be edited.
  const quiet = isOfPage(node) && node.role !== "combobox" ? quietInPages : quietInApps;
  const told = node.states.filter((state) => !quiet.has(state));
  return isDisabled(node) ? [...told, "disabled"] : told;
}

/** The states of a page element worth showing; "disabled" is one, "enabled" is not. */
export function pageStates({ states }: UiNode): readonly string[] {
  if (states.length <= 2 && states[0] === "enabled" && (states[1] ?? "focusable") === "focusable") return [];
  const told = states.filter((state) => !quietInPages.has(state));
  return states.includes("enabled") ? told : [...told, "disabled"];
}

const valueWord = (value: string | number, longest: number): string =>
  ` =${typeof value === "string" ? quoted(value, longest) : value}`;

/** A name from the screen, in quotes that it cannot end. */
export const quoted = (text: string, longest: number): string => JSON.stringify(shorten(text, longest));

const place = ({ x, y, width, height }: Rect, corner: Corner): string =>
  `${x - corner.x},${y - corner.y} ${width}x${height}`;

/** Always one line: control characters in a name could forge the structure of the list. */
export function shorten(text: string, longest = appText): string {
  const plain = oneLine(text);
  if (plain.length <= longest) return plain;
  const characters = Array.from(plain.slice(0, longest * 4));
  return characters.length > longest ? `${characters.slice(0, longest - 1).join("")}…` : characters.join("");
}

const longestName = 40;
const mostChars = 160;

/** `links "Shop" "Prices" … 6 more` */
export function namesIn(what: string, names: readonly string[]): string {
  let words = what;
  for (const [index, name] of names.entries()) {
    const word = ` ${quoted(name, longestName)}`;
    if (words.length + word.length > mostChars) return `${words} … ${names.length - index} more`;
    words += word;
  }
  return words;
}
