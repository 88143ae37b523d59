import { poll } from "../../base/async.ts";
import type { UiNode } from "../../base/node.ts";
import type { ClosedMenu } from "../../platform/backend.ts";
import { focusedElement, focusNatively } from "../engine/keyboard.ts";
import type { Surface } from "../surface.ts";
import { splitAccelerator } from "./accelerator.ts";
import { listCommands, type OpenedEntry, type WindowCommands } from "./list-commands.ts";
import { clickNode, closeMenus, isEntry, shownIds, shownNodes, waitForStep } from "./menu-steps.ts";

const mostMenus = 30;
const mostEntries = 1_000;
const appearMs = 1_200;
const everyMs = 40;

/** Opens every menu that has entries only while open, remembers them, and closes it again. */
export async function openMenus(surface: Surface, all: WindowCommands, signal: AbortSignal): Promise<WindowCommands> {
  const { window } = all;
  const back = await surface.pointerPosition(signal);
  await surface.ensureFocus(window, signal);
  const focused = await focusedElement(surface, signal);
  try {
    for (const menu of all.closed.slice(0, mostMenus)) {
      surface.openedMenus.remember(all.version, menu, await readOpened(surface, all, menu, signal));
    }
  } finally {
    await surface.need("pointer").move(back, { signal });
    // A menu button keeps the focus, and a space in the next text would press it. GTK 4 does not take it back.
    if (focused) await focusNatively(surface, focused, signal);
  }
  return listCommands(surface, window, signal);
}

async function readOpened(
  surface: Surface,
  { owner: { pid }, window }: WindowCommands,
  { path, elements }: ClosedMenu,
  signal: AbortSignal,
): Promise<readonly OpenedEntry[]> {
  const options = { settleMs: 0, signal };
  let shown: readonly UiNode[] = [];
  try {
    let before: ReadonlySet<string> | undefined;
    for (const [step, id] of elements.entries()) {
      const node = await waitForStep(surface, pid, { name: path[step] ?? "", id, before }, signal);
      if (!node) return [];
      before = await shownIds(surface, pid, signal);
      await clickNode(surface, node, options);
    }
    shown = await appeared(surface, pid, before ?? new Set(), signal);
    const entries: OpenedEntry[] = [];
    for (const node of shown) {
      if (!node.states.includes("expandable")) entries.push(toEntry([], node));
      else if (entries.length < mostEntries) entries.push(...(await readSubmenu(surface, node, options)));
    }
    return entries;
  } finally {
    await closeMenus(surface, window, shown, signal);
  }
}

/** Opening one submenu closes the one before it. */
async function readSubmenu(
  surface: Surface,
  menu: UiNode,
  options: { readonly settleMs: number; readonly signal: AbortSignal },
): Promise<readonly OpenedEntry[]> {
  const { pid, states, name } = menu;
  if (pid === undefined || !states.includes("enabled")) return [];
  const before = await shownIds(surface, pid, options.signal);
  await clickNode(surface, menu, options);
  const shown = await appeared(surface, pid, before, options.signal);
  // What opens further menus is no command.
  return shown.filter((node) => !node.states.includes("expandable")).map((node) => toEntry([name], node));
}

/** The entries that have appeared, once their number stays the same. */
async function appeared(
  surface: Surface,
  pid: number,
  before: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<readonly UiNode[]> {
  let last: readonly UiNode[] = [];
  const look = async (): Promise<true | undefined> => {
    const nodes = await shownNodes(surface, pid, signal);
    const now = entriesIn(nodes.filter((node) => isEntry(node) && !before.has(node.runtimeId)));
    const isStill = now.length > 0 && now.length === last.length;
    last = now;
    return isStill ? true : undefined;
  };
  await poll(look, { timeoutMs: appearMs, everyMs, signal });
  return last;
}

/** Without boxes around other entries; and where there are entries of a menu, buttons beside them are something else. */
function entriesIn(nodes: readonly UiNode[]): readonly UiNode[] {
  const around = new Set(nodes.map(({ parent }) => parent));
  const inner = nodes.filter(({ runtimeId }) => !around.has(runtimeId));
  const items = inner.filter(({ role }) => role === "menuitem");
  return items.length > 0 ? inner.filter(({ role }) => role !== "button" && role !== "listitem") : [];
}

const checkable: ReadonlySet<string> = new Set(["checkbox", "radio"]);

function toEntry(above: readonly string[], { name, role, states }: UiNode): OpenedEntry {
  const { label, shortcut } = splitAccelerator(name);
  return {
    path: [...above, label],
    shortcut,
    isEnabled: states.includes("enabled"),
    isChecked: checkable.has(role) || states.includes("checkable") ? states.includes("checked") : undefined,
  };
}
