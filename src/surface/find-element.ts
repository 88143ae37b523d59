import { poll } from "../base/async.ts";
import { ToolError } from "../base/errors.ts";
import { centre, type ScreenPoint } from "../base/geometry.ts";
import { foldText } from "../base/match-text.ts";
import { labelled } from "../base/labelled.ts";
import { nearest } from "../base/nearest.ts";
import type { UiNode } from "../base/node.ts";
import { quote } from "../base/quote.ts";
import type { Elements, Tree, WindowInfo } from "../platform/backend.ts";
import { chooseWindow, isEmptyQuery, needActive, type WindowQuery } from "./choose-window.ts";
import { frontmost } from "./frontmost.ts";
import { stableIds } from "./identity.ts";
import { essential, matchText, meantBy } from "./match-elements.ts";
import { needInWindow } from "./named-window.ts";
import { popupsOf } from "./popups.ts";
import { parseSelector, selectNodes } from "./selector.ts";
import { shorten } from "./snapshot-text.ts";
import type { Surface } from "./surface.ts";
import type { NamedElement } from "./target.ts";
import type { Witness } from "./witnesses.ts";

/** Where to look: a window or app, optionally below one element. */
export interface Within {
  readonly window: WindowQuery;
  readonly ref?: string | undefined;
}

// More than any app shows at once; a table with a hundred thousand rows is cut here.
const searchNodes = 20_000;

const nameOne = "Name one with window_title, app_name or window_id.";

/** The app (and window, when one was named) an element is looked for in; the active one when nothing was said. */
export async function findScope(
  surface: Surface,
  query: WindowQuery,
  signal: AbortSignal,
): Promise<{ readonly pid: number; readonly window: WindowInfo; readonly popupIds: readonly number[] }> {
  const windows = surface.need("windows");
  const all = await windows.list({ signal });
  const window = isEmptyQuery(query) ? needActive(all, nameOne) : chooseWindow(all, query);
  if (window.pid !== undefined) return { pid: window.pid, window, popupIds: popupsOf(window, all).map(({ id }) => id) };
  throw new ToolError(
    "not_supported",
    `Window ${window.id} has no elements: it names no process that could have them.`,
    {
      hint: "Tk, Xaw and other plain X11 apps have none: use find_text, ocr and mark_regions, which read the picture.",
    },
  );
}

export async function readTree(
  surface: Surface,
  within: Within,
  maxNodes: number,
  signal: AbortSignal,
  cell?: string,
): Promise<Tree & { readonly pid: number; readonly window: WindowInfo }> {
  const { pid, window, popupIds } = await findScope(surface, within.window, signal);
  const named = within.window.windowId !== undefined || within.window.title !== undefined;
  const root = within.ref === undefined ? undefined : await rootOf(surface, within.ref, within.window, signal);
  const elements = surface.need("elements");
  const scope = elements.scope(named ? { pid, windowId: window.id, popupIds } : { pid });
  const tree = await elements.tree(scope, { maxNodes, root, cell, signal });
  surface.snapshots.saw(tree.nodes);
  return { ...tree, pid, window };
}

/** With refs that outlive snapshots, the element to search in may be gone. */
async function rootOf(surface: Surface, ref: string, window: WindowQuery, signal: AbortSignal): Promise<string> {
  const node = surface.snapshots.areLasting
    ? await liveElement(surface, ref, signal)
    : surface.snapshots.find(ref).node;
  await needInWindow(surface, window, node, signal);
  return node.runtimeId;
}

/** The one element that the target names, as it is now. */
export async function findElement(
  surface: Surface,
  target: NamedElement,
  within: Within,
  signal: AbortSignal,
): Promise<UiNode> {
  if (target.form === "element") {
    const node = await liveElement(surface, target.ref, signal);
    await needInWindow(surface, within.window, node, signal);
    return node;
  }
  const { nodes, window } = await readTree(surface, within, searchNodes, signal, wantedName(target));
  const words = target.form === "selector" ? `the selector ${target.selector}` : `the text "${target.text}"`;
  const only = onlyOne(surface, elementsNamed(nodes, target), { nodes, window }, words);
  if (only) return only;
  throw nothingFits(nodes, words, target);
}

/** The one of these elements that a person would mean; undefined when there is none. Throws when several are left. */
export function onlyOne(
  surface: Surface,
  fitting: readonly UiNode[],
  { nodes, window }: { readonly nodes: readonly UiNode[]; readonly window: Pick<WindowInfo, "id"> },
  words: string,
): UiNode | undefined {
  const matches = frontmost(fitting, nodes, window.id);
  if (matches.length < 2) return matches[0];
  throw new ToolError("ambiguous_target", `${matches.length} elements match ${words}.`, {
    hint: "Pass the uid of one of the candidates, or narrow it with a selector, window_title or within.",
    candidates: matches.slice(0, 10).map((node) => `${surface.snapshots.refOf(node)} ${describeNode(node)}`),
  });
}

/** The elements that a selector or text names, in whatever window they are. */
export function elementsNamed(
  nodes: readonly UiNode[],
  target: Exclude<NamedElement, { readonly form: "element" }>,
): readonly UiNode[] {
  if (target.form === "selector") return essential(nodes, selectNodes(nodes, parseSelector(target.selector)));
  const fields = target.isField ? fieldsNamed(nodes, target.text) : [];
  if (fields.length > 0) return fields;
  return meantBy(matchText(nodes, target.text), target.text).map(({ node }) => node);
}

const fieldRoles: ReadonlySet<string> = new Set(["textbox", "combobox", "spinbutton"]);

/** Fields of that name; else those without a name that have it as a label beside or above them. */
function fieldsNamed(nodes: readonly UiNode[], text: string): readonly UiNode[] {
  const fields = nodes.filter(({ role, states }) => fieldRoles.has(role) || states.includes("editable"));
  const named = matchText(fields, text).filter(({ field }) => field !== "value");
  if (named.length > 0) return named.map(({ node }) => node);
  const shown = nodes.filter(({ states }) => states.includes("showing"));
  const nameless = fields.filter(({ name, states }) => name === "" && states.includes("showing"));
  return nameless.filter((field) => labelled(field, plainLabel(text), shown, plainLabel));
}

const plainLabel = (text: string): string => foldText(text.replace(/[\s:*]+$/, ""));

/**
 * The element with a stable id, in the named app or the active one. If the caller was shown an element under this id
 * and it is unchanged, that one is used even if it has moved in the tree.
 */
export async function findByStableId(
  surface: Surface,
  stableId: string,
  within: Within,
  signal: AbortSignal,
): Promise<UiNode> {
  const { nodes } = await readTree(surface, within, searchNodes, signal);
  const shown = surface.snapshots.withStableId(stableId);
  const same = nodes.find(
    ({ runtimeId, role, name }) => runtimeId === shown?.runtimeId && role === shown.role && name === shown.name,
  );
  if (same) return same;
  const ids = stableIds(nodes);
  const node = nodes.find(({ runtimeId }) => ids.get(runtimeId) === stableId);
  if (node) return node;
  throw new ToolError("not_found", `No element has the stable id ${stableId} now.`, {
    hint: "Take a new snapshot to see what is there.",
  });
}

/** The element behind a ref, read again: a ref to an element that is gone must not reach another one. */
export async function liveElement(surface: Surface, ref: string, signal: AbortSignal): Promise<UiNode> {
  const { node } = surface.snapshots.find(ref);
  const now = await readAgain(surface, node, surface.snapshots.witnessesOf(ref), signal);
  if (now) return now;
  if (node.pid !== undefined) await needApp(surface.need("elements"), node.pid, signal);
  const alike = await readingAlike(surface, node, signal);
  throw new ToolError("uid_not_found", `Element ${ref}${node.role === "" ? "" : ` (${describeNode(node)})`} is gone.`, {
    hint: alike.length === 0 ? "Take a new snapshot and use its refs." : `There is ${alike.join(", ")}.`,
  });
}

// More of one name say nothing about which is meant.
const mostAlike = 3;
// An error must not take longer than a snapshot.
const mostAsked = 5_000;

/** Elements with the same role and name as one that is gone: lists are often drawn anew. */
async function readingAlike(surface: Surface, gone: UiNode, signal: AbortSignal): Promise<readonly string[]> {
  const { role, name, pid } = gone;
  if (role === "" || name === "" || pid === undefined) return [];
  const elements = surface.need("elements");
  const { nodes } = await elements
    .tree(elements.scope({ pid }), { maxNodes: mostAsked, signal })
    .catch((error: unknown): Tree => {
      if (signal.aborted || !(error instanceof ToolError)) throw error;
      return { nodes: [], omitted: [] };
    });
  const alike = nodes.filter((node) => node.role === role && node.name === name);
  if (alike.length > mostAlike) return [];
  surface.snapshots.saw(nodes);
  return alike.map((node) => `${node.role} ${JSON.stringify(shorten(node.name))} ${surface.snapshots.refOf(node)}`);
}

/** The element as it is now; undefined when it is gone, or when its row now shows something else. */
export async function readAgain(
  surface: Surface,
  node: UiNode,
  shown: readonly Witness[],
  signal: AbortSignal,
): Promise<UiNode | undefined> {
  const elements = surface.need("elements");
  const own = shown.filter(({ isInside }) => !isInside);
  const ids = [node.runtimeId, ...own.map(({ runtimeId }) => runtimeId)];
  const [now, ...texts] = await elements.read(ids, { signal });
  // The role of an element that was never read here is unknown.
  if (!now || (node.role !== "" && now.role !== node.role)) return undefined;
  if (!own.every(({ name }, index) => texts[index]?.name === name)) return undefined;
  for (const { runtimeId, name, isInside } of shown) {
    if (isInside && !(await isWrittenIn(elements, runtimeId, name, signal))) return undefined;
  }
  return now;
}

const mostWritten = 10_000;

async function isWrittenIn(elements: Elements, runtimeId: string, name: string, signal: AbortSignal): Promise<boolean> {
  const found = await elements.text(runtimeId, { maxChars: mostWritten, signal }).catch((error: unknown) => {
    if (signal.aborted || !(error instanceof ToolError)) throw error;
    return undefined;
  });
  // A page cuts a long name and says so.
  return found !== undefined && foldText(found.text).includes(foldText(name.replace(/…$/, "")));
}

// An app stops responding a moment before its process ends.
const endingMs = 300;

/** Throws if the app has ended, which is a better explanation for the missing element. */
async function needApp(elements: Elements, pid: number, signal: AbortSignal): Promise<void> {
  const look = async (): Promise<true | undefined> => {
    try {
      await elements.tree(elements.scope({ pid }), { maxNodes: 1, signal });
      return true;
    } catch (error) {
      if (signal.aborted || (error instanceof ToolError && error.code === "process_not_running")) throw error;
      return undefined;
    }
  };
  await poll(look, { timeoutMs: endingMs, everyMs: 20, signal });
}

/** Where to click the element: the click point it reports, or its centre. */
export function pointOf(node: UiNode): ScreenPoint | undefined {
  if (node.clickPoint) return node.clickPoint;
  // The centre of an element that is scrolled out of view belongs to something else.
  if (!node.states.includes("showing")) return undefined;
  return node.bounds && node.bounds.width > 0 && node.bounds.height > 0 ? centre(node.bounds) : undefined;
}

export function describeNode({ role, name, bounds }: UiNode): string {
  return `${role}${name === "" ? "" : ` ${JSON.stringify(shorten(name))}`}${bounds ? ` at ${bounds.x},${bounds.y}` : ""}`;
}

function nothingFits(nodes: readonly UiNode[], words: string, target: NamedElement): ToolError {
  const names = namesOf(nodes);
  const wanted = wantedName(target);
  const namesake = nodes.find(({ name }) => foldText(name) === foldText(wanted));
  const near = nearest(wanted, names);
  const hint = namesake
    ? `There is ${describeNode(namesake)}.`
    : near
      ? `Did you mean ${quote(near)}?`
      : "Take a snapshot or screenshot to see what is there.";
  return new ToolError("not_found", `No element matches ${words}.`, { hint, candidates: namesNear(nodes, target) });
}

const namesOf = (nodes: readonly UiNode[]): readonly string[] => [
  ...new Set(nodes.map(({ name }) => name.trim()).filter((name) => name !== "" && name.length < 60)),
];

/** Names of elements that are there, those most like the wanted one first. */
export function namesNear(nodes: readonly UiNode[], target: NamedElement): readonly string[] {
  const names = namesOf(nodes);
  const wanted = wantedName(target);
  const near = nearest(wanted, names);
  const word = foldText(wanted);
  const like = names.filter((name) => name !== near && word !== "" && foldText(name).includes(word));
  const first = [...(near === undefined ? [] : [near]), ...like];
  return [...first, ...names.filter((name) => !first.includes(name))].slice(0, 10);
}

function wantedName(target: NamedElement): string {
  if (target.form === "element") return "";
  return target.form === "text" ? target.text : (parseSelector(target.selector).at(-1)?.name ?? "");
}
