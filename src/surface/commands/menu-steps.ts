import { poll } from "../../base/async.ts";
import { foldName } from "../../base/command-path.ts";
import { ToolError } from "../../base/errors.ts";
import type { ScreenPoint } from "../../base/geometry.ts";
import type { UiNode } from "../../base/node.ts";
import { oneLine } from "../../base/one-line.ts";
import { quote } from "../../base/quote.ts";
import type { PerformOptions } from "../engine/action.ts";
import { needDecided } from "../engine/reach.ts";
import { pointOf } from "../find-element.ts";
import type { GuardedWindow } from "../guard/guarded.ts";
import { popupsOf } from "../popups.ts";
import { splitAccelerator } from "./accelerator.ts";
import type { Surface } from "../surface.ts";

// Menus fade in, and a busy app fills them late.
const openMs = 2_500;
const everyMs = 40;
const maxNodes = 1_500;

/** What may be an entry of an open menu; GTK 4 has buttons in its popovers. */
const entryRoles: ReadonlySet<string> = new Set(["menuitem", "menu", "checkbox", "radio", "button", "listitem"]);

export const isEntry = (node: UiNode): boolean =>
  entryRoles.has(node.role) && node.name !== "" && pointOf(node) !== undefined;

export async function shownNodes(surface: Surface, pid: number, signal: AbortSignal): Promise<readonly UiNode[]> {
  const elements = surface.need("elements");
  return (await elements.tree(elements.scope({ pid }), { maxNodes, signal })).nodes;
}

export interface Step {
  readonly name: string;
  /** Its element, if that was listed. Some apps make new ones when the menu opens. */
  readonly id: string | undefined;
  /** What was shown before the menu around it was opened; undefined for the first step. */
  readonly before: ReadonlySet<string> | undefined;
}

/**
 * The next thing to click, once it has a place on the screen: the listed element, or the one entry of this name that has
 * appeared. Two of the same name are not guessed between.
 */
export function waitForStep(
  surface: Surface,
  pid: number,
  { name, id, before }: Step,
  signal: AbortSignal,
): Promise<UiNode | undefined> {
  const find = async (): Promise<UiNode | undefined> => {
    const [known] = id === undefined ? [] : await surface.need("elements").read([id], { signal });
    if (known && pointOf(known) && isStill(known, name)) return known;
    if (!before) return undefined;
    const fresh = (await shownNodes(surface, pid, signal)).filter((node) => !before.has(node.runtimeId));
    const found = fresh.filter((node) => isEntry(node) && isNamed(node, name));
    return found.length === 1 ? found[0] : undefined;
  };
  return poll(find, { timeoutMs: openMs, everyMs, signal });
}

const isNamed = (node: UiNode, name: string): boolean => labelOf(node.name) === labelOf(name);

const labelOf = (name: string): string => foldName(splitAccelerator(oneLine(name)).label);

/** Apps use an element again for another entry. A button without a name was named after what is around it. */
const isStill = (node: UiNode, name: string): boolean => node.name === "" || isNamed(node, name);

async function shownIds(surface: Surface, pid: number, signal: AbortSignal): Promise<ReadonlySet<string>> {
  return new Set((await shownNodes(surface, pid, signal)).map(({ runtimeId }) => runtimeId));
}

export async function clickNode(surface: Surface, node: UiNode, options: PerformOptions): Promise<void> {
  const point = pointOf(node);
  if (!point) throw new ToolError("not_dispatchable", `${quote(node.name)} has no place on the screen.`);
  await needDecided(surface, options, [point], node);
  const { signal } = options;
  await needThere(surface, node, point, signal);
  await surface.hands.click(point, { button: "left", clicks: 1, delayMs: 0, hold: [], signal });
  await surface.inputTaken(signal);
}

// A menu that has just opened may not be found there at once.
const thereMs = 600;

/**
 * Refuses to click where another control is: an app may report a place at which something else is shown, and that would
 * run another command.
 */
async function needThere(surface: Surface, node: UiNode, point: ScreenPoint, signal: AbortSignal): Promise<void> {
  const elements = surface.need("elements");
  let other: UiNode | undefined;
  const look = async (): Promise<true | undefined> => {
    const found = await elements.at(point, { pid: node.pid, signal });
    const isThere = found.some((each) => each.runtimeId === node.runtimeId || isNamed(each, node.name));
    other = isThere ? undefined : found.find(({ actions }) => actions.includes("press"));
    return other ? undefined : true;
  };
  await poll(look, { timeoutMs: thereMs, everyMs, signal });
  if (!other) return;
  throw new ToolError(
    "not_dispatchable",
    `${quote(node.name)} is reported where ${quote(other.name)} is; nothing was clicked there.`,
    { hint: "Look at the app with take_screenshot, and click what you see." },
  );
}

// By then a click that was taken has shown something, on a busy machine too.
const takenMs = 1_000;

/**
 * Opens a menu, and returns what was shown before. GTK 4 takes the first click after a popover was closed for one beside
 * that popover, so a click that has opened nothing is made once more.
 */
export async function openMenu(
  surface: Surface,
  window: GuardedWindow,
  node: UiNode,
  options: PerformOptions,
): Promise<ReadonlySet<string>> {
  const { signal } = options;
  const pid = node.pid ?? window.pid ?? 0;
  const before = await shownIds(surface, pid, signal);
  await clickNode(surface, node, options);
  const hasOpened = async (): Promise<true | undefined> => {
    if (await hasPopups(surface, window, signal)) return true;
    return [...(await shownIds(surface, pid, signal))].some((id) => !before.has(id)) ? true : undefined;
  };
  const isOpen = await poll(hasOpened, { timeoutMs: takenMs, everyMs, signal });
  if (!isOpen) await clickNode(surface, node, options);
  return before;
}

async function hasPopups(surface: Surface, window: GuardedWindow, signal: AbortSignal): Promise<boolean> {
  const popups = popupsOf(window, await surface.need("windows").list({ signal }));
  return popups.some(({ kind }) => kind !== "tooltip");
}

const mostEscapes = 6;

/**
 * Closes whatever menus of the window are open, and those of these entries: a menu that is left open takes the next text
 * for the letters of its entries.
 */
export async function closeMenus(
  surface: Surface,
  window: GuardedWindow,
  entries: readonly UiNode[],
  signal: AbortSignal,
): Promise<void> {
  const ids = entries.slice(0, 2).map(({ runtimeId }) => runtimeId);
  const areOpen = async (): Promise<boolean> => {
    if (await hasPopups(surface, window, signal)) return true;
    const now = ids.length === 0 ? [] : await surface.need("elements").read(ids, { signal });
    return now.some((node) => node !== undefined && pointOf(node) !== undefined);
  };
  for (let count = 0; count < mostEscapes && (await areOpen()); count++) {
    await surface.hands.press(["escape"], 0, signal);
    await surface.inputTaken(signal);
    await poll(async () => ((await areOpen()) ? undefined : true), { timeoutMs: 250, everyMs, signal });
  }
}
