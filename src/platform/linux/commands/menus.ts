import type { App } from "../atspi/app.ts";
import { optional } from "../atspi/app.ts";
import { isPlaceholder } from "../atspi/describe.ts";
import {
  isShowing,
  readCache,
  readChildren,
  readElement,
  readExtents,
  type Cache,
  type Element,
} from "../atspi/element.ts";
import { hasInterface, hasState, roleNumber, stateBit } from "../atspi/names.ts";
import { pooled } from "../atspi/pool.ts";
import type { BusCallOptions } from "../dbus/method.ts";
import { toLabel } from "./labels.ts";

/** An entry of a menu or a button of a tool bar, as the program's elements have it. */
export interface MenuEntry {
  readonly path: readonly string[];
  /** The elements to choose one after the other, the entry itself last. */
  readonly elements: readonly Element[];
  readonly source: "menu" | "toolbar";
  readonly isEnabled: boolean;
  /** A menu that has no entries while it is closed. */
  readonly isClosedMenu: boolean;
  /** As the program spells its keys; see `toShortcut`. */
  readonly binding: string;
}

export type NativeAction = readonly [name: string, description: string, binding: string];

/** Boxes that may have a menu bar or tool bar inside. What a document shows is no command of its program. */
const boxes: ReadonlySet<number> = new Set<number>([
  roleNumber.frame,
  roleNumber.dialog,
  roleNumber.window,
  roleNumber.filler,
  roleNumber.panel,
  roleNumber.layeredPane,
  roleNumber.rootPane,
  roleNumber.splitPane,
  roleNumber.grouping,
  roleNumber.titleBar,
  roleNumber.unknown,
]);
/** LibreOffice has its menu bar in a box that scrolls when the window is narrow. */
const scrolled: ReadonlySet<number> = new Set<number>([roleNumber.scrollPane, roleNumber.viewport]);
const menus: ReadonlySet<number> = new Set<number>([roleNumber.menu, roleNumber.popupMenu]);
const entries: ReadonlySet<number> = new Set<number>([
  roleNumber.menu,
  roleNumber.menuItem,
  roleNumber.checkMenuItem,
  roleNumber.radioMenuItem,
]);
const buttons: ReadonlySet<number> = new Set<number>([
  roleNumber.pushButton,
  roleNumber.toggleButton,
  roleNumber.pushButtonMenu,
  roleNumber.checkBox,
  roleNumber.radioButton,
]);

// Menu bars are near the window; a box with more children is a list.
const deepestBar = 12;
const widestBox = 80;
const deepestMenu = 6;
const mostEntries = 4_000;

interface Open {
  readonly element: Element;
  readonly above: readonly Element[];
  readonly path: readonly string[];
  /** The element of each name in the path: menus without a name are in neither. */
  readonly chosen: readonly Element[];
  readonly source: "menu" | "toolbar" | undefined;
  readonly isEnabled: boolean;
  /** Which child it is, and which its ancestors are. */
  readonly order: readonly number[];
}

/** The menu bars and tool bars of a window, closed menus included. */
export async function readMenus(app: App, topLevel: string, options: BusCallOptions): Promise<readonly MenuEntry[]> {
  const cache = await readCache(app, options);
  const root = await elementOf(app, cache, topLevel, options);
  if (!root) return [];
  const placeless: Open[] = [];
  const walk = (from: Open, skip?: (bar: Open) => Promise<boolean>): Promise<readonly Open[]> =>
    readBelow(app, cache, from, { ...options, skip });
  const first = { element: root, above: [], path: [], chosen: [], source: undefined, isEnabled: true, order: [] };
  const placed = await walk(first, async (bar) => {
    const isPlaceless = !(await readExtents(app, bar.element.path, options));
    if (isPlaceless) placeless.push(bar);
    return isPlaceless;
  });
  // LibreOffice describes the bar that GTK draws for it a second time, with entries where tool bar buttons are.
  const hasBar = placed.some(({ source }) => source === "menu");
  const others = hasBar ? [] : await Promise.all(placeless.map((bar) => walk(bar)));
  const shown = [...placed, ...others.flat()].filter((open) => !isThrough(open));
  const full = new Set(shown.flatMap(({ above }) => above.map(({ path }) => path)));
  const leaves = shown.filter(({ element }) => !full.has(element.path)).sort(inOrder);
  return pooled(leaves, async (open) => toMenuEntry(app, open, options));
}

interface WalkOptions extends BusCallOptions {
  /** Whether to leave out this menu bar. */
  readonly skip?: ((bar: Open) => Promise<boolean>) | undefined;
}

/** Level by level. */
async function readBelow(
  app: App,
  cache: Cache | undefined,
  from: Open,
  options: WalkOptions,
): Promise<readonly Open[]> {
  const found: Open[] = [];
  let level: readonly Open[] = [from];
  for (
    let depth = from.above.length;
    level.length > 0 && depth < deepestBar + deepestMenu && found.length < mostEntries;
    depth++
  ) {
    const inside = level.filter((open) => mayContain(app, open, depth));
    const below = await pooled(inside, async (open) => {
      const isBar = open.element.role === roleNumber.menuBar;
      const isSkipped = isBar && (await options.skip?.(open)) === true;
      return { open, children: isSkipped ? [] : await childrenOf(app, cache, open.element, options) };
    });
    const next = below.flatMap(({ open, children }) =>
      withoutHidden(app, children).flatMap((child, index) => toOpen(app, open, child, index)),
    );
    found.push(...next.filter(({ path, source }) => source !== undefined && path.length > 0));
    level = next;
  }
  return found;
}

async function toMenuEntry(app: App, open: Open, options: BusCallOptions): Promise<MenuEntry> {
  const isClosedMenu = opensMenu(app, open) && !(await opensOther(app, open, options));
  return {
    path: open.path,
    elements: open.chosen,
    source: open.source ?? "menu",
    isEnabled: open.isEnabled,
    isClosedMenu,
    binding: isClosedMenu ? "" : await bindingOf(app, open.element, options),
  };
}

/** Chromium says what a button opens: its profile button opens a dialog. */
async function opensOther(app: App, { element: { path }, source }: Open, options: BusCallOptions): Promise<boolean> {
  if (app.toolkit !== "chromium" || source !== "toolbar") return false;
  const reply = await optional(
    app.call<[ReadonlyMap<string, string>]>(path, "Accessible.GetAttributes", "", [], options),
  );
  return (reply?.[0].get("haspopup") ?? "menu") !== "menu";
}

/** In Qt the entries of a submenu are in a popup inside its entry. */
const isThrough = ({ element, chosen }: Open): boolean => chosen.at(-1) !== element;

/** As they are shown, whatever the depth at which they were found. */
function inOrder({ order: a }: Open, { order: b }: Open): number {
  const at = a.findIndex((index, depth) => index !== b[depth]);
  return at < 0 ? a.length - b.length : (a[at] ?? 0) - (b[at] ?? -1);
}

function opensMenu(app: App, { element, above, source }: Open): boolean {
  if (source === "menu") return menus.has(element.role) || element.childCount > 0;
  return hasState(element.states, stateBit.hasPopup) || isMenuButton(app, above.at(-1), element);
}

/** GTK 4 has a button inside a menu button, and says nothing about the menu. */
const isMenuButton = ({ toolkit }: App, around: Element | undefined, { role }: Element): boolean =>
  toolkit === "gtk4" && around?.role === roleNumber.pushButton && buttons.has(role);

function mayContain(app: App, { element, source }: Open, depth: number): boolean {
  if (source === "menu") return mayBeFilled(element);
  if (source === "toolbar") return boxes.has(element.role) || element.role === roleNumber.toolBar;
  if (element.role === roleNumber.menuBar || element.role === roleNumber.toolBar) return true;
  const mayHold =
    boxes.has(element.role) ||
    (app.toolkit === "gtk3" && scrolled.has(element.role)) ||
    (app.toolkit === "gtk4" && element.role === roleNumber.pushButton);
  return mayHold && element.childCount <= widestBox && depth < deepestBar;
}

function toOpen(app: App, open: Open, child: Element, index: number): readonly Open[] {
  const above = [...open.above, open.element];
  const isEnabled = open.isEnabled && isUsable(child);
  const label = isPlaceholder(app, child) ? "" : toLabel(child.name);
  const { path, chosen } = open;
  const inside = { element: child, above, path, chosen, isEnabled, order: [...open.order, index] };
  const { role } = open.element;
  if (open.source === "menu" || role === roleNumber.menuBar) {
    if (menus.has(child.role) && label === "") return [{ ...inside, source: "menu" }];
    if (!entries.has(child.role) || label === "") return [];
    return [{ ...inside, path: [...path, label], chosen: [...chosen, child], source: "menu" }];
  }
  if (open.source === "toolbar" || role === roleNumber.toolBar) {
    if (!isShowing(child)) return [];
    if (buttons.has(child.role))
      return label === "" ? [] : [{ ...inside, path: [label], chosen: [child], source: "toolbar" }];
    return boxes.has(child.role) ? [{ ...inside, path: [], chosen: [], source: "toolbar" }] : [];
  }
  // A menu button outside of any bar, as in the header of a window.
  if (isMenuButton(app, open.element, child)) {
    const name = [label, isPlaceholder(app, open.element) ? "" : toLabel(open.element.name), "Menu"];
    return [{ ...inside, path: [name.find((each) => each !== "") ?? ""], chosen: [child], source: "toolbar" }];
  }
  return [{ ...inside, source: undefined }];
}

/** The number of entries in a closed menu of GTK 3 is not told with the others. */
const mayBeFilled = ({ role, childCount }: Element): boolean => childCount > 0 || menus.has(role);

/** An entry that is left out of its menu is not VISIBLE. Qt and LibreOffice say so of every entry of a closed menu. */
function withoutHidden({ toolkit }: App, children: readonly Element[]): readonly Element[] {
  const shown = children.filter(({ states }) => hasState(states, stateBit.visible));
  return toolkit === "gtk3" && shown.length > 0 ? shown : children;
}

export const isUsable = ({ states }: Element): boolean =>
  hasState(states, stateBit.sensitive) || hasState(states, stateBit.enabled);

async function childrenOf(
  app: App,
  cache: Cache | undefined,
  element: Element,
  options: BusCallOptions,
): Promise<readonly Element[]> {
  const { path } = element;
  if (!mayBeFilled(element)) return [];
  const paths = await readChildren(app, path, options);
  const elements = await pooled(paths, (child) => elementOf(app, cache, child, options));
  return elements.filter((element) => element !== undefined);
}

const elementOf = (app: App, cache: Cache | undefined, path: string, options: BusCallOptions) =>
  cache?.elements.get(path) ?? readElement(app, path, options);

export async function readActions(
  app: App,
  { path, interfaces }: Element,
  options: BusCallOptions,
): Promise<readonly NativeAction[]> {
  if (!hasInterface(interfaces, "Action")) return [];
  const reply = await optional(app.call<[readonly NativeAction[]]>(path, "Action.GetActions", "", [], options));
  return reply?.[0] ?? [];
}

/** Qt lists its actions without their keys. */
async function bindingOf(app: App, { path, interfaces }: Element, options: BusCallOptions): Promise<string> {
  if (!hasInterface(interfaces, "Action")) return "";
  return (await optional(app.call<[string]>(path, "Action.GetKeyBinding", "i", [0], options)))?.[0] ?? "";
}

/** "checked", "unchecked", or undefined for an entry that has no such state. */
export function checkOf({ role, states }: Element): boolean | undefined {
  const canBe =
    role === roleNumber.checkMenuItem ||
    role === roleNumber.radioMenuItem ||
    role === roleNumber.checkBox ||
    role === roleNumber.radioButton ||
    role === roleNumber.toggleButton ||
    hasState(states, stateBit.checkable);
  return canBe ? hasState(states, stateBit.checked) || hasState(states, stateBit.pressed) : undefined;
}
