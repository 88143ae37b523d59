import { poll } from "../../base/async.ts";
import type { UiNode } from "../../base/node.ts";
import type { ClosedMenu } from "../../platform/backend.ts";
import { focusedElement, focusNatively } from "../engine/keyboard.ts";
import type { GuardedWindow } from "../guard/guarded.ts";
import type { Surface } from "../surface.ts";
import { splitAccelerator } from "./accelerator.ts";
import { listCommands, type OpenedEntry, type WindowCommands } from "./list-commands.ts";
import { closeMenus, isEntry, openMenu, shownNodes, waitForStep } from "./menu-steps.ts";

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
      const entries = await readOpened(surface, all, menu, signal);
      // A menu whose entries were not seen is not an empty menu.
      if (entries) surface.openedMenus.remember(all.version, menu, entries);
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
): Promise<readonly OpenedEntry[] | undefined> {
  const options = { settleMs: 0, signal };
  let shown: readonly Shown[] = [];
  try {
    let before: ReadonlySet<string> | undefined;
    for (const [step, id] of elements.entries()) {
      const node = await waitForStep(surface, pid, { name: path[step] ?? "", id, before }, signal);
      if (!node) return undefined;
      before = await openMenu(surface, window, node, options);
    }
    const opened = await appeared(surface, pid, before ?? new Set(), signal);
    if (!opened) return undefined;
    shown = opened;
    const entries: OpenedEntry[] = [];
    for (const each of shown) {
      if (!each.node.states.includes("expandable")) entries.push(toEntry([], each));
      else if (entries.length < mostEntries) entries.push(...(await readSubmenu(surface, window, each.node, options)));
    }
    return entries;
  } finally {
    await closeMenus(
      surface,
      window,
      shown.map(({ node }) => node),
      signal,
    );
  }
}

/** Opening one submenu closes the one before it. */
async function readSubmenu(
  surface: Surface,
  window: GuardedWindow,
  menu: UiNode,
  options: { readonly settleMs: number; readonly signal: AbortSignal },
): Promise<readonly OpenedEntry[]> {
  const { pid, states, name } = menu;
  if (pid === undefined || !states.includes("enabled")) return [];
  const before = await openMenu(surface, window, menu, options);
  const shown = await appeared(surface, pid, before, options.signal);
  // What opens further menus is no command.
  return (shown ?? []).filter(({ node }) => !node.states.includes("expandable")).map((each) => toEntry([name], each));
}

/** An entry of an open menu, and what is written beside its name. */
interface Shown {
  readonly node: UiNode;
  readonly beside: readonly string[];
}

/** The entries that have appeared, once their number stays the same; undefined if nothing at all has. */
async function appeared(
  surface: Surface,
  pid: number,
  before: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<readonly Shown[] | undefined> {
  let last: readonly Shown[] = [];
  let hasOpened = false;
  const look = async (): Promise<true | undefined> => {
    const nodes = await shownNodes(surface, pid, signal);
    const fresh = nodes.filter(({ runtimeId }) => !before.has(runtimeId));
    const now = entriesIn(fresh);
    hasOpened ||= fresh.length > 0;
    const isStill = now.length > 0 && now.length === last.length;
    last = now;
    return isStill ? true : undefined;
  };
  await poll(look, { timeoutMs: appearMs, everyMs, signal });
  return hasOpened ? last : undefined;
}

/** Without boxes around other entries; and where there are entries of a menu, buttons beside them are something else. */
export function entriesIn(fresh: readonly UiNode[]): readonly Shown[] {
  const parents = new Map(fresh.map(({ runtimeId, parent }) => [runtimeId, parent]));
  const entries = fresh.filter(isEntry);
  const around = new Set<string>();
  for (const { parent } of entries) {
    for (let each = parent; each !== undefined && !around.has(each); each = parents.get(each)) around.add(each);
  }
  const inner = entries.filter(({ runtimeId }) => !around.has(runtimeId));
  if (!inner.some(({ role }) => role === "menuitem")) return [];
  return inner
    .filter(({ role }) => role !== "button" && role !== "listitem")
    .map((node) => ({ node, beside: textsIn(node, fresh) }));
}

const textsIn = ({ runtimeId }: UiNode, all: readonly UiNode[]): readonly string[] =>
  all.filter(({ parent, role }) => parent === runtimeId && role === "text").map(({ name }) => name);

const checkable: ReadonlySet<string> = new Set(["checkbox", "radio"]);

function toEntry(above: readonly string[], { node: { name, role, states }, beside }: Shown): OpenedEntry {
  const { label, shortcut } = splitAccelerator(name);
  return {
    path: [...above, label],
    shortcut: shortcut ?? beside.map((text) => splitAccelerator(`${name} ${text}`).shortcut).find(Boolean),
    isEnabled: states.includes("enabled"),
    isChecked: checkable.has(role) || states.includes("checkable") ? states.includes("checked") : undefined,
  };
}
