import { poll } from "../../base/async.ts";
import { foldName } from "../../base/command-path.ts";
import { ToolError } from "../../base/errors.ts";
import type { UiNode } from "../../base/node.ts";
import { oneLine } from "../../base/one-line.ts";
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

export async function shownIds(surface: Surface, pid: number, signal: AbortSignal): Promise<ReadonlySet<string>> {
  return new Set((await shownNodes(surface, pid, signal)).map(({ runtimeId }) => runtimeId));
}

export async function clickNode(surface: Surface, node: UiNode, options: PerformOptions): Promise<void> {
  const point = pointOf(node);
  if (!point) throw new ToolError("not_dispatchable", `"${node.name}" has no place on the screen.`);
  await needDecided(surface, options, [point], node);
  const { signal } = options;
  await surface.hands.click(point, { button: "left", clicks: 1, delayMs: 0, hold: [], signal });
  await surface.inputTaken(signal);
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
    const popups = popupsOf(window, await surface.need("windows").list({ signal }));
    if (popups.some(({ kind }) => kind !== "tooltip")) return true;
    const now = ids.length === 0 ? [] : await surface.need("elements").read(ids, { signal });
    return now.some((node) => node !== undefined && pointOf(node) !== undefined);
  };
  for (let count = 0; count < mostEscapes && (await areOpen()); count++) {
    await surface.hands.press(["escape"], 0, signal);
    await surface.inputTaken(signal);
    await poll(async () => ((await areOpen()) ? undefined : true), { timeoutMs: 250, everyMs, signal });
  }
}
